// The rows of a sheet in their order on the page, and the ranks of their values.
import { isNumber, NAMES } from "../../common/numbers.ts";
import type { DataAttributes, Order, Sheet, SheetColumn, SheetRow } from "../types.ts";
import { asValue, inWords, isRightAligned } from "./figures.ts";

/** Rows that stay together, below a heading if they have one. Sorting moves rows only within their block. */
export interface Block {
  part: string;
  apart: boolean;
  group: SheetRow | null;
  rows: SheetRow[];
}
/** The shown columns of a sheet, and its rows in their order. */
export interface SheetView {
  sheet: Sheet;
  columns: SheetColumn[];
  /** The index of each of `columns` in the sheet and its rows. */
  indices: number[];
  blocks: Block[];
}
export type Rank = "" | "best" | "second";

export function blocksOf(rows: SheetRow[]): Block[] {
  const blocks: Block[] = [];
  for (const row of rows) {
    const last = blocks.at(-1);
    const [part, apart, group] = [row.part ?? "", row.kind === "apart", row.kind === "group"];
    if (!last || group || apart !== last.apart || part !== last.part)
      blocks.push({ part, apart, group: group ? row : null, rows: [] });
    if (!group) blocks.at(-1)?.rows.push(row);
  }
  return blocks.filter((block) => block.rows.length);
}

export const marksOf = (block: Block): DataAttributes => block.group?.marks ?? {};

/** A block's rows sorted by a column's values; rows without a value come last. */
export function sorted(block: Block, columns: SheetColumn[], order: Order | null): SheetRow[] {
  if (!order || block.apart || !columns[order.column]) return block.rows;
  const { column, down } = order;
  const byNumber = isRightAligned(columns[column]);
  const key = (row: SheetRow): number | string | null => {
    const { value, low } = asValue(row.cells[column]);
    if (isNumber(value)) return value;
    if (isNumber(low)) return low;
    return byNumber ? null : inWords(value);
  };
  const compare = (a: number | string, b: number | string): number =>
    isNumber(a) && isNumber(b) ? a - b : NAMES.compare(String(a), String(b));
  return block.rows
    .map((row) => ({ row, key: key(row) }))
    .sort((a, b) => {
      if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
      return down ? compare(b.key, a.key) : compare(a.key, b.key);
    })
    .map(({ row }) => row);
}

/** A function that tells whether the value in a row and column is the best or the second best of its column. It is neither if the
 *  column does not say which values are better. */
export function ranksOf(sheet: Sheet): (row: SheetRow, column: number) => Rank {
  const valueRows = sheet.rows.filter((row) => !row.kind);
  const value = (row: SheetRow, column: number): string | undefined => {
    const x = asValue(row.cells[column]);
    return x.compares !== false && isNumber(x.value) ? x.value.toFixed(12) : undefined;
  };
  const firsts = sheet.columns.map(({ better }, column) => {
    const texts = better ? valueRows.flatMap((row) => value(row, column) ?? []) : [];
    const order = [...new Set(texts)].sort((a, b) =>
      better === "less" ? Number(a) - Number(b) : Number(b) - Number(a),
    );
    return order.length > 1 ? order.slice(0, 2) : []; // where all are equal none is the best
  });
  return (row, column) => {
    if (!firsts[column]?.length || row.kind) return "";
    const at = firsts[column].indexOf(value(row, column) ?? "");
    return at === 0 ? "best" : at === 1 ? "second" : "";
  };
}
