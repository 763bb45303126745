// Metrics: their names and the notation of their values.
import { fixed, isNumber, type Maybe, pct } from "../common/numbers.ts";
import { plain } from "../common/text.ts";
import { hasWord, inChinese, t } from "../common/words.ts";
import { benchmarkOf, metricRows } from "./data.ts";
import type { MetricFigure, Task } from "./types.ts";

/** The paper's name of a metric; undefined if the paper has no metric of the same definition. */
export function publishedAs(task: Task, metric: string) {
  const names = benchmarkOf(task).published_as; // null: the same names
  return !names ? metric : Object.hasOwn(names, metric) ? names[metric] : undefined;
}

export const isPaper = (m: string) => m.startsWith("paper.");

export const baseName = (m: string) => m.replace(/^paper\./, "");

/** A metric's row; undefined if it has none. "paper.x" has its own row or else the row of x. */
export const metricRow = (m: string) => metricRows.get(m) ?? metricRows.get(baseName(m));

export function metricName(m: string) {
  const row = metricRow(m);
  const name = row ? row[inChinese() ? "zh" : "en"] + (row.lower ? " ↓" : "") : plain(baseName(m));
  return isPaper(m) && row?.name !== m ? t("ofPaper", name) : name;
}

export const longName = (m: string) =>
  (hasWord(`long.${m}`) ? t(`long.${m}`) : metricName(m)) + (isSigned(m) ? t("inNats") : isRaw(m) ? " ×1" : "");

// Values are written in one of three ways: shares in percent, ΔNLL in nats with its sign, all others unscaled (CIDEr from 0 to 10).
export const isSigned = (m: string) => metricRow(m)?.unit === "nats";
export const isRaw = (m: string) => metricRow(m)?.percent === false;

export const isLower = (m: string) => metricRow(m)?.lower === true; // smaller is better

const nats = (v: number, digits: number) => {
  const text = fixed(Math.abs(v), Math.max(2, digits));
  return (Number(text) ? (v < 0 ? "−" : "+") : "") + text;
};

/** A metric's value as text; "–" if there is none. */
export const figure = (m: string, v: Maybe, digits = 1) =>
  !isNumber(v) ? "–" : isSigned(m) ? nats(v, digits) : isRaw(m) ? fixed(v, digits + 1) : pct(v, digits);

/** "31–42", or "" if there is no interval. */
export const span = (m: string, low: Maybe, high: Maybe, digits = 0) =>
  isNumber(low) && isNumber(high)
    ? `${figure(m, low, digits)}${isSigned(m) ? " … " : "–"}${figure(m, high, digits)}`
    : "";

/** The standard deviation between the samples' values, where every item has several replies; else "". */
export const spreadOf = (metric: string, m: MetricFigure | null | undefined, digits: number) =>
  isNumber(m?.spread) ? figure(metric, m.spread, digits).replace("+", "") : "";
