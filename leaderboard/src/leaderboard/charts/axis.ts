// Places on axes: ranges, ticks, labels that keep apart.
import { isNumber } from "../../common/numbers.ts";

export const ROW = 24;

export const place = (share) => `${(2 + 96 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;

/** Places for labels that want to stand at `wanted`: `gap` apart, within top and bottom, and each as near as that allows. */
export function apart(wanted, gap, top, bottom) {
  const order = wanted.map((_y, i) => i).sort((a, b) => wanted[a] - wanted[b]),
    blocks = [];
  order.forEach((i, n) => {
    // less n gaps: what is in order then is apart; neighbours out of order take their mean
    blocks.push([wanted[i] - n * gap, 1]);
    while (blocks.length > 1 && blocks.at(-2)[0] > blocks.at(-1)[0]) {
      const [y, k] = blocks.pop(),
        [z, m] = blocks.pop();
      blocks.push([(y * k + z * m) / (k + m), k + m]);
    }
  });
  const flat = blocks.flatMap(([y, k]) => Array(k).fill(y)),
    last = bottom - (order.length - 1) * gap,
    placed = [];
  order.forEach((i, n) => {
    placed[i] = Math.max(top, Math.min(last, flat[n])) + n * gap;
  });
  return placed;
}

/** A round range around values from 0 to `most`, and its ticks. */
export function rangeOf(values, most = 1) {
  const found = values.filter(isNumber),
    low = Math.max(0, Math.min(...found)),
    high = Math.min(most, Math.max(...found));
  const step = [0.02, 0.05, 0.1, 0.2, 0.5, 1].find((x) => (high - low) / x <= 5) ?? 2;
  const from = Math.floor(low / step + 1e-9) * step,
    to = Math.max(from + step, Math.ceil(high / step - 1e-9) * step);
  return {
    low: from,
    high: to,
    ticks: Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step),
  };
}

export const PLOT = { width: 360, left: 30, right: 348, top: 10, bottom: 208 };
