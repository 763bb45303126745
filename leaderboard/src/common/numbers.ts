// Numbers as the pages write them.

export const isNumber = (v) => typeof v === "number" && Number.isFinite(v);

export const pct = (v, digits = 1) => (isNumber(v) ? (v * 100).toFixed(digits) : "–");

export const NUMBER = new Intl.NumberFormat("en-US"),
  num = (n) => NUMBER.format(Number(n));

export const NAMES = new Intl.Collator("en", { numeric: true });

/** The mean; null unless all are numbers. */
export const mean = (values) =>
  values.length && values.every(isNumber) ? values.reduce((a, b) => a + b, 0) / values.length : null;

export const sumOf = (list) => list.reduce((a, b) => a + b, 0);

export const signed = (v) => (isNumber(v) ? `${v < 0 ? "−" : "+"}${pct(Math.abs(v))}` : "–");
