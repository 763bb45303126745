// Learning curves, and what labels adapters choose.
import { h, put, s } from "../../common/dom.ts";
import { isNumber, num, pct } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { metricName } from "../metrics.ts";
import { taskName } from "../names.ts";
import { cellOf, silentOf } from "../told.ts";
import { PLOT } from "./axis.ts";
import { colourOf, glyph, LOOKS } from "./looks.ts";

export function curvePanel(task, series) {
  const largest = Math.max(...series.flatMap(({ row }) => row.points.map((p) => p.size))),
    metric = series[0].row.metric;
  const across = (size) => PLOT.left + 8 + (size / largest) * (PLOT.right - PLOT.left - 16),
    up = (v) => PLOT.bottom - v * (PLOT.bottom - PLOT.top);
  const readout = h("p", { class: "note readout unsaved", "aria-hidden": "true" }, "\u00a0");
  const line = (cls, x1, y1, x2, y2) => s("line", { class: cls, x1, x2, y1, y2 });
  const chances = [...new Set(series.map(({ row }) => row.chance).filter(isNumber))],
    legend = legendOf(
      series,
      chances.length > 0,
      series.some(({ row }) => row.before),
    );
  const summary = series
    .map(
      ({ row, name }) =>
        `${name}: ${[row.before && `${t("base")} ${pct(row.before.value)}`, ...row.points.map((p) => `${p.size} ${pct(p.value)}`)].filter(Boolean).join(", ")}`,
    )
    .join("; ");
  const plot = s(
    "svg",
    {
      class: "plot curve",
      viewBox: `0 0 ${PLOT.width} ${legend.bottom}`,
      role: "group",
      "aria-label": `${taskName(task)}, ${metricName(metric)} %. ${summary}`,
    },
    [0, 0.25, 0.5, 0.75, 1].map((v) => [
      line("grid", PLOT.left, up(v), PLOT.right, up(v)),
      s("text", { x: PLOT.left - 5, y: up(v) + 4, "text-anchor": "end" }, pct(v, 0)),
    ]),
    ticks(series, across).map(([size, label]) => [
      line("grid", across(size), PLOT.bottom, across(size), PLOT.bottom + 4),
      label && s("text", { x: across(size), y: PLOT.bottom + 17, "text-anchor": "middle" }, plain(size)),
    ]),
    s("text", { x: (PLOT.left + PLOT.right) / 2, y: PLOT.bottom + 33, "text-anchor": "middle" }, t("trainingItems")),
    chances.map((v) => line("chance dotted", PLOT.left, up(v), PLOT.right, up(v))),
    series.map((one, i) =>
      curve(one, (i - (series.length - 1) / 2) * Math.min(3, 10 / series.length), across, up, readout),
    ),
    legend.nodes,
  );
  return h(
    "figure",
    { class: "panel", "data-task": task.name },
    h("figcaption", null, h("strong", null, taskName(task)), h("small", null, `${metricName(metric)} %`)),
    plot,
    readout,
  );
}

/** Sizes on the axis; a label that would touch its neighbour is left out, from the right. */
export function ticks(series, across) {
  const sizes = [...new Set([0, ...series.flatMap(({ row }) => row.points.map((p) => p.size))])].sort((a, b) => b - a);
  let free = Infinity;
  return sizes.map((size) => {
    const half = 3.6 * String(size).length,
      fits = across(size) + half < free && (size === 0 || across(size) - half > across(0) + 8);
    if (fits) free = across(size) - half - 4;
    return [size, fits];
  });
}

/** A line with its markers and whiskers, moved aside by `shift` so that whiskers do not cover each other, and its base. */
export function curve({ row, name, look }, shift, across, up, readout) {
  const at = (p) => [across(p.size) + shift, up(p.value)],
    before = row.before;
  const whisker = (x, m) =>
    isNumber(m.low) &&
    s("path", {
      class: "whisker",
      d: `M${x} ${up(m.low)}V${up(m.high)}M${x - 3} ${up(m.low)}h6M${x - 3} ${up(m.high)}h6`,
    });
  const between = (m) => (isNumber(m.low) ? ` (${pct(m.low)}–${pct(m.high)})` : "");
  const spot = (x, m, label, model) => {
    const cell = model !== undefined && cellOf(row, model),
      words = `${label}: ${pct(m.value)} %${between(m)}${silentOf(cell)}`,
      show = () => {
        put(readout, words);
      };
    const enter = cell && (() => go(cellRoute(cell)));
    return s(
      "g",
      {
        class: "spot",
        tabindex: 0,
        role: cell ? "button" : "img",
        "aria-label": words,
        onmouseenter: show,
        onfocus: show,
        onclick: enter || show,
        onkeydown:
          enter &&
          ((e) => {
            if (e.key === "Enter" || e.key === " ") {
              e.preventDefault();
              enter();
            }
          }),
      },
      s("circle", { class: "hit", cx: x, cy: up(m.value), r: 10 }),
      glyph(look, x, up(m.value)),
      s("title", null, words),
    );
  };
  return s(
    "g",
    { class: `series ${colourOf(look)}`, "data-series": name },
    before &&
      s("line", { class: "baseline", x1: PLOT.left, x2: PLOT.right, y1: up(before.value), y2: up(before.value) }),
    before && whisker(across(0) + shift, before),
    row.points.length > 1 &&
      s("polyline", {
        class: "path",
        "stroke-dasharray": LOOKS[look][0],
        points: row.points
          .map((p) =>
            at(p)
              .map((v) => v.toFixed(1))
              .join(","),
          )
          .join(" "),
      }),
    row.points.map((p) => whisker(at(p)[0], p)),
    before && spot(across(0) + shift, before, `${name}, ${t("base")}`, row.base),
    row.points.map((p) =>
      spot(
        at(p)[0],
        p,
        `${name}, ${t("nItems", num(p.size))}${p.seeds.length > 1 ? `, ${t("nSeeds", p.seeds.length)}` : ""}`,
        p.seeds.length > 1 ? undefined : p.seeds[0].model,
      ),
    ),
  );
}

export function legendOf(series, chance, base) {
  let x = PLOT.left,
    y = PLOT.bottom + 54;
  const entry = (cls, sample, text) => {
    const width = 36 + [...text].reduce((sum, c) => sum + (c > "\u2e80" ? 11.5 : 6.3), 0);
    if (x + width > PLOT.width && x > PLOT.left) {
      x = PLOT.left;
      y += 17;
    }
    const node = s("g", { class: cls }, sample(x, y - 4), s("text", { x: x + 30, y }, text));
    x += width + 8;
    return node;
  };
  const stroke = (cls, dash) => (a, b) =>
    s("line", { class: cls, x1: a, x2: a + 25, y1: b, y2: b, "stroke-dasharray": dash });
  const nodes = series.map(({ name, look }) =>
    entry(
      `series ${colourOf(look)}`,
      (a, b) => [stroke("path", LOOKS[look][0])(a, b), glyph(look, a + 12.5, b)],
      plain(name),
    ),
  );
  if (base) nodes.push(entry("series", stroke("baseline"), t("baseLine")));
  if (chance) nodes.push(entry("", stroke("chance dotted"), t("chance")));
  return { nodes, bottom: y + 6 };
}
