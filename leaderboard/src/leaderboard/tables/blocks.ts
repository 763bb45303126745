// The rows of a sheet in the order that they are shown in, and which of their values are best.
import { isNumber, NAMES } from "../../common/numbers.ts";
import type { Marks, Sheet, SheetColumn, SheetRow } from "../types.ts";
import { asValue, inWords, isRight } from "./figures.ts";

/** Rows that stand together, below a heading if they have one. Sorting stays within blocks. */
export interface Block {
  part: string;
  apart: boolean;
  group: SheetRow | null;
  rows: SheetRow[];
}
export interface Order {
  column: number;
  down: boolean;
}
/** A sheet as it is shown: which of its columns, and its rows in their order. */
export interface Shown {
  sheet: Sheet;
  columns: SheetColumn[];
  /** The place of each of `columns` in the sheet and its rows. */
  places: number[];
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

export const marksOf = (block: Block): Marks => block.group?.marks ?? {};

/** A block's rows by the values of a column, those without one last. */
export function sorted(block: Block, columns: SheetColumn[], order: Order | null): SheetRow[] {
  if (!order || block.apart || !columns[order.column]) return block.rows;
  const { column, down } = order;
  const byNumber = isRight(columns[column]);
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

/** The rank of a row and column, best or second in its column, if the column states which values are better. */
export function ranksOf(sheet: Sheet): (row: SheetRow, column: number) => Rank {
  const own = sheet.rows.filter((row) => !row.kind);
  const value = (row: SheetRow, column: number): string | undefined => {
    const x = asValue(row.cells[column]);
    return x.compares !== false && isNumber(x.value) ? x.value.toFixed(12) : undefined;
  };
  const firsts = sheet.columns.map(({ better }, column) => {
    const found = better ? own.flatMap((row) => value(row, column) ?? []) : [];
    const order = [...new Set(found)].sort((a, b) =>
      better === "less" ? Number(a) - Number(b) : Number(b) - Number(a),
    );
    return found.length > 1 ? order.slice(0, 2) : [];
  });
  return (row, column) => {
    if (!firsts[column]?.length || row.kind) return "";
    const at = firsts[column].indexOf(value(row, column) ?? "");
    return at === 0 ? "best" : at === 1 ? "second" : "";
  };
}
