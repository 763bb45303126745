// Judge against metric: means of cells, and items.
import { h } from "../../common/dom.ts";
import { isNumber } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import type { OverModels } from "../../types/results.ts";
import { rangeOf } from "../charts/axis.ts";
import { jointPanel } from "../charts/joint.ts";
import { pickedOf } from "../charts/looks.ts";
import { scatterPanel } from "../charts/scatter.ts";
import { cellIndex, placeOf } from "../data.ts";
import type { JudgedHere } from "../judged.ts";
import { metricRow } from "../metrics.ts";
import { tasks } from "../offered.ts";

/** A panel a task: a marker a model and set, the metric across, the judge's mean up. */
export function scatterPanels(cells: JudgedHere[], scale: string, metric: string, over: OverModels[]) {
  const [, low, high] = cells[0]?.facts.scales.find(([name]) => name === scale) ?? [];
  const spots = cells
    .map((c) => ({ c, mean: c.scales[scale], cell: cellIndex.get(placeOf(c)) }))
    .map((p) => ({ ...p, m: p.cell?.metrics?.[metric] }))
    .filter((p) => isNumber(p.mean.value) && isNumber(p.m?.value));
  if (!spots.length) return null;
  const values = spots.flatMap(({ m }) => [m?.value, m?.low, m?.high]);
  const range = rangeOf(values, metricRow(metric)?.top ?? 1);
  const panels = tasks.map((task) => ({ task, list: spots.filter((p) => p.c.task === task.name) }));
  return h(
    "div",
    { class: "panels", id: "judge-scatter" },
    panels
      .filter(({ list }) => list.length)
      .map(({ task, list }) =>
        scatterPanel(task, list, { metric, range, low, high, over: over.filter((r) => r.task === task.name) }),
      ),
  );
}

/** A panel a model: how many items have each score and each tenth of the metric. */
export function jointPanels(cells: JudgedHere[], scale: string, metric: string) {
  const there = cells.filter((c) => c.scales[scale].joint?.[metric]);
  if (!there.length) return h("p", { class: "notice" }, t("jointNone"));
  const picked: string[] = pickedOf(there.map((c) => c.id));
  const shown = picked.length ? there.filter((c) => picked.includes(c.id)) : there;
  return h(
    "div",
    { class: "panels joints", id: "judge-joint" },
    shown.map((c) => jointPanel(c, c.scales[scale], scale, metric)),
  );
}
