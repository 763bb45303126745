// A sheet as a matrix: a square for a row and column, shaded by its value.
import { div, h, type Kid } from "../../common/dom.ts";
import { isNumber, pct } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { blocksOf } from "../tables/blocks.ts";
import { cellText, inWords, isFigure, numberIn, titleOf } from "../tables/figures.ts";
import type { Sheet, SheetColumn } from "../types.ts";
import { group, image, label, line, square, squares, withTooltip } from "./marks.ts";

/** A matrix with more names than this shows only the most frequent ones at first. */
export const MOST_NAMES = 15;

interface Square {
  value: number | null;
  text: string;
  words: string;
}
export interface Matrix {
  rows: string[];
  columns: string[];
  /** The count at the right end of a row. */
  counts: Map<string, string>;
  /** A name -> the sum of its counts as a row and as a column: a large matrix shows the names with the largest sums first. Empty if the
   *  sheet has no counts. */
  weights: Map<string, number>;
  squares: Map<string, Square>;
  /** Whether values are shares from 0 to 1; else they are coefficients from -1 to 1. */
  share: boolean;
  corner: string;
}

const key = (row: string, column: string) => `${row}\t${column}`;

export const matrixOf = (sheet: Sheet): Matrix =>
  sheet.chart?.across === undefined
    ? wideMatrix(sheet)
    : longMatrix(sheet, sheet.chart.across, sheet.chart.up?.[0] ?? 0);

/** The matrix of a sheet in which each column of figures is a column of the matrix. */
function wideMatrix({ columns: all, rows }: Sheet): Matrix {
  const at = all.flatMap((column, n) => (n > 0 && isFigure(column) ? [n] : []));
  const names = new Map(at.map((n) => [n, plain(inWords(all[n].heading))]));
  const squares = new Map<string, Square>();
  const nameOf = (row: (typeof rows)[number]) => plain(cellText(all[0], row.cells[0]).text);
  for (const row of rows)
    for (const [n, name] of names) {
      const cell = row.cells[n];
      if (cell === null || cell === undefined) continue;
      const { text } = cellText(all[n], cell);
      squares.set(key(nameOf(row), name), { value: numberIn(cell), text, words: `${nameOf(row)} · ${name}: ${text}` });
    }
  return {
    rows: rows.map(nameOf),
    columns: [...names.values()],
    counts: new Map(),
    weights: new Map(),
    squares,
    share: at.every((n) => all[n].kind === "percent"),
    corner: "",
  };
}

/** The matrix of a sheet in which groups are the matrix's rows; column `across` has the names of its columns, and `up` the values. */
function longMatrix({ columns: all, rows }: Sheet, across: number, up: number): Matrix {
  const blocks = blocksOf(rows).filter(({ group }) => group);
  const counted = all.flatMap(({ kind }, n) => (kind === "count" ? [n] : []));
  const squares = new Map<string, Square>();
  const [counts, weights] = [new Map<string, string>(), new Map<string, number>()];
  const weigh = (name: string, n: number | null) => weights.set(name, (weights.get(name) ?? 0) + (n ?? 0));
  const columns: string[] = [];
  for (const block of blocks) {
    const right = plain(cellText(all[0], block.group?.cells[0]).text);
    const total = counted[counted.length - 1];
    counts.set(right, cellText(all[total], block.group?.cells[total]).text);
    weigh(right, numberIn(block.group?.cells[total]));
    for (const { cells } of block.rows) {
      const name = plain(cellText(all[across], cells[across]).text);
      const figure = (column: SheetColumn, n: number) =>
        n > 0 && n !== across && !isFigure(column)
          ? [`${inWords(column.heading)} ${cellText(column, cells[n]).text}`]
          : [];
      const value = numberIn(cells[up]);
      const text = isNumber(value) && value > 0 && value < 0.005 ? "<1" : cellText(all[up], cells[up]).text;
      const words = `${right} → ${name}: ${pct(value)} % (${all.flatMap(figure).join(", ")})`;
      squares.set(key(right, name), { value, text, words });
      columns.push(name);
      weigh(name, numberIn(cells[counted[0]]));
    }
  }
  const named = [...counts.keys()];
  return {
    rows: named,
    columns: [...new Set([...named, ...columns])],
    counts,
    weights,
    squares,
    share: all[up].kind === "percent",
    corner: inWords(all[0].heading),
  };
}

/** A matrix reduced to its most frequent names, in their order. */
export function frequent(matrix: Matrix): Matrix {
  const weight = (name: string) => matrix.weights.get(name) ?? 0;
  const most = new Set([...matrix.columns].sort((a, b) => weight(b) - weight(a)).slice(0, MOST_NAMES));
  const kept = (names: string[]) => names.filter((name) => most.has(name));
  return { ...matrix, rows: kept(matrix.rows), columns: kept(matrix.columns) };
}

/** The class of a square, and its layers with their opacities. A share is darker the larger it is, and has a frame where its row and
 *  its column have one name (`isFramed`); a coefficient is shaded by its square. */
function lookOf({ share }: Matrix, { value }: Square, isFramed: boolean): [string, [string, string?][]] {
  const v = value ?? 0;
  if (!share) return ["", [[v < 0 ? "against" : "with", value === null ? "0" : (0.03 + 0.46 * v ** 2).toFixed(2)]]];
  // Shades in between would leave neither dark nor light figures readable.
  const shade = v > 0.5 ? 0.76 + 0.24 * v : 0.06 + 0.8 * v;
  const layers: [string, string?][] = [["ground"]];
  if (v > 0) layers.push(["shade", shade.toFixed(2)]);
  if (isFramed) layers.push(["frame"]);
  return [v > 0.5 ? " full" : v > 0 ? "" : " none", layers];
}

function matrixNode(matrix: Matrix, sheet: Sheet): SVGElement {
  const { rows, columns, counts, share, corner } = matrix;
  const size = { wide: 42, high: share ? 28 : 26 };
  const ofRows = columns.filter((name) => rows.includes(name) || !share).length;
  const layout = squares(rows, columns, size, corner, ofRows);
  const right = layout.right + 8;
  const one = (row: string, i: number, column: string, j: number): Kid => {
    const content = matrix.squares.get(key(row, column));
    const [x, y] = [layout.x(j), layout.y(i)];
    if (!content) return !share && row === column && line("grid", x + 6, x + size.wide - 6, y + 5, y + size.high - 5);
    const [cls, layers] = lookOf(matrix, content, row === column);
    const attributes = { "data-row": row, "data-name": column };
    return group(
      `square${cls}`,
      attributes,
      withTooltip(content.words, square(x, y, size, layers, content.text, { class: "value" })),
    );
  };
  const width = right + Math.max(counts.size ? 52 : 0, layout.lean + 8);
  return image(
    share ? "matrix" : "heat",
    [Math.ceil(width), Math.ceil(layout.bottom + 6)],
    titleOf(sheet),
    layout.heads,
    rows.map((row, i) => [
      columns.map((column, j) => one(row, i, column, j)),
      label(right, layout.y(i) + size.high / 2 + 4, counts.get(row) ?? "", "start", { class: "head" }),
    ]),
  );
}

/** A matrix in a box, which scrolls if the matrix is wider than the page. `of`: the title of its section. */
export const matrixBox = (matrix: Matrix, sheet: Sheet, of: string): HTMLElement =>
  h(
    "div",
    { class: "scroll bare", tabindex: 0, role: "region", "aria-label": `${of} · ${titleOf(sheet)}` },
    div("heatbox", matrixNode(matrix, sheet)),
  );
