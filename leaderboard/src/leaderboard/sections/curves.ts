// Learning curves of LoRA sweeps.
import { button, h, type Kid } from "../../common/dom.ts";
import { num, sumOf } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import type { Before, CurvePoint, LabelCheck } from "../../types/results.ts";
import { curvePanel } from "../charts/curves.ts";
import { LOOKS } from "../charts/glyphs.ts";
import { savers } from "../charts/picture.ts";
import { picker } from "../controls.ts";
import { address, data } from "../data.ts";
import { setNames } from "../filters.ts";
import { tasks } from "../metric_choice.ts";
import { metricName } from "../metrics.ts";
import { perturbName, setLabel, taskName } from "../names.ts";
import { asChosen, cellOf, unansweredNote } from "../result_rows.ts";
import { state } from "../state.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Sheet, SheetColumn, SheetRow, SheetValue, Task } from "../types.ts";
import { type Line, saveLines } from "./export.ts";
import { type CurveRow, labelPanels } from "./labels.ts";

/** The rows of "learning" in results.json, each with its run and a key for its base model and training pool. */
function learningRows(): CurveRow[] {
  return data.runs
    .flatMap((run, i) =>
      (run.learning ?? []).map((r) => ({ ...r, run: i, pool: address(i, r.base, r.trained_on, r.allow_leak) })),
    )
    .filter((r) => asChosen(r));
}

/** A base model, and what of its training has to be told. */
function poolName(rows: CurveRow[], pool: string): string {
  const row = rows.find((r) => r.pool === pool) ?? rows[0];
  const differ = (name: "run" | "trained_on") => new Set(rows.map((r) => r[name])).size > 1;
  const sets = String(row.trained_on).replace(/^\S+/, (x) => x.toUpperCase());
  const more = [
    differ("run") && data.runs[row.run]?.name,
    (differ("trained_on") || row.trained_on !== "both") && t("trainedOn", sets),
    row.allow_leak && t("allowLeak"),
  ].filter(Boolean);
  return plain(row.base + (more.length ? ` (${more.join(", ")})` : ""));
}

export function drawCurves() {
  const every = learningRows();
  if (!every.length) return null;
  const pools = [...new Set(every.map((r) => r.pool))];
  const pool = pools.includes(state.curvePool) ? state.curvePool : pools[0];
  const name = poolName(every, pool);
  const rows = every.filter((r) => r.pool === pool);
  const sets = setNames().filter((x) => rows.some((r) => r.set === x));
  const set = sets.includes(state.curveSet) ? state.curveSet : sets[sets.length - 1];
  return h(
    "section",
    { class: "block", id: "learning" },
    h("h2", null, t("learning")),
    learningNote(rows),
    h(
      "div",
      { class: "controls" },
      pools.length > 1 && picker("curvePool", t("baseModel"), pools, pool, (v) => poolName(every, v)),
      sets.length > 1 && picker("curveSet", t("setBelow"), sets, set, (v) => setLabel(v)),
      button(t("csvCurves"), () => exportCurves(every), { id: "csv-curves", class: "push" }),
    ),
    curvesBySet(rows, sets, name),
    curvesByPerturb(rows, set, name),
    curveTable(rows),
    labelPanels(
      rows.filter((r) => r.set === set),
      name,
      set,
    ),
  );
}

/** Notes on the intervals, and on sizes at which other items were asked. */
function learningNote(rows: CurveRow[]) {
  const seeds = rows.some((r) => r.points.some((p) => p.interval === "seeds"));
  const items = (r: CurveRow) => new Set([...r.points, ...(r.before ? [r.before] : [])].map((p) => p.items));
  const unlike = rows.some((r) => items(r).size > 1) && h("span", { class: "warn" }, " ≠ ", t("differWays"));
  return h("p", { class: "note" }, t("learningNote"), " ", t(seeds ? "seedNote" : "itemNote"), unlike);
}

/** A line of a panel: a row of results.json, its name and its look. */
interface Series {
  row: CurveRow;
  name: string;
  look: number;
}

/** A panel a task. */
function curvePanels(id: string, name: string, title: string, series: Series[]): Kid {
  const panels = tasks.map((x) => ({ x, list: series.filter(({ row }) => row.task === x.name) }));
  return [
    h("div", { class: "titled" }, h("h3", null, title), savers(id, `${name} · ${title}`)),
    h(
      "div",
      { class: "panels curves", id },
      panels.filter(({ list }) => list.length).map(({ x, list }) => curvePanel(x, list)),
    ),
  ];
}

const kindsOf = (rows: CurveRow[]): string[] => [...new Set(rows.map((r) => r.perturb))];

/** A line a set, of items as they are. */
function curvesBySet(rows: CurveRow[], sets: string[], name: string): Kid {
  const kinds = kindsOf(rows);
  const plainest = kinds.includes("none") ? "none" : kinds[0];
  const title = t("curvesBySet") + (plainest === "none" ? "" : ` · ${plainest}`);
  const look = (set: string) => (set === sets[sets.length - 1] ? 0 : 6);
  const series = rows
    .filter((r) => r.perturb === plainest)
    .map((row) => ({ row, name: setLabel(row.set), look: look(row.set) }));
  return curvePanels("curves-sets", name, title, series);
}

