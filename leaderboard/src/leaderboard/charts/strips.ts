// Small charts inside a table.
import { isNumber, type Maybe } from "../../common/numbers.ts";
import { acrossShare } from "./axis.ts";
import { bar, decorativeChart, dot, image, label, line, withTooltip } from "./marks.ts";

/** A value on a line from 0 to 100 %, with its interval and with `base`, the value before a change. */
export function strip(value: number, base: number | null, { low, high }: { low?: Maybe; high?: Maybe }): SVGElement {
  const across = (cls: string, from: number, to: number, y: number) =>
    line(cls, acrossShare(from), acrossShare(to), y, y);
  return decorativeChart(
    "",
    ["100%", 20],
    [0, 0.5, 1].map((v) => line("grid", acrossShare(v), acrossShare(v), 0, 20)),
    isNumber(low) && isNumber(high) && across("whisker", low, high, 15),
    base !== null && [across("link", base, value, 9), dot("dot", acrossShare(base), 9, 4)],
    dot(base === null ? "dot" : "dot full", acrossShare(value), 9, 4),
  );
}

/** A filled bar for one share (how often a label was chosen), and below it a hollow one for another (how often it is right). */
export function bars(chosen: Maybe, gold: Maybe): SVGElement {
  const one = (cls: string, share: Maybe, y: number) =>
    bar(cls, 0, y, `${(100 * (share ?? 0)).toFixed(1)}%`, 7, { rx: 2 });
  return decorativeChart("", ["100%", 20], one("barchosen", chosen, 2), one("bargold", gold, 11));
}

/** A bar for each score, from the lowest; counts are tooltips and for screen readers. */
export function histogram(counts: Record<string, number>): SVGElement {
  const all = Object.entries(counts);
  const most = Math.max(1, ...all.map(([, n]) => n));
  const width = 100 / all.length;
  const words = all.map(([score, n]) => `${score}: ${n}`).join(", ");
  const one = ([score, n]: [string, number], i: number) => {
    const high = (23 * n) / most;
    return [
      bar("barchosen", `${i * width + 1.5}%`, 25 - high, `${width - 3}%`, Math.max(high, n ? 1.5 : 0)),
      label(`${(i + 0.5) * width}%`, 36, score, "middle"),
    ];
  };
  return image("hist", [16 * all.length, 38], words, withTooltip(words, all.map(one)));
}
