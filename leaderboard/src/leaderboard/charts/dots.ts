// A row a model, a dot a set, with whiskers.
import { h, s } from "../../common/dom.ts";
import { isNumber, pct } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { chanceOf, published } from "../columns.ts";
import { manyBenchmarks, nameNode } from "../data.ts";
import { haveIntervals, perturbOf, scoringOf, setsOf } from "../filters.ts";
import { figure, isRaw, metricName, span } from "../metrics.ts";
import { perturbName, setClass, setLabel, taskName } from "../names.ts";
import { metricOf } from "../offered.ts";
import { state } from "../state.ts";
import { place, ROW } from "./axis.ts";

/** Where the axis of a panel begins and ends: 0 to 1, or for a metric that is no share, round numbers around all that is drawn. */
export function axisEnds(metric, rows, task, sets, paper) {
  if (!isRaw(metric)) return [0, 1];
  const drawn = rows.flatMap((r) =>
    sets.flatMap((x) => {
      const m = r.metric(x, task);
      return [m?.value, ...(state.intervals ? [m?.low, m?.high] : [])];
    }),
  );
  const found = [0, ...drawn.filter(isNumber), ...paper.flatMap(([, list]) => list.map(([, e]) => e.value))],
    round = (most) => [0.5, 1, 2, 4, 6, 8].find((x) => x >= most) ?? 10;
  return [Math.min(...found) < 0 ? -round(-Math.min(...found)) : 0, round(Math.max(...found))];
}

export function panel(task, every) {
  const sets = setsOf(task),
    metric = metricOf(task),
    rows = every.filter((r) => !manyBenchmarks() || sets.some((x) => r.metric(x, task)));
  const chance = sets.map((x) => chanceOf(x, task)).filter((v) => v !== null);
  const paper = state.published
    ? sets.map((x) => [x, [...published(x, task.name, metric)].filter(([m]) => m !== "Average")])
    : [];
  const [low, end] = axisEnds(metric, rows, task, sets, paper),
    across = (v) => place((v - low) / (end - low));
  const inPaper = new Set(paper.flatMap(([, list]) => list.map(([m]) => m))).size;
  const height = (rows.length + (inPaper > 0)) * ROW;
  const words = rows
    .map((r) => `${plain(r.label)} ${sets.map((x) => `${setLabel(x)} ${figure(metric, r.value(x, task))}`).join(", ")}`)
    .join("; ");
  const plot = s(
    "svg",
    { class: "plot", width: "100%", height: height + 20, role: "img", "aria-label": `${taskName(task)}: ${words}` },
    [0, 0.25, 0.5, 0.75, 1].map((v) => s("line", { class: "grid", x1: place(v), x2: place(v), y1: 0, y2: height })),
    [0, 0.5, 1].map((v, i) =>
      s(
        "text",
        { x: place(v), y: height + 15, "text-anchor": ["start", "middle", "end"][i] },
        isRaw(metric) ? String(low + v * (end - low)) : pct(v, 0),
      ),
    ),
    [...new Set(chance.map(across))].map((x) => s("line", { class: "chance", x1: x, x2: x, y1: 0, y2: height })),
    rows.map((r, i) => dots(r, task, sets, i * ROW + ROW / 2, across)),
    paper.map(([set, list]) =>
      list.map(([m, e]) =>
        s(
          "rect",
          {
            class: `tick ${setClass(set, task)}`,
            x: across(e.value),
            y: rows.length * ROW + 4 + 8 * Math.min(1, sets.indexOf(set)),
            width: 2,
            height: 7,
          },
          s("title", null, `${m}, ${setLabel(set)} ${figure(metric, e.value)} (${e.sources.join(", ")})`),
        ),
      ),
    ),
  );
  return h(
    "figure",
    { class: "panel" },
    h(
      "figcaption",
      null,
      h("strong", null, taskName(task)),
      h(
        "small",
        null,
        metricName(metric),
        scoringOf(task) !== "generate" && ` · ${t(scoringOf(task))}`,
        perturbOf(task) !== "none" && ` · ${perturbName(state.perturb)}`,
        chance.length > 0 && ` · ${t("chanceIs", pct(chance.at(-1)))}`,
      ),
    ),
    h(
      "div",
      { class: "plotrow" },
      h(
        "div",
        { class: "names" },
        rows.map((r) => h("div", { class: r.model.baseline ? "muted" : "" }, nameNode(r.model))),
        inPaper > 0 && h("div", { class: "muted" }, t("paperRow", inPaper)),
      ),
      plot,
    ),
  );
}

/** A dot a set, joined by a line; with intervals each set has its own height, and whiskers in place of the line. */
export function dots(row, task, sets, y, across) {
  const metric = metricOf(task),
    whiskers = state.intervals && haveIntervals();
  const points = sets
    .map((set, i) => ({
      set,
      m: row.metric(set, task),
      y: whiskers ? y + (i - (sets.length - 1) / 2) * Math.min(9, 18 / (sets.length - 1)) : y,
    }))
    .filter((p) => isNumber(p.m?.value));
  const line = (cls, x1, x2, y1, y2) => s("line", { class: cls, x1: across(x1), x2: across(x2), y1, y2 });
  const whisker = (p) =>
    span(metric, p.m.low, p.m.high) &&
    s(
      "g",
      { class: "whisker" },
      line("", p.m.low, p.m.high, p.y, p.y),
      [p.m.low, p.m.high].map((v) => line("", v, v, p.y - 2.5, p.y + 2.5)),
    );
  const words = (p) =>
    `${plain(row.label)}, ${setLabel(p.set)} ${figure(metric, p.m.value)} ${span(metric, p.m.low, p.m.high, 1).replace(/.+/, "($&)")}`.trim();
  return s(
    "g",
    { class: row.model.baseline ? "base" : "own" },
    whiskers ? points.map(whisker) : points.length > 1 && line("link", points[0].m.value, points.at(-1).m.value, y, y),
    points.map((p) =>
      s(
        "circle",
        {
          class: `dot ${setClass(p.set, task)}`,
          cx: across(p.m.value),
          cy: p.y,
          r: whiskers ? 3.5 : setClass(p.set, task) === "set0" ? 5 : 4.5,
        },
        s("title", null, words(p)),
      ),
    ),
  );
}
