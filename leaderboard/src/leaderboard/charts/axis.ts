// Geometry of axes: scales, ranges and their ticks, positions of labels that do not overlap.
import { isNumber, type Maybe } from "../../common/numbers.ts";
import { textWidth } from "../../common/text.ts";

/** A horizontal position in a chart: pixels, or a share of its width ("12.5%"). */
export type Length = number | string;
export type AxisScale = (value: number) => number;
export type Anchor = "start" | "middle" | "end";
export interface Range {
  low: number;
  high: number;
  ticks: number[];
}
/** The plotting area of a chart, in the chart's own pixels; labels stand around it. */
export interface PlotArea {
  width: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The axes of a chart: its plotting area, and the scales from values to horizontal and vertical positions. */
export interface Axes {
  ground: PlotArea;
  across: AxisScale;
  up: AxisScale;
}

export const PLOT: PlotArea = { width: 360, left: 30, right: 348, top: 10, bottom: 208 };
/** The height of a row in charts with a row for each model. */
export const ROW = 24;
/** The ticks of an axis of shares. */
export const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** A linear scale from values to positions; values outside of the range stand at its edge. */
export const scale =
  (low: number, high: number, from: number, to: number): AxisScale =>
  (value) =>
    from + ((Math.min(high, Math.max(low, value)) - low) / (high - low)) * (to - from);

/** A logarithmic scale from values above 0 to positions. */
export const logScale = (low: number, high: number, from: number, to: number): AxisScale => {
  const across = scale(Math.log(low), Math.log(high), from, to);
  return (value) => across(Math.log(value));
};

/** The offset in pixels of the i-th of n marks that would cover each other: neighbours are at most `most` apart, all within `room`. */
export const offsetOf = (i: number, n: number, most: number, room: number) =>
  (i - (n - 1) / 2) * Math.min(most, room / n);

/** The horizontal position of a share from 0 to 1, a little inside both edges, where marks would be cut. */
export const acrossShare = (share: number) => `${scale(0, 1, 2, 98)(share).toFixed(2)}%`;
export const shareScale = (low: number, high: number) => (value: number) => acrossShare((value - low) / (high - low));

/** A round range around values from 0 to `most`, and its ticks. */
export function rangeOf(values: Maybe[], most = 1): Range {
  const numbers = values.filter(isNumber);
  const low = Math.max(0, Math.min(...numbers));
  const high = Math.min(most, Math.max(...numbers));
  const step = [0.02, 0.05, 0.1, 0.2, 0.5, 1].find((x) => (high - low) / x <= 5) ?? 2;
  const from = Math.floor(low / step + 1e-9) * step;
  const to = Math.max(from + step, Math.ceil(high / step - 1e-9) * step);
  const count = Math.round((to - from) / step) + 1;
  return { low: from, high: to, ticks: Array.from({ length: count }, (_, i) => from + i * step) };
}

/** An axis is logarithmic if its largest value is at least this many times the smallest. */
const SPREAD = 8;
const MOST_TICKS = 11; // if there are more ticks, only those at powers of ten remain
/** A range around counts with round ticks: from 0, or logarithmic (`isLog`) if the largest count is many times the smallest. */
export function countRange(values: number[]): Range & { isLog: boolean } {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (most < SPREAD * least) {
    const steps = roundNumbers(most / 10, most);
    const step = steps.find((x) => x >= most / 5) ?? 1;
    const count = Math.ceil(most / step - 1e-9);
    return { low: 0, high: count * step, ticks: Array.from({ length: count + 1 }, (_, i) => i * step), isLog: false };
  }
  const all = roundNumbers(least, most);
  const [low, high] = [all.findLast((x) => x <= least) ?? least, all.find((x) => x >= most) ?? most];
  const ticks = all.filter((x) => x >= low && x <= high);
  return {
    low,
    high,
    ticks: ticks.length > MOST_TICKS ? ticks.filter((x) => Number.isInteger(Math.log10(x))) : ticks,
    isLog: true,
  };
}
/** The numbers 1, 2 and 5 times each power of ten, from the largest power that is not above `from` to the smallest not below `to`. */
function roundNumbers(from: number, to: number): number[] {
  const [first, last] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i)).flatMap((x) => [x, 2 * x, 5 * x]);
}

/** Positions for labels between `top` and `bottom`, as near as possible to `wanted` and at least `gap` pixels apart. */
export function spreadLabels(wanted: number[], gap: number, top: number, bottom: number): number[] {
  const order = wanted.map((_y, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const blocks: [y: number, labels: number][] = [];
  order.forEach((i, n) => {
    // If labels are far enough apart, their positions less n gaps ascend. Positions that do not ascend get their mean instead.
    let [y, k] = [wanted[i] - n * gap, 1];
    for (let above = blocks.at(-1); above && above[0] > y; above = blocks.at(-1)) {
      [y, k] = [(y * k + above[0] * above[1]) / (k + above[1]), k + above[1]];
      blocks.pop();
    }
    blocks.push([y, k]);
  });
  const flat = blocks.flatMap(([y, k]) => Array<number>(k).fill(y));
  const last = bottom - (order.length - 1) * gap;
  const placed: number[] = [];
  order.forEach((i, n) => {
    placed[i] = Math.max(top, Math.min(last, flat[n])) + n * gap;
  });
  return placed;
}

/** A rectangle in a chart: left, top, right, bottom. */
export type Box = [number, number, number, number];
/** Find room for a name beside the marker at (x, y), inside the plotting area and clear of the boxes of `taken`. Adds the new box
 *  to `taken`. */
export function roomBeside(x: number, y: number, name: string, taken: Box[], ground: PlotArea) {
  const long = textWidth(name);
  const candidates: [number, Anchor, number, number][] = [
    [x + 9, "start", 4, 0],
    [x - 9, "end", 4, long],
    [x, "middle", -10, long / 2],
    [x, "middle", 17, long / 2],
  ];
  for (const [at, anchor, down, before] of candidates) {
    const [left, top, right, bottom]: Box = [at - before, y + down - 10, at - before + long, y + down + 2];
    const inside = left >= ground.left && right <= ground.right && top >= ground.top && bottom <= ground.bottom;
    if (!inside || taken.some((b) => b[0] < right && b[2] > left && b[1] < bottom && b[3] > top)) continue;
    taken.push([left, top, right, bottom]);
    return { x: at, y: y + down, anchor };
  }
  return null;
}

/** The ticks that get a label, from the right. A tick whose label would touch that of its right neighbour or of 0 gets none. */
export function labelledTicks(ticks: number[], across: AxisScale): number[] {
  let free = Infinity;
  return [...ticks]
    .sort((a, b) => b - a)
    .filter((tick) => {
      const half = 3.6 * String(tick).length;
      const fits = across(tick) + half < free && (tick === 0 || across(tick) - half > across(0) + 8);
      if (fits) free = across(tick) - half - 4;
      return fits;
    });
}

/** The maximal runs of neighbours in rank that differ by less than the critical difference: [first, last]. */
export function cliques(rows: { mean: number }[], cd: number): [number, number][] {
  const runs: [number, number][] = [];
  rows.forEach((r, i) => {
    const last = rows.findLastIndex((x) => x.mean - r.mean < cd);
    if (last > i && last > (runs.at(-1)?.[1] ?? -1)) runs.push([i, last]);
  });
  return runs;
}
