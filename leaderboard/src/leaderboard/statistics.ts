// Statistics of the figures in view: ranks and Friedman's test.
import { sumOf } from "../common/numbers.ts";

/** Ranks, 1 for the smallest value; tied values share the mean of their ranks. */
export const midranks = (list: number[]) =>
  list.map((v) => 1 + list.filter((w) => w < v).length + (list.filter((w) => w === v).length - 1) / 2);

/** The mean rank of each row over columns in which larger values are better; a row without a value is last in the column. */
export function meanRanks(columns: (number | null)[][]): number[] {
  const there = columns.filter((column) => column.some((v) => v !== null));
  const ranks = there.map((column) => midranks(column.map((v) => (v === null ? Infinity : -Number(v.toFixed(12))))));
  return (there[0] ?? []).map((_, i) => sumOf(ranks.map((column) => column[i])) / ranks.length);
}

/** erfc(√x) by Abramowitz & Stegun 7.1.26, to 1.5e-7. */
function erfcOfRoot(x: number) {
  const u = 1 / (1 + 0.3275911 * Math.sqrt(x));
  const series = 0.254829592 + u * (-0.284496736 + u * (1.421413741 + u * (-1.453152027 + u * 1.061405429)));
  return u * series * Math.exp(-x);
}

/** P(χ² ≥ x) for whole degrees of freedom. */
export function chiTail(x: number, df: number) {
  const half = x / 2;
  const odd = df % 2 === 1;
  let term = odd ? (Math.exp(-half) * Math.sqrt(half)) / (Math.sqrt(Math.PI) / 2) : Math.exp(-half);
  let tail = odd ? erfcOfRoot(half) : 0;
  for (let i = odd ? 1.5 : 1; i <= df / 2; i++) {
    tail += term;
    term *= half / i;
  }
  return Math.min(1, tail);
}

/** Friedman's statistic, corrected for ties, and its p-value; `columns`: one list of all models' ranks for each column. */
export function friedman(columns: number[][]) {
  const n = columns.length;
  const k = columns[0].length;
  const sums = columns[0].map((_, i) => sumOf(columns.map((c) => c[i])));
  const tied = (c: number[]) =>
    sumOf([...new Set(c)].map((v) => c.filter((w) => w === v).length).map((m) => m ** 3 - m));
  const even = 1 - sumOf(columns.map(tied)) / (n * k * (k * k - 1));
  if (even <= 0) return { statistic: 0, p: 1 };
  const statistic = ((12 / (n * k * (k + 1))) * sumOf(sums.map((x) => x * x)) - 3 * n * (k + 1)) / even;
  return { statistic, p: chiTail(Math.max(0, statistic), k - 1) };
}

/** The smallest numbers of models and of columns for a comparison of ranks. */
export const FRIEDMAN_NEEDS = { models: 3, columns: 5 };
