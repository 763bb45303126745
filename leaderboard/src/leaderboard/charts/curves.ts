// Learning curves: values over numbers of training items, a line a set or a perturbation.
import type { Kid } from "../../common/dom.ts";
import { isNumber, num, pct } from "../../common/numbers.ts";
import { plain, wide } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import type { Before, Curve, CurvePoint } from "../../types/results.ts";
import { metricName } from "../metrics.ts";
import { taskName } from "../names.ts";
import { cellOf, unansweredNote } from "../result_rows.ts";
import type { Task } from "../types.ts";
import { labelled, offsetOf, PLOT, QUARTERS, scale } from "./axis.ts";
import { colourOf, dashOf, glyph } from "./glyphs.ts";
import { between, chanceLine, group, type LinePoint, label, line, Points, upAxis } from "./marks.ts";

export interface Series {
  row: Curve & { run: number };
  name: string;
  look: number;
}

/** The base model's figure, which no training item made, and those of the adapters. */
function valuesOf({ row, name }: Series): LinePoint[] {
  const value = (m: Before | CurvePoint, at: number, what: string, model?: string): LinePoint => {
    const cell = model === undefined ? undefined : cellOf(row, model);
    const words = `${name}, ${what}: ${pct(m.value)} %${between(m)}${unansweredNote(cell)}`;
    return { at, value: m.value, low: m.low, high: m.high, words, cell, alone: at === 0 };
  };
  const adapters = row.points.map((p) => {
    if (p.seeds.length === 1) return value(p, p.size, t("nItems", num(p.size)), p.seeds[0].model);
    return value(p, p.size, `${t("nItems", num(p.size))}, ${t("nSeeds", p.seeds.length)}`);
  });
  return row.before ? [value(row.before, 0, t("base"), row.base), ...adapters] : adapters;
}

export function curvePanel(task: Task, series: Series[]): HTMLElement {
  const metric = metricName(series[0].row.metric);
  const sizes = [...new Set([0, ...series.flatMap(({ row }) => row.points.map((p) => p.size))])];
  const across = scale(0, Math.max(...sizes), PLOT.left + 8, PLOT.right - 8);
  const frame = { ground: PLOT, across, up: scale(0, 1, PLOT.bottom, PLOT.top) };
  const chances = [...new Set(series.map(({ row }) => row.chance))].filter(isNumber);
  const legend = legendOf(series, chances.length > 0);
  const values = (one: Series) => valuesOf(one).map((m) => `${m.at || t("base")} ${pct(m.value)}`);
  const told = (one: Series) => `${one.name}: ${values(one).join(", ")}`;
  const points = new Points();
  const one = (one: Series, i: number) => {
    const base = one.row.before?.value;
    return points.series(frame, {
      line: one.name,
      look: one.look,
      more: { "data-series": one.name },
      points: valuesOf(one),
      dash: dashOf(one.look),
      shift: offsetOf(i, series.length, 3, 10), // so that whiskers do not cover each other
      cap: 3,
      reach: 10,
      below: isNumber(base) && line("baseline", PLOT.left, PLOT.right, frame.up(base), frame.up(base)),
    });
  };
  return points.panel(
    {
      data: { "data-task": task.name },
      title: taskName(task),
      small: `${metric} %`,
      cls: "curve",
      size: [PLOT.width, legend.bottom],
      words: `${taskName(task)}, ${metric} %. ${series.map(told).join("; ")}`,
    },
    upAxis(frame, QUARTERS, (v) => pct(v, 0)),
    sizes.map((v) => line("grid", across(v), across(v), PLOT.bottom, PLOT.bottom + 4)),
    labelled(sizes, across).map((v) => label(across(v), PLOT.bottom + 17, String(v), "middle")),
    label((PLOT.left + PLOT.right) / 2, PLOT.bottom + 33, t("trainingItems"), "middle"),
    chances.map((v) => chanceLine(frame, v)),
    series.map(one),
    legend.nodes,
  );
}

/** The legend of the lines, in rows below the axis; and the end of its last row. */
function legendOf(series: Series[], chance: boolean) {
  const base = series.some(({ row }) => row.before);
  const stroke = (cls: string, dash?: string) => (x: number, y: number) =>
    line(cls, x, x + 25, y, y, { "stroke-dasharray": dash });
  const entries: [cls: string, name: string, sample: (x: number, y: number) => Kid][] = series.map(({ name, look }) => [
    `series ${colourOf(look)}`,
    plain(name),
    (x, y) => [stroke("path", dashOf(look))(x, y), glyph(look, x + 12.5, y)],
  ]);
  if (base) entries.push(["series", t("baseLine"), stroke("baseline")]);
  if (chance) entries.push(["", t("chance"), stroke("chance dotted")]);
  let [x, y] = [PLOT.left, PLOT.bottom + 54];
  const nodes = entries.map(([cls, name, sample]) => {
    const width = 36 + wide(name);
    if (x + width > PLOT.width && x > PLOT.left) [x, y] = [PLOT.left, y + 17];
    const node = group(cls, null, sample(x, y - 4), label(x + 30, y, name));
    x += width + 8;
    return node;
  });
  return { nodes, bottom: y + 6 };
}
