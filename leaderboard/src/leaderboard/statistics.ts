// Statistics of what is in view: ranks, Friedman's test, correlations.
import { sumOf } from "../common/numbers.ts";

/** Ranks from 1 for the smallest; ties get the mean of theirs. */
export const midranks = (list) =>
  list.map((v) => 1 + list.filter((w) => w < v).length + (list.filter((w) => w === v).length - 1) / 2);

/** P(χ² ≥ x) for whole degrees of freedom; erfc by Abramowitz & Stegun 7.1.26, to 1.5e-7. */
function chiTail(x, df) {
  const half = x / 2,
    z = Math.sqrt(half),
    u = 1 / (1 + 0.3275911 * z);
  const erfc =
    u * (0.254829592 + u * (-0.284496736 + u * (1.421413741 + u * (-1.453152027 + u * 1.061405429)))) * Math.exp(-half);
  let term = df % 2 ? (Math.exp(-half) * Math.sqrt(half)) / (Math.sqrt(Math.PI) / 2) : Math.exp(-half),
    tail = df % 2 ? erfc : 0;
  for (let i = df % 2 ? 1.5 : 1; i <= df / 2; i++) {
    tail += term;
    term *= half / i;
  }
  return Math.min(1, tail);
}

/** Friedman's statistic, corrected for ties, and its p; `columns`: the ranks of all models, a list a column. */
export function friedman(columns) {
  const n = columns.length,
    k = columns[0].length,
    sums = columns[0].map((_, i) => sumOf(columns.map((c) => c[i])));
  const ties = sumOf(
    columns.map((c) =>
      sumOf(
        [...new Set(c)].map((v) => {
          const m = c.filter((w) => w === v).length;
          return m ** 3 - m;
        }),
      ),
    ),
  );
  const even = 1 - ties / (n * k * (k * k - 1));
  const statistic = even > 0 ? ((12 / (n * k * (k + 1))) * sumOf(sums.map((x) => x * x)) - 3 * n * (k + 1)) / even : 0;
  return { statistic, p: even > 0 ? chiTail(Math.max(0, statistic), k - 1) : 1 };
}

export function pearson(x, y) {
  const mx = sumOf(x) / x.length,
    my = sumOf(y) / y.length,
    of = (a, b, ma, mb) => sumOf(a.map((v, i) => (v - ma) * (b[i] - mb)));
  const spread = Math.sqrt(of(x, x, mx, mx) * of(y, y, my, my));
  return spread > 1e-15 ? of(x, y, mx, my) / spread : null;
}

/** Kendall's τ-b: by the signs of all differences. */
export function kendall(x, y) {
  const signs = (list) => list.flatMap((v, i) => list.slice(i + 1).map((w) => Math.sign(v - w))),
    a = signs(x),
    b = signs(y),
    dot = (p, q) => sumOf(p.map((v, i) => v * q[i]));
  const spread = Math.sqrt(dot(a, a) * dot(b, b));
  return spread > 0 ? dot(a, b) / spread : null;
}

export const RANKED = { models: 3, columns: 5 };
