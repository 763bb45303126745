// Judge against metric: the number of items with each score of the judge and each tenth of the metric.
import { para } from "../../common/dom.ts";
import { isNumber, num } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import type { ScaleSummary } from "../../types/results.ts";
import { cellIndex, cellKey } from "../data.ts";
import { type JudgedCell, signedValue } from "../judged.ts";
import { isRaw, metricName, metricRow } from "../metrics.ts";
import { evidenceButton } from "../tables/cells.ts";
import { labelOf, nameOf, pickedOf } from "./looks.ts";
import { bar, image, label, panel, panels, path } from "./marks.ts";

const SIDE = { wide: 26, high: 20 };
const LEFT = 22;
const TENTHS = 10;

/** Numbers of items: a row for each score, with a count for each tenth of the metric. On a scale of more than ten scores, neighbouring
 *  scores share a row. */
function counted(histogram: Record<string, string>, low: number, high: number): number[][] {
  const steps = high - low + 1;
  const rows = Math.min(TENTHS, steps);
  const counts = Array.from({ length: rows }, () => Array<number>(TENTHS).fill(0));
  for (const [score, list] of Object.entries(histogram)) {
    const row = counts[Math.min(rows - 1, Math.floor(((Number(score) - low) * rows) / steps))];
    for (const [i, n] of list.split(" ").entries()) row[i] += Number(n);
  }
  return counts;
}

/** The lowest and the highest score of a judge's scale. */
export function scaleOf(c: JudgedCell, scale: string): [low: number, high: number] {
  const [, low, high] = c.facts.scales.find(([name]) => name === scale) ?? [];
  return [Number(low), Number(high)];
}

/** A panel for each model: the number of items with each score and each tenth of the metric. */
export function jointPanels(cells: JudgedCell[], scale: string, metric: string): HTMLElement {
  const there = cells.filter((c) => c.scales?.[scale]?.joint?.[metric]);
  const picked = pickedOf(there.map((c) => c.id));
  const shown = picked.length ? there.filter((c) => picked.includes(c.id)) : there;
  if (!there.length) return para("notice", t("jointNone"));
  const drawn = shown.map((c) => c.scales?.[scale] && jointPanel(c, c.scales[scale], scaleOf(c, scale), metric));
  return panels("judge-joint", drawn, "joints");
}

function jointPanel(c: JudgedCell, numbers: ScaleSummary, [low, high]: [number, number], metric: string) {
  const histogram = (numbers.joint?.[metric] ?? {}) as Record<string, string>;
  const counts = counted(histogram, low, high);
  const most = Math.max(1, ...counts.flat());
  const [wide, tall, bottom] = [TENTHS * SIDE.wide, SIDE.high, counts.length * SIDE.high];
  const y = (i: number) => bottom - (i + 1) * tall;
  const tile = (n: number, i: number, j: number) => {
    const opacity = (0.1 + 0.4 * (n / most)).toFixed(2);
    return [
      bar("tile", LEFT + j * SIDE.wide + 0.5, y(i) + 0.5, SIDE.wide - 1, tall - 1, { opacity }),
      label(LEFT + (j + 0.5) * SIDE.wide, y(i) + 14, num(n), "middle", { class: "count" }),
    ];
  };
  const upright = Array.from({ length: TENTHS + 1 }, (_, i) => `M${LEFT + i * SIDE.wide} 0v${bottom}`);
  const lying = Array.from({ length: counts.length + 1 }, (_, i) => `M${LEFT} ${i * tall}h${wide}`);
  const edge = (tenth: number) => (isRaw(metric) ? (tenth * (metricRow(metric)?.top ?? 1)) / TENTHS : tenth * 10);
  const from = (i: number) => low + Math.ceil((i * (high - low + 1)) / counts.length);
  const list = Object.entries(histogram).map(([score, tenths]) => `${score}: ${tenths}`);
  const chart = image(
    "curve joint",
    [LEFT + wide + 6, bottom + 32],
    `${labelOf(c.id)}, ${t("jointLabel", metricName(metric))} ${list.join("; ")}`,
    bar("floor", LEFT, 0, wide, bottom),
    path("grid", [...upright, ...lying].join("")),
    counts.map((row, i) => [label(LEFT - 6, y(i) + 14, from(i), "end"), row.map((n, j) => n > 0 && tile(n, i, j))]),
    label(LEFT, bottom + 13, edge(0)),
    label(LEFT + wide / 2, bottom + 13, edge(5), "middle"),
    label(LEFT + wide, bottom + 13, edge(10), "end"),
    label(LEFT + wide / 2, bottom + 28, metricName(metric) + (isRaw(metric) ? "" : " %"), "middle"),
  );
  const x = numbers.metrics?.[metric];
  const small = [
    `ρ ${signedValue(x?.spearman)}`,
    isNumber(x?.spearman_low) && ` (${signedValue(x?.spearman_low)} … ${signedValue(x?.spearman_high)})`,
    ` · n=${num(numbers.n)}`,
  ];
  const title = evidenceButton(cellIndex.get(cellKey(c)), nameOf(c.id));
  return panel({ data: { "data-joint": labelOf(c.id) }, title, small }, chart);
}
