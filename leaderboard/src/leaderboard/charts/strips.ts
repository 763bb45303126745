// Small charts inside a table.
import { s } from "../../common/dom.ts";
import { isNumber } from "../../common/numbers.ts";
import { place } from "./axis.ts";

/** Value beside base on a line from 0 to 100 %; the numbers stand in the row. */
export function strip(value, base, whisker) {
  const line = (cls, x1, x2, y1, y2) => s("line", { class: cls, x1: place(x1), x2: place(x2), y1, y2 });
  return s(
    "svg",
    { class: "plot", width: "100%", height: 20, "aria-hidden": "true" },
    [0, 0.5, 1].map((v) => line("grid", v, v, 0, 20)),
    isNumber(whisker.low) && line("whisker", whisker.low, whisker.high, 15, 15),
    base !== null && line("link", base, value, 9, 9),
    base !== null && s("circle", { class: "dot", cx: place(base), cy: 9, r: 4 }),
    s("circle", { class: `dot ${base === null ? "" : "full"}`, cx: place(value), cy: 9, r: 4 }),
  );
}

/** Chosen as a filled bar, gold as a hollow one below it. */
export function bars(chosen, gold) {
  const bar = (share, y, cls) =>
    s("rect", { class: cls, x: 0, y, width: `${(100 * (share ?? 0)).toFixed(1)}%`, height: 7, rx: 2 });
  return s(
    "svg",
    { class: "plot", width: "100%", height: 20, "aria-hidden": "true" },
    bar(chosen, 2, "barchosen"),
    bar(gold, 11, "bargold"),
  );
}

/** A bar a score, from the lowest; its count below the pointer and for readers of the screen. */
export function histogram(counts) {
  const all = Object.entries(counts),
    most = Math.max(1, ...all.map(([, n]) => n)),
    width = 100 / all.length;
  const text = all.map(([score, n]) => `${score}: ${n}`).join(", ");
  return s(
    "svg",
    { class: "plot hist", width: 16 * all.length, height: 38, role: "img", "aria-label": text },
    s("title", null, text),
    all.map(([score, n], i) => [
      s("rect", {
        class: "barchosen",
        x: `${i * width + 1.5}%`,
        width: `${width - 3}%`,
        y: 25 - (23 * n) / most,
        height: Math.max((23 * n) / most, n ? 1.5 : 0),
      }),
      s("text", { x: `${(i + 0.5) * width}%`, y: 36, "text-anchor": "middle" }, score),
    ]),
  );
}
