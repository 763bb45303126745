// A chart with a row for each model and a dot with whiskers for each set.
import { div } from "../../common/dom.ts";
import { isNumber, pct } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import { chanceOf, entryAt, type OwnRow, published } from "../columns.ts";
import { manyBenchmarks } from "../data.ts";
import { estimateWords } from "../details.ts";
import { cellAt, haveIntervals, perturbOf, scoringOf, setsOf } from "../filters.ts";
import { metricOf } from "../metric_choice.ts";
import { figure, isRaw, metricName, span } from "../metrics.ts";
import { chanceWords, perturbName, setClass, setLabel, taskName } from "../names.ts";
import { state } from "../state.ts";
import type { MetricFigure, Task } from "../types.ts";
import { type Length, QUARTERS, ROW, shareScale } from "./axis.ts";
import { bar, dot, group, horizontalInterval, line, Points, rowAxis, rowMiddle, withTooltip } from "./marks.ts";

/** A published figure, drawn as a tick below the rows of models. */
interface PaperPoint {
  set: string | null;
  model: string;
  value: number;
  sources: string[];
}
/** The things that all rows of a panel need: task, metric, sets, scale and the list of points. */
interface SharedByRows {
  task: Task;
  metric: string;
  sets: (string | null)[];
  whiskers: boolean;
  across: (value: number) => Length;
  points: Points;
}

/** The ends of the axis: 0 and 1; round numbers around all drawn values for a metric that is no share. */
function axisEnds(metric: string, rows: OwnRow[], task: Task, sets: (string | null)[], paper: PaperPoint[]) {
  if (!isRaw(metric)) return [0, 1];
  const drawn = rows
    .flatMap((r) => sets.map((x) => r.metric(x, task)))
    .flatMap((m) => (state.intervals ? [m?.value, m?.low, m?.high] : [m?.value]));
  const values = [0, ...drawn.filter(isNumber), ...paper.map((x) => x.value)];
  const round = (most: number) => [0.5, 1, 2, 4, 6, 8].find((x) => x >= most) ?? 10;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return [low < 0 ? -round(-low) : 0, round(high)];
}

function paperOf(task: Task, metric: string, sets: (string | null)[]): PaperPoint[] {
  if (!state.published) return [];
  return sets.flatMap((set) =>
    [...published(set, task.name, metric)]
      .filter(([model]) => model !== "Average")
      .map(([model, { value, sources }]) => ({ set, model, value, sources })),
  );
}

export function dotPanel(task: Task, every: OwnRow[]): HTMLElement {
  const sets = setsOf(task);
  const metric = metricOf(task);
  const rows = every.filter((r) => !manyBenchmarks() || sets.some((x) => r.metric(x, task)));
  const paper = paperOf(task, metric, sets);
  const inPaper = new Set(paper.map((x) => x.model)).size;
  const chance = sets.map((x) => (x === null ? null : chanceOf(x, task))).filter(isNumber);
  const [low, high] = axisEnds(metric, rows, task, sets, paper);
  const across = shareScale(low, high);
  const ticks = QUARTERS.map((v) => low + v * (high - low));
  const named = [ticks[0], ticks[2], ticks[4]];
  const labels = named.map((v): [string, string] => [across(v), isRaw(metric) ? String(v) : pct(v, 0)]);
  const height = (rows.length + (inPaper > 0 ? 1 : 0)) * ROW;
  const describe = (r: OwnRow) =>
    sets.map((x) => `${setLabel(x)} ${figure(metric, r.value(x, task))}${estimated(r, x, task)}`).join(", ");
  const small = [
    metricName(metric),
    scoringOf(task) !== "generate" && t(scoringOf(task)),
    perturbOf(task) !== "none" && perturbName(state.perturb),
    chance.length > 0 && chanceWords(chance),
  ];
  const tick = ({ set, model, value, sources }: PaperPoint) => {
    const y = rows.length * ROW + (sets.indexOf(set) > 0 ? 12 : 4);
    const words = `${model}, ${setLabel(set)} ${figure(metric, value)} (${sources.join(", ")})`;
    return withTooltip(words, bar(`tick ${setClass(set, task)}`, across(value), y, 2, 7));
  };
  const models = rows.map((r) => r.model);
  const whiskers = state.intervals && haveIntervals();
  const points = new Points();
  const last = inPaper > 0 && div("muted", t("paperRow", inPaper));
  return points.panel(
    {
      data: {},
      title: taskName(task),
      small: small.filter(Boolean).join(" · "),
      cls: "",
      size: ["100%", height + 20],
      words: `${taskName(task)}: ${rows.map((r) => `${r.label} ${describe(r)}`).join("; ")}`,
      rows: { models, last },
    },
    rowAxis(ticks.map(across), labels, height),
    [...new Set(chance.map(across))].map((x) => line("chance", x, x, 0, height)),
    rows.map((r, i) => dots(r, rowMiddle(i), { task, metric, sets, whiskers, across, points })),
    paper.map(tick),
  );
}

/** Words that say that a value, or a part of a mean, is estimated; "" if it is not. */
function estimated(row: OwnRow, set: string | null, task: Task): string {
  const entry = entryAt(row.model.id, { set, task });
  if (!entry) return "";
  return "sets" in entry ? (entry.estimates ? " · ≈" : "") : estimateWords([entry]);
}

/** A dot for each set, joined by a line. With intervals, each set has its own height, and whiskers replace the line. */
function dots(row: OwnRow, y: number, { task, metric, sets, whiskers, across, points }: SharedByRows) {
  const step = whiskers ? Math.min(9, 18 / (sets.length - 1)) : 0;
  const there = sets
    .map((set, i) => ({ set, m: row.metric(set, task), y: y + (i - (sets.length - 1) / 2) * step }))
    .filter((p): p is { set: string | null; m: MetricFigure & { value: number }; y: number } => isNumber(p.m?.value));
  const values = there.map((p) => p.m.value);
  return group(
    row.model.baseline ? "base" : "own",
    null,
    whiskers
      ? there.map(
          ({ m, y }) =>
            isNumber(m.low) && isNumber(m.high) && horizontalInterval(across(m.low), across(m.high), y, 2.5),
        )
      : values.length > 1 && line("link", across(values[0]), across(values[values.length - 1]), y, y),
    there.map(({ set, m, y }) => {
      const cls = setClass(set, task);
      const between = span(metric, m.low, m.high, 1);
      const cell = set === null ? undefined : cellAt(row.model.id, set, task.name);
      const partly = estimated(row, set, task);
      const words = `${row.label}, ${setLabel(set)} ${figure(metric, m.value)}${between && ` (${between})`}${partly}`;
      const point = { x: across(m.value), y, words, cell, line: row.model.id, at: set, reach: whiskers ? 6 : 9 };
      return points.point(point, (px, py) =>
        dot(`dot ${cls}${partly && " partly"}`, px, py, whiskers ? 3.5 : cls === "set0" ? 5 : 4.5),
      );
    }),
  );
}
