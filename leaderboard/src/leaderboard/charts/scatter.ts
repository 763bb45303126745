// Judge against metric: a scatter plot with a point for each cell.
import { isNumber, pct, twoDigits } from "../../common/numbers.ts";
import { shortened } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import type { OverModels, ScaleSummary } from "../../types/results.ts";
import { cellIndex, cellKey } from "../data.ts";
import { setNames } from "../filters.ts";
import { type JudgedCell, signedValue } from "../judged.ts";
import { tasks } from "../metric_choice.ts";
import { figure, isRaw, metricName, metricRow, span } from "../metrics.ts";
import { setLabel, taskName } from "../names.ts";
import type { Cell, MetricFigure, Task } from "../types.ts";
import { type Range, rangeOf, scale } from "./axis.ts";
import { scaleOf } from "./joint.ts";
import { labelOf, lookOf, pickedOf } from "./looks.ts";
import { horizontalInterval, label, line, namesBeside, Points, panels, upAxis } from "./marks.ts";

/** A point: a cell with the metric's value `m` (horizontal) and the judge's `mean` (vertical). */
interface JudgedPoint {
  c: JudgedCell;
  cell: Cell;
  x: number;
  y: number;
  m: MetricFigure;
  mean: ScaleSummary;
}

const GROUND = { width: 380, left: 30, right: 368, top: 12, bottom: 238 };

/** A panel for each task, with a marker for each model and set; those of the last set are large. The metric is horizontal, the
 *  judge's mean vertical. */
export function scatterPanels(judged: JudgedCell[], scale: string, metric: string, over: OverModels[]) {
  const cells = judged.flatMap((c): JudgedPoint[] => {
    const [cell, mean] = [cellIndex.get(cellKey(c)), c.scales?.[scale]];
    const m = cell?.metrics?.[metric];
    if (!cell || !m || !mean || !isNumber(m.value) || !isNumber(mean.value)) return [];
    return [{ c, cell, m, mean, x: m.value, y: mean.value }];
  });
  if (!cells.length) return null;
  const values = cells.flatMap(({ m }) => [m.value, m.low, m.high]);
  const frame = { metric, scale: scaleOf(judged[0], scale), range: rangeOf(values, metricRow(metric)?.top ?? 1) };
  const panel = (task: Task) => {
    const mine = cells.filter((p) => p.c.task === task.name);
    return mine.length > 0 && scatterPanel(task, mine, { ...frame, over: over.filter((r) => r.task === task.name) });
  };
  return panels("judge-scatter", tasks.map(panel));
}

interface Scatter {
  metric: string;
  range: Range;
  scale: [low: number, high: number];
  over: OverModels[];
}
function scatterPanel(task: Task, cells: JudgedPoint[], { metric, range, scale: ends, over }: Scatter): HTMLElement {
  const { left, right, top, bottom, width } = GROUND;
  const across = scale(range.low, range.high, left + 8, right - 8);
  const [low, high] = ends;
  const up = scale(low, high, bottom - 8, top + 8);
  const frame = { ground: GROUND, across, up };
  const picked = pickedOf(cells.map((p) => p.c.id));
  const last = setNames().at(-1);
  const size = (p: JudgedPoint) => (p.c.set === last ? 5.5 : 3.5);
  // A model has its name beside one of its markers.
  const names = namesBeside(cells, {
    at: (p) => [across(p.x), up(p.y), size(p)],
    name: (p) => shortened(labelOf(p.c.id), 130),
    key: (p) => p.c.id,
    weight: ({ c }) => (picked.includes(c.id) ? 2 : 0) + (c.set === last ? 1 : 0),
    ground: GROUND,
  });
  const points = new Points();
  const one = (p: JudgedPoint) => {
    const { c, cell, m, mean } = p;
    const words = wordsOf(p, metric);
    const level = isNumber(m.low) && isNumber(m.high) && horizontalInterval(across(m.low), across(m.high), up(p.y));
    return points.series(frame, {
      line: `${c.id} ${c.set}`,
      look: lookOf(c.id),
      cls: picked.length && !picked.includes(c.id) ? "dim" : "",
      more: { "data-model": labelOf(c.id) },
      points: [{ at: p.x, value: p.y, low: mean.low, high: mean.high, words, cell }],
      r: size(p),
      below: [level, names.get(p)],
    });
  };
  const steps = Array.from({ length: high - low + 1 }, (_, i) => low + i);
  const levels = steps.filter((v) => high - low <= 10 || (v - low) % 10 === 0);
  const rhos = over
    .filter((r) => isNumber(r.metrics[metric]?.spearman))
    .map((r) => `${setLabel(r.set)} ρ ${signedValue(r.metrics[metric].spearman)}`);
  return points.panel(
    {
      data: { "data-task": task.name },
      title: taskName(task),
      small: rhos.length > 0 ? `${t("overModels", over[0].models)}: ${rhos.join(" · ")}` : null,
      cls: "curve scatter",
      size: [width, bottom + 36],
      words: `${taskName(task)}: ${t("judgeMean")}, ${metricName(metric)}. ${t("linesLabel", new Set(cells.map((p) => p.c.id)).size)}`,
    },
    upAxis(frame, levels, String),
    range.ticks.map((v) => [
      line("grid", across(v), across(v), top, bottom),
      label(across(v), bottom + 14, isRaw(metric) ? +v.toFixed(2) : pct(v, 0), "middle"),
    ]),
    label((left + right) / 2, bottom + 31, metricName(metric) + (isRaw(metric) ? "" : " %"), "middle"),
    cells.map(one),
  );
}

function wordsOf({ c, m, mean }: JudgedPoint, metric: string): string {
  const judged = isNumber(mean.low) ? ` (${twoDigits(mean.low)}–${twoDigits(mean.high)})` : "";
  const between = span(metric, m.low, m.high, 1);
  const where = [labelOf(c.id), setLabel(c.set), ...(c.perturb === "none" ? [] : [c.perturb])].join(", ");
  const measured = `${metricName(metric)} ${figure(metric, m.value)}${between && ` (${between})`}`;
  return `${where}: ${t("judge")} ${twoDigits(mean.value)}${judged}, ${measured}`;
}
