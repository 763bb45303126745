// What a table on the page says, as rows and cells of words.
import { oneLine } from "../../common/text.ts";

const SKIPPED = ".sr, .unsaved, .arrow, .stack, button.small, [aria-hidden=true]",
  ASIDE = "small, .ci, .flag, .sign";

/** A cell's words; what stands small beside them (intervals, flags) apart, and what a file has below its table. */
function cellWords(cell) {
  const words = [],
    asides = [],
    notes = [];
  const walk = (node, into) =>
    node.childNodes.forEach((x) => {
      if (x.nodeType === Node.TEXT_NODE) {
        into.push(x.data);
        return;
      }
      if (x.nodeType !== Node.ELEMENT_NODE || x.matches(SKIPPED)) return;
      if (x.localName === "svg") {
        into.push(x.getAttribute("aria-label") ?? "");
        return;
      }
      const apart = x.matches(".leak") ? notes : into === words && x.matches(ASIDE) ? asides : null;
      if (apart) {
        const found = [];
        walk(x, found);
        apart.push(
          oneLine(found)
            .replace(/^[·!]\s*/, "")
            .replace(/^\((.*)\)$/, "$1"),
        );
        return;
      }
      const loose = getComputedStyle(x).display !== "inline" ? " " : ""; // on a line of its own, or set apart
      into.push(loose);
      walk(x, into);
      into.push(loose);
    });
  walk(cell, words);
  if (!oneLine(words)) words.push(asides.shift() ?? ""); // nothing else is there
  const rank = ["best", "second"].find((name) => cell.querySelector(`.${name}`)) ?? "";
  return {
    text: oneLine(words),
    asides: asides.filter(Boolean),
    notes: notes.filter(Boolean),
    rank,
    right: cell.classList.contains("v"),
  };
}

/** Rows of cells with their first column and how many they cover; a cell that goes down stands in its last row. */
function readRows(trs) {
  const rows = trs.map((tr) => ({
      group: tr.classList.contains("group"),
      begins: tr === tr.parentNode.rows[0],
      cells: [],
    })),
    taken = trs.map(() => new Set());
  trs.forEach((tr, r) => {
    let at = 0;
    for (const cell of tr.cells) {
      while (taken[r].has(at)) at++;
      const last = Math.min(r + cell.rowSpan, trs.length) - 1;
      for (let y = r; y <= last; y++) for (let x = at; x < at + cell.colSpan; x++) taken[y].add(x);
      rows[last].cells.push({ at, cols: cell.colSpan, ...cellWords(cell) });
      at += cell.colSpan;
    }
  });
  for (const row of rows) row.cells.sort((a, b) => a.at - b.at);
  return rows;
}

/** One table, or all in a box below each other with the captions of their figures; columns that hold only pictures left out. */
export function readTables(box) {
  const all = box.localName === "table" ? [box] : [...box.querySelectorAll("table")],
    panels = box !== all[0];
  const head = readRows([...all[0].tHead.rows]);
  const body = all.flatMap((table) => {
    const rows = [...table.tBodies].flatMap((x) => readRows([...x.rows])),
      caption = panels && table.closest("figure")?.querySelector("figcaption");
    return caption
      ? [
          { group: true, begins: true, cells: [{ at: 0, cols: 99, ...cellWords(caption) }] },
          ...rows.map((x) => ({ ...x, begins: false })),
        ]
      : rows;
  });
  const width = Math.max(...head.flatMap((row) => row.cells.map((x) => x.at + x.cols)));
  const single = body
    .filter((row) => !row.group)
    .flatMap((row) => row.cells)
    .filter((x) => x.cols === 1 && (x.text || x.asides.length));
  const kept = [...Array(width).keys()].filter((i) => i === 0 || single.some((x) => x.at === i));
  const fit = (row) => ({
    ...row,
    cells: row.cells
      .map((x) => ({
        ...x,
        at: kept.filter((i) => i < x.at).length,
        cols: kept.filter((i) => i >= x.at && i < x.at + x.cols).length,
      }))
      .filter((x) => x.cols),
  });
  const columns = kept.map((i) => ({
    right: single.some((x) => x.at === i && x.right),
    beside: single.some((x) => x.at === i && x.asides.length),
  }));
  const rows = head.map(fit),
    notes = rows.flatMap((row) => row.cells.flatMap((x) => x.notes.map((note) => `${x.text}: ${note}`)));
  return { head: rows, body: body.map(fit), columns, notes };
}

/** A row's cell for every column; null where there is none. */
export const cellsOf = (row, columns) => columns.map((_, i) => row.cells.find((x) => x.at === i) ?? null);

export const columnNames = (table) =>
  table.columns.map((_, i) => {
    const over = table.head.flatMap((row) => row.cells).filter((x) => x.at <= i && i < x.at + x.cols);
    return over
      .map((x) => [x.text, ...x.asides.map((y) => `(${y})`)].join(" "))
      .filter(Boolean)
      .join(": ");
  });

export const haveRanks = (table) => table.body.some((row) => row.cells.some((x) => x.rank));

export const isGroup = (row) => row.group && row.cells.slice(1).every((x) => !x.text);
