// Numbers and their notation on the pages.

/** A number that may be missing. */
export type Maybe = number | null | undefined;

export const isNumber = (v: unknown): v is number => typeof v === "number" && Number.isFinite(v);

// A factor above the rounding error of a few operations on doubles, and too small to change any other printed digit.
const TIES_AWAY_FROM_ZERO = 1 + 2 ** -40;

/** A number with `digits` decimals; halves round away from zero, as in common/numbers.py: page, terminal and files agree. */
export const fixed = (v: number, digits: number) => (v * TIES_AWAY_FROM_ZERO).toFixed(digits);

/** A p-value as text, never "0", as in common/numbers.py. */
export const pWords = (p: number) => (p < 0.001 ? "<0.001" : fixed(p, 3));

/** A share from 0 to 1 in percent, without "%"; "–" if there is none. */
export const pct = (v: Maybe, digits = 1) => (isNumber(v) ? fixed(v * 100, digits) : "–");

const NUMBER = new Intl.NumberFormat("en-US");
/** A count with commas: 1,204. */
export const num = (n: number) => NUMBER.format(n);

/** A number of tokens: 7.3, 42, 1,204. */
export const tokenCount = (v: number) => (v < 9.95 ? String(+v.toFixed(1)) : num(Math.round(v)));

/** The order of names. Digits in them are compared as numbers: "m-25" comes before "m-100". */
export const NAMES = new Intl.Collator("en", { numeric: true });

export const sumOf = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);

/** The mean; null unless all values are numbers. */
export const mean = (values: readonly Maybe[]) =>
  values.length && values.every(isNumber) ? sumOf(values) / values.length : null;

/** Two decimals, for scores and coefficients. */
export const twoDigits = (v: Maybe) => (isNumber(v) ? fixed(v, 2).replace("-", "−") : "–");