/** A line a perturbation, of one set. */
function curvesByPerturb(rows: CurveRow[], set: string, name: string): Kid {
  const kinds = kindsOf(rows);
  if (kinds.length < 2) return null;
  const series = rows
    .filter((r) => r.set === set)
    .map((row) => ({ row, name: row.perturb, look: kinds.indexOf(row.perturb) % LOOKS.length }));
  const names = kinds.filter((k) => k !== "none").map(perturbName);
  return [
    curvePanels("curves-perturbed", name, `${t("curvesByPerturb")} · ${setLabel(set)}`, series),
    h("p", { class: "note" }, names.join(inChinese() ? "；" : "; ")),
  ];
}

/** Every value by task, set, perturbation and size: of several seeds their mean, and below it each. */
function curveTable(rows: CurveRow[]) {
  const sizes = [...new Set(rows.flatMap((r) => r.points.map((p) => p.size)))].sort((a, b) => a - b);
  const figures = { kind: "percent", interval: "aligned", intervalDigits: 1 } as const;
  const ofTask = (x: Task): SheetRow[] => {
    const list = rows.filter((r) => r.task === x.name);
    const heading = list.length > 0 && `${taskName(x)}, ${metricName(list[0].metric)} %`;
    return heading ? [{ kind: "group", cells: [heading] }, ...list.map((row) => curveRow(row, sizes))] : [];
  };
  const sheet: Sheet = {
    name: "learning",
    title: `${t("learning")} · ${poolName(rows, rows[0].pool)}`,
    columns: [
      { heading: t("trainingItems") },
      { heading: t("zeroBase"), ...figures },
      ...sizes.map((size): SheetColumn => ({ heading: num(size), ...figures })),
      { heading: t("chance"), kind: "percent" },
    ],
    rows: tasks.flatMap(ofTask),
    look: "robust curvetable",
  };
  return h(
    "details",
    { class: "numbers" },
    h("summary", null, t("curveNumbers")),
    sheetNode(sheet, { id: "curves-table", heading: null }),
  );
}

function curveRow(row: CurveRow, sizes: number[]): SheetRow {
  const name = `${setLabel(row.set)} · ${row.perturb === "none" ? t("perturbNone") : row.perturb}`;
  const points = sizes.map((size) =>
    curveCell(
      row,
      row.points.find((p) => p.size === size),
    ),
  );
  return {
    cells: [name, curveCell(row, row.before), ...points, { value: row.chance }],
    marks: { row: [row.task, row.set, row.perturb].join(" ") },
  };
}

function curveCell(row: CurveRow, m: Before | CurvePoint | null | undefined): SheetValue {
  if (!m) return { value: null };
  const value: SheetValue = { value: m.value, low: m.low, high: m.high };
  const seeds = "seeds" in m ? m.seeds : [];
  if (seeds.length > 1) {
    const part = (x: CurvePoint["seeds"][number]) => ({
      name: `${t("seed")} ${plain(String(x.seed))}`,
      value: { value: x.value, cell: cellOf(row, x.model) },
    });
    return { ...value, cell: null, parts: seeds.map(part) };
  }
  const cell = cellOf(row, seeds[0]?.model ?? row.base);
  const silent = unansweredNote(cell);
  return { ...value, cell, flags: silent ? [silent.slice(3)] : [] };
}

// biome-ignore format: a table of names
const HEADS = [
  "run", "base", "trained_on", "allow_leak", "task", "set", "split", "prompt", "shots", "scoring", "perturb", "metric", "chance",
  "size", "seed", "model", "value", "low", "high", "interval", "items", "most_trained", "share_in_training", "share_of_answers",
  "distance_to_training", "distance_to_gold", "no_answer",
];

/** A line for each base model, mean over seeds, and seed. */
const exportCurves = (rows: CurveRow[]): void => saveLines("learning-curves", HEADS, rows.flatMap(curveLines));

function curveLines(r: CurveRow): Line[] {
  const { before, points, pool, variant: prompt, ...place } = r;
  const head = { ...place, prompt, run: data.runs[r.run]?.name };
  const base = before ? [{ ...head, ...before, size: 0, model: r.base, interval: "items" }] : [];
  return [...base, ...points.flatMap((point) => pointLines(head, point))];
}

function pointLines(head: Line, { seeds, labels, ...point }: CurvePoint): Line[] {
  const several = seeds.length > 1;
  const whole = {
    ...head,
    ...point,
    ...(several ? { seed: "mean" } : seeds[0]),
    ...point,
    ...(labels && labelLine(labels)),
  };
  if (!several) return [whole];
  const one = (x: CurvePoint["seeds"][number]): Line => ({
    ...{ ...head, size: point.size, items: point.items, interval: "items" },
    ...{ seed: x.seed, model: x.model, value: x.value, low: x.low, high: x.high },
  });
  return [whole, ...seeds.map(one)];
}

const labelLine = (x: LabelCheck): Line => ({
  most_trained: x.labels[x.most],
  share_in_training: x.trained[x.most] / sumOf(x.trained),
  share_of_answers: x.share,
  distance_to_training: x.distance,
  distance_to_gold: x.bias,
  no_answer: x.silent,
});
