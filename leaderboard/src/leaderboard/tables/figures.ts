// The cells of a sheet as text, for the page and for files.
import { fixed, isNumber, num, pWords } from "../../common/numbers.ts";
import { inChinese } from "../../common/words.ts";
import type { Flag, Sheet, SheetCell, SheetColumn, SheetText, SheetValue } from "../types.ts";

/** A text of a sheet in the page's language; a number or nothing as a string. */
export const inWords = (x: SheetText | number | null | undefined): string =>
  x && typeof x === "object" ? (inChinese() ? x.zh : x.en) : String(x ?? "");

export const titleOf = (sheet: Sheet): string => inWords(sheet.title);

/** A column's heading with its second line. */
export const headingWords = ({ heading, below }: SheetColumn): string =>
  [inWords(heading), inWords(below)].filter(Boolean).join(" ");

/** A cell as a value, its words in the page's language; a histogram becomes an empty value. */
export function asValue(cell: SheetCell | undefined): SheetValue {
  if (!cell || typeof cell !== "object") return { value: cell ?? null };
  if (!("value" in cell)) return { value: "zh" in cell ? inWords(cell as SheetText) : null };
  const { value, asides } = cell as { value: SheetValue["value"] | SheetText; asides?: SheetText[] };
  const whole = cell as SheetValue;
  if ((value === null || typeof value !== "object") && !asides?.some((x) => typeof x === "object")) return whole;
  return { ...whole, value: typeof value === "object" ? value && inWords(value) : value, asides: asides?.map(inWords) };
}

/** A cell's number; null if it has none. */
export function numberIn(cell: SheetCell | undefined): number | null {
  const { value } = asValue(cell);
  return isNumber(value) ? value : null;
}

export const asFlag = (flag: string | Flag): Flag => (typeof flag === "string" ? { text: flag } : flag);

/** Kinds of cells that are drawings without text. */
const DRAWN = new Set(["bar", "bars", "histogram", "statuses"]);
export const isDrawn = ({ kind = "text" }: SheetColumn): boolean => DRAWN.has(kind);

export const isRightAligned = ({ kind = "text", align }: SheetColumn): boolean =>
  align ? align === "right" : ["count", "number", "percent", "p"].includes(kind);

export const isFigure = ({ kind }: SheetColumn): boolean => kind === "percent" || kind === "number";

export const digitsOf = ({ kind, digits }: SheetColumn): number =>
  digits ?? (kind === "percent" ? 1 : kind === "number" ? 2 : 0);

function number(column: SheetColumn, v: number, digits: number): string {
  const { kind, signed } = column;
  if (kind === "p") return pWords(v);
  if (kind !== "percent" && kind !== "number") return num(v);
  const text = fixed(Math.abs(kind === "percent" ? 100 * v : v), digits);
  if (kind === "number" && Number(text) === 0) return text;
  return (v < 0 ? "−" : signed ? "+" : "") + text;
}

/** Both ends of an interval as text; "" if there is none. */
export function between(column: SheetColumn, { low, high }: SheetValue, digits: number): string {
  if (!isNumber(low) || !isNumber(high)) return "";
  return [low, high].map((v) => endOf(column, v, digits)).join(column.signed ? " … " : "–");
}

/** An end of an interval as text. In a signed column, an end that would be rounded to "−0" has as many decimals as the value:
 *  readers look whether it is above or below zero. As in common/sheet.py. */
function endOf(column: SheetColumn, v: number, digits: number): string {
  const tried = [digits, digitsOf(column)].map((n) => number(column, v, n));
  return column.signed ? (tried.find((words) => /[1-9]/.test(words)) ?? "0") : tried[0];
}

export interface CellText {
  /** The value; "" in an empty cell. */
  text: string;
  /** The interval and the spread between samples; "" if there are none. */
  beside: string;
}

export function cellText(column: SheetColumn, cell: SheetCell | undefined): CellText {
  if (cell === null || cell === undefined) return { text: "", beside: "" };
  const value = asValue(cell);
  const digits = digitsOf(column);
  const whole = between(column, value, digits);
  if (column.interval === "alone" && whole) return { text: whole, beside: "" };
  const text = value.text ?? (isNumber(value.value) ? number(column, value.value, digits) : (value.value ?? "–"));
  const narrow = column.intervalDigits ?? Math.max(0, digits - 1);
  const spread = isNumber(value.spread) && ` ±${number({ ...column, signed: false }, value.spread, digits)}`;
  const beside = column.interval === "drawn" ? "" : between(column, value, narrow) + (spread || "");
  return { text: String(text), beside };
}

/** The number of equal texts that follow each other from an index on: of columns below one heading. */
export function alikeFrom(texts: string[], at: number): number {
  const end = texts.findIndex((x, i) => i > at && x !== texts[at]);
  return (end < 0 ? texts.length : end) - at;
}

/** Letters of groups, with runs of three or more as "a–c". */
export function shortLetters(letters: string): string {
  const runs: string[][] = [];
  for (const x of letters.match(/.′*/gu) ?? []) {
    const last = runs.at(-1)?.at(-1);
    if (last && last.slice(1) === x.slice(1) && x.codePointAt(0) === (last.codePointAt(0) ?? 0) + 1)
      runs.at(-1)?.push(x);
    else runs.push([x]);
  }
  return runs.map((run) => (run.length > 2 ? `${run[0]}–${run.at(-1)}` : run.join(""))).join("");
}
