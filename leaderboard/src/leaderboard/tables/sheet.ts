// Sheets: tables as the analyses return them (common/sheet.py). One renderer draws any of them, and knows no analysis.
import { button, h, put, visible } from "../../common/dom.ts";
import { isNumber, NAMES, num } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { sheetSort, sortSheet } from "../actions.ts";
import { cellRoute, go } from "../address.ts";
import { bars, histogram, strip } from "../charts/strips.ts";
import { cellIndex, data, models, placeOf } from "../data.ts";
import { inSight, onPage } from "../filters.ts";
import { state } from "../state.ts";
import { tableSavers } from "./frame.ts";

export const opener = (cell, text) =>
  cell ? button(h("span", { class: "num" }, text), () => go(cellRoute(cell)), { class: "cell" }) : text;

/** Words of a sheet, in the page's language: a text, or { zh, en }. */
const inWords = (x) => (x && typeof x === "object" ? (inChinese() ? x.zh : x.en) : String(x ?? ""));

/** Sheets of all runs, each with its run's number; `wanted` picks some. */
export const sheetsOf = (wanted) =>
  data.runs.flatMap((run, i) => (run.sheets ?? []).filter(wanted).map((sheet) => ({ ...sheet, run: i })));

/** Whether what a sheet, row or column is about is in view, as far as it says. */
function aboutInView(about, run) {
  const model = about.model !== undefined && models.get(`${run}\t${about.model}`),
    has = (name) => about[name] !== undefined;
  return (
    ["split", "variant", "shots"].every((k) => !has(k) || about[k] === state[k]) &&
    (!model || inSight(model)) &&
    (!has("set") || !state.onlySet || about.set === state.onlySet) &&
    (!has("task") || onPage({ set: state.onlySet, ...about }))
  );
}

const DIGITS = { percent: 1, number: 2 };

function figureIn(column, v, digits = column.digits ?? DIGITS[column.kind] ?? 0) {
  if (!isNumber(v)) return inWords(v);
  if (column.kind !== "percent" && column.kind !== "number") return num(v);
  const text = (column.kind === "percent" ? 100 * v : v).toFixed(digits);
  return (column.signed && v >= 0 ? "+" : "") + text.replace("-", "−");
}

const between = (column, x, digits) =>
  `${figureIn(column, x.low, digits)}${column.signed ? " … " : "–"}${figureIn(column, x.high, digits)}`;

const isRight = (column) =>
  column.align ? column.align === "right" : !["text", "bar", "histogram"].includes(column.kind);

const asValue = (cell) => (cell && typeof cell === "object" && "value" in cell ? cell : { value: cell });

/** The nodes of a cell: the value, a link to its evidence where there is any, its interval, remarks. */
function sheetCell(column, cell, evidence) {
  if (cell === null || cell === undefined) return [];
  if (column.kind === "histogram") return [histogram(cell)];
  if (column.kind === "bar") return [bars(cell, null)];
  const x = asValue(cell),
    digits = Math.max(0, (column.digits ?? DIGITS[column.kind] ?? 0) - 1),
    spans = isNumber(x.low) && isNumber(x.high);
  const alone = column.interval === "alone" && spans,
    text = alone ? between(column, x) : x.value === null ? "–" : figureIn(column, x.value);
  const shown = isRight(column) ? text : data$("span", "", text),
    toned = { strong: h("strong", null, shown), quiet: h("span", { class: "muted" }, shown) }[x.tone] ?? shown;
  return [
    evidence && isNumber(x.value) ? opener(evidence, toned) : toned,
    spans && !alone && h("small", null, ` ${between(column, x, digits)}`),
    (x.asides ?? []).map((aside) => h("small", null, ` ${aside.trim()}`)),
    (x.flags ?? []).map((flag) => h("span", { class: "flag" }, flag)),
  ];
}

/** A value with its interval on a line between the least and the largest possible. */
function onRange({ range: [low, high] }, cell) {
  const x = asValue(cell),
    at = (v) => (isNumber(v) ? (v - low) / (high - low) : undefined);
  return isNumber(x.value) && strip(at(x.value), null, { low: at(x.low), high: at(x.high) });
}

/** Rows in blocks: a block begins with a group's heading, or where rows stand apart. Sorting stays within blocks. */
function blocksOf(rows) {
  const blocks = [];
  for (const row of rows) {
    const last = blocks.at(-1),
      kind = row.kind ?? "";
    if (!last || kind === "group" || (kind === "apart") !== last.apart)
      blocks.push({ apart: kind === "apart", group: kind === "group" ? row : null, rows: [] });
    if (kind !== "group") blocks.at(-1).rows.push(row);
  }
  return blocks.filter((block) => block.rows.length);
}

function sorted(block, columns, { column, down } = {}) {
  if (column === undefined || block.apart) return block.rows;
  const key = (row) => {
    const x = asValue(row.cells[column]);
    return isNumber(x.value) ? x.value : isNumber(x.low) ? x.low : isRight(columns[column]) ? null : inWords(x.value);
  };
  const order = (a, b) => (isNumber(a) && isNumber(b) ? a - b : NAMES.compare(String(a), String(b)));
  return block.rows
    .map((row) => [key(row), row])
    .sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : down ? order(b, a) : order(a, b)))
    .map(([, row]) => row);
}

