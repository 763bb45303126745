// A sheet as text, from which files are made.
import { isNumber } from "../../common/numbers.ts";
import { oneLine } from "../../common/text.ts";
import type { SheetCell, SheetColumn, SheetRow, SheetValue } from "../types.ts";
import { type Rank, ranksOf, type SheetView } from "./blocks.ts";
import { asFlag, asValue, cellText, inWords, isDrawn, isRightAligned } from "./figures.ts";

export interface PrintedCell {
  text: string;
  /** The exact number of a p-value, which the text may round to "<0.001". */
  number?: number;
  /** Small text beside the value: intervals, remarks, warnings. */
  asides: string[];
  rank: Rank;
}
export interface PrintedRow {
  /** Whether it is the heading of the rows below it. */
  group: boolean;
  /** Whether it is the first row of a block. */
  begins: boolean;
  /** A cell for every column. */
  cells: PrintedCell[];
}
export interface PrintedColumn extends PrintedCell {
  /** The heading over the column and its neighbours; "" if there is none. */
  over: string;
  right: boolean;
  /** Whether a value of the column has small text beside it. */
  beside: boolean;
}
export interface Printed {
  columns: PrintedColumn[];
  rows: PrintedRow[];
  notes: string[];
}

/** A remark without the brackets and dots that separate it on the page. */
const bare = (text: string): string =>
  oneLine([text])
    .replace(/^[·!]\s*/, "")
    .replace(/^\((.*)\)$/, "$1");

const histogramWords = (cell: SheetCell): string =>
  Object.entries(cell ?? {})
    .map(([score, n]) => `${score}: ${n}`)
    .join(", ");

function printedCell(column: SheetColumn, cell: SheetCell | undefined, rank: Rank): PrintedCell {
  if (isDrawn(column))
    return { text: column.kind === "histogram" ? histogramWords(cell ?? null) : "", asides: [], rank };
  const { text, beside } = cellText(column, cell);
  const { value, sign = "", asides = [], flags = [], parts = [] } = asValue(cell);
  const part = (x: { name: string; value: SheetValue }): string => `${x.name} ${cellText(column, x.value).text}`;
  const all = [sign, beside, ...asides, parts.map(part).join(" "), ...flags.map((flag) => inWords(asFlag(flag).text))];
  const remarks = all.map(bare).filter(Boolean);
  const number = column.kind === "p" && isNumber(value) ? { number: value } : {};
  return { text: oneLine([text]) || (remarks.shift() ?? ""), asides: remarks, rank, ...number };
}

function printedHead(column: SheetColumn): PrintedCell & { over: string } {
  const warnings = (column.flags ?? []).map((flag) => inWords(flag.text));
  const small = oneLine([[inWords(column.below), ...warnings].filter(Boolean).join(" ")]);
  const text = oneLine([inWords(column.heading)]);
  return { text, asides: small ? [small] : [], rank: "", over: oneLine([inWords(column.over)]) };
}

/** The shown part of a sheet as text, without columns that have no text. */
export function printed({ sheet, columns, indices, blocks }: SheetView): Printed {
  const rankOf = ranksOf(sheet);
  const cellsOf = (row: SheetRow): PrintedCell[] =>
    indices.map((index, i) => printedCell(columns[i], row.cells[index], rankOf(row, index)));
  const rows = blocks.flatMap((block) => {
    const all = block.group ? [block.group, ...block.rows] : block.rows;
    return all.map((row, i) => ({ group: row === block.group, begins: i === 0, cells: cellsOf(row) }));
  });
  const values = rows.filter((row) => !row.group);
  const kept = columns.map((_, i) => i).filter((i) => i === 0 || values.some(({ cells }) => cells[i].text));
  const heads = columns.map(printedHead);
  const remarks = kept.flatMap((i) =>
    (columns[i].remarks ?? []).map((remark) => `${heads[i].text}: ${bare(inWords(remark.text))}`),
  );
  return {
    columns: kept.map((i) => ({
      ...heads[i],
      right: isRightAligned(columns[i]),
      beside: values.some(({ cells }) => cells[i].asides.length),
    })),
    rows: rows.map((row) => ({ ...row, cells: kept.map((i) => row.cells[i]) })),
    notes: remarks,
  };
}

export const columnNames = ({ columns }: Printed): string[] =>
  columns.map(({ over, text, asides }) =>
    [over, [text, ...asides.map((x) => `(${x})`)].filter(Boolean).join(" ")].filter(Boolean).join(": "),
  );

export const haveRanks = ({ rows }: Printed): boolean => rows.some(({ cells }) => cells.some(({ rank }) => rank));