/** Any sheet as a table with what exports it; null where nothing of it is in view. `lit`: rows that stand out. */
export function sheetNode(sheet, { id = sheet.name, lit = () => false } = {}) {
  const title = inWords(sheet.title),
    heading = h("h3", null, visible(title));
  const notes = (sheet.notes ?? []).map((note) => h("p", { class: "note" }, visible(inWords(note))));
  if (!sheet.columns.length) return [heading, notes];
  const seen = (x) => aboutInView({ ...sheet.about, ...x.about }, sheet.run);
  const all = sheet.columns.map((column, at) => ({ kind: "text", ...column, at }));
  const columns = all.filter((column, i) => i === 0 || seen(column)),
    blocks = blocksOf(sheet.rows.filter(seen));
  if (!blocks.length || columns.length < 2) return null;
  const box = h("div", { id: `sheet-${id}`, class: "scroll", tabindex: 0, role: "region", "aria-label": plain(title) });
  const draw = () =>
    put(
      box,
      h(
        "table",
        { class: "robust sheet", "data-sheet": sheet.name },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            columns.map((column) =>
              sheetHead(column, id, () => {
                draw();
                box.querySelector(`[data-column="${column.at}"]`)?.focus();
              }),
            ),
          ),
        ),
        blocks.map((block) =>
          h(
            "tbody",
            { class: block.apart && "apart" },
            block.group && sheetRow(sheet, columns, block.group, "group"),
            sorted(block, all, sheetSort(id)).map((row) =>
              sheetRow(sheet, columns, row, block.apart ? "muted" : lit(row) && "lit"),
            ),
          ),
        ),
      ),
    );
  draw();
  // The box is read when it is asked for a file: by then it may be sorted otherwise.
  return [h("div", { class: "titled" }, heading, tableSavers(box, id, title)), box, notes];
}

/** Evidence behind each value whose place its column tells; where the row tells it all, behind its first figure. A row about an item opens it. */
function sheetRow(sheet, columns, row, cls) {
  const first = columns.find((column) => column.kind === "percent" || column.kind === "number");
  const evidence = (column) => {
    if (!column.about && column !== first) return undefined;
    const place = { ...sheet.about, ...column.about, ...row.about };
    return cellIndex.get(placeOf({ ...place, id: `${sheet.run}\t${place.model}` }));
  };
  return h(
    "tr",
    { class: cls },
    columns.map((column, i) => {
      const cell = row.cells[column.at],
        kids = sheetCell(column, cell, evidence(column)),
        reply = i === 0 && row.about?.item && evidence(first ?? { about: {} });
      if (i === 0)
        return h(
          "th",
          { scope: cls === "group" ? "rowgroup" : "row" },
          reply ? button(kids, () => go({ ...cellRoute(reply), item: row.about.item }), { class: "link" }) : kids,
        );
      return [
        column.range && h("td", { class: "inplot" }, onRange(column, cell)),
        h("td", { class: isRight(column) && "v" }, kids),
      ];
    }),
  );
}

/** A heading; where values have an order, it sorts by them. Before values on a range it says what that is. */
function sheetHead(column, id, redraw) {
  const name = inWords(column.heading),
    below = inWords(column.below),
    sort = sheetSort(id),
    on = sort?.column === column.at;
  const words = [name, below && h("small", null, ` ${below}`)],
    range = column.range && h("th", { scope: "col" }, column.range.map(num).join(" – "));
  if (!name && !below) return [range, h("td")]; // a heading of no words is none
  if (["bar", "histogram"].includes(column.kind))
    return [range, h("th", { scope: "col", class: isRight(column) && "v" }, words)];
  const flip = () => {
    sortSheet(id, column.at, isRight(column));
    redraw();
  };
  return [
    range,
    h(
      "th",
      {
        scope: "col",
        class: isRight(column) && "v",
        "aria-sort": on ? (sort.down ? "descending" : "ascending") : "none",
      },
      h(
        "button",
        { type: "button", class: "sort", onclick: flip, title: t("sortBy"), "data-column": column.at },
        h("span", null, words),
        h("span", { class: "arrow", "aria-hidden": "true" }, on ? (sort.down ? "▾" : "▴") : ""),
      ),
    ),
  ];
}

/** A section of the sheets that `wanted` picks; null where nothing of them is in view. */
export function sheetSection(section, title, wanted) {
  const nodes = sheetsOf(wanted)
    .map((sheet, n) => {
      const node = sheetNode(sheet, { id: `${sheet.name}-${n + 1}` });
      return (
        node && [
          data.runs.length > 1 &&
            h("p", { class: "note" }, t("run"), " ", data$("span", "", data.runs[sheet.run].name)),
          node,
        ]
      );
    })
    .filter(Boolean);
  return nodes.length > 0 ? h("section", { class: "block", id: section }, h("h2", null, title), nodes) : null;
}
