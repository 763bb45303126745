// Learning curves of LoRA sweeps.

import { button, h } from "../../common/dom.ts";
import { isNumber, num, pct } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import type { Before, Curve, LabelCheck, Point } from "../../types/results.ts";
import { curvePanel } from "../charts/curves.ts";
import { LOOKS } from "../charts/looks.ts";
import { savers } from "../charts/picture.ts";
import { picker } from "../controls.ts";
import { address, data, taskOf } from "../data.ts";
import { metricName } from "../metrics.ts";
import { state } from "../state.ts";
import { sheetNode, sheetPanels } from "../tables/sheet.ts";
import { asChosen, cellOf, silentOf, total } from "../told.ts";
import type { Sheet, SheetColumn, SheetRow, SheetValue, Task } from "../types.ts";
import { perturbName, setLabel, setNames, taskName, tasks } from "../view.ts";
import { type Line, saveLines } from "./export.ts";

type CurveRow = Curve & { run: number; pool: string };

/** The rows of "learning" in results.json, each with its run and a key for its base model and training pool. */
function learningRows(): CurveRow[] {
  return data.runs
    .flatMap((run, i) =>
      (run.learning ?? []).map((r) => ({ ...r, run: i, pool: address(i, r.base, r.trained_on, r.allow_leak) })),
    )
    .filter((r) => asChosen(r));
}

function poolName(rows: CurveRow[], pool: string): string {
  const row = rows.find((r) => r.pool === pool),
    differ = (name) => new Set(rows.map((r) => r[name])).size > 1;
  const more = [
    differ("run") && data.runs[row.run]?.name,
    (differ("trained_on") || row.trained_on !== "both") &&
      t(
        "trainedOn",
        String(row.trained_on).replace(/^\S+/, (x) => x.toUpperCase()),
      ),
    row.allow_leak && t("allowLeak"),
  ].filter(Boolean);
  return plain(row.base + (more.length ? ` (${more.join(", ")})` : ""));
}

export function drawCurves() {
  const every = learningRows();
  if (!every.length) return null;
  const pools = [...new Set(every.map((r) => r.pool))],
    pool = pools.includes(state.curvePool) ? state.curvePool : pools[0],
    name = poolName(every, pool);
  const rows = every.filter((r) => r.pool === pool),
    kinds = [...new Set(rows.map((r) => r.perturb))],
    plainest = kinds.includes("none") ? "none" : kinds[0];
  const sets = setNames().filter((x) => rows.some((r) => r.set === x)),
    set = sets.includes(state.curveSet) ? state.curveSet : sets.at(-1);
  const figureOf = (id, title, series) => [
    h("div", { class: "titled" }, h("h3", null, title), savers(id, `${name} · ${title}`)),
    h(
      "div",
      { class: "panels curves", id },
      tasks
        .map((x) => [x, series(rows.filter((r) => r.task === x.name))])
        .filter(([, list]) => list.length)
        .map(([x, list]) => curvePanel(x, list)),
    ),
  ];
  const first = t("curvesBySet") + (plainest === "none" ? "" : ` · ${plainest}`),
    second = `${t("curvesByPerturb")} · ${setLabel(set)}`;
  const bySet = (list) =>
    list
      .filter((r) => r.perturb === plainest)
      .map((row) => ({ row, name: setLabel(row.set), look: sets.indexOf(row.set) === sets.length - 1 ? 0 : 6 }));
  const byPerturb = (list) =>
    list
      .filter((r) => r.set === set)
      .map((row) => ({ row, name: row.perturb, look: kinds.indexOf(row.perturb) % LOOKS.length }));
  const seeds = rows.some((r) => r.points.some((p) => p.interval === "seeds")),
    unlike = rows.some((r) => new Set([...r.points, ...(r.before ? [r.before] : [])].map((p) => p.items)).size > 1);
  return h(
    "section",
    { class: "block", id: "learning" },
    h("h2", null, t("learning")),
    h(
      "p",
      { class: "note" },
      t("learningNote"),
      " ",
      t(seeds ? "seedNote" : "itemNote"),
      unlike && h("span", { class: "warn" }, " ≠ ", t("differWays")),
    ),
    h(
      "div",
      { class: "controls" },
      pools.length > 1 && picker("curvePool", t("baseModel"), pools, pool, (v) => poolName(every, v)),
      sets.length > 1 && picker("curveSet", t("setBelow"), sets, set, (v) => setLabel(v)),
      button(t("csvCurves"), () => exportCurves(every), { id: "csv-curves", class: "push" }),
    ),
    figureOf("curves-sets", first, bySet),
    kinds.length > 1 && [
      figureOf("curves-perturbed", second, byPerturb),
      h(
        "p",
        { class: "note" },
        kinds
          .filter((k) => k !== "none")
          .map(perturbName)
          .join(inChinese() ? "；" : "; "),
      ),
    ],
    curveTable(rows),
    labelPanels(
      rows.filter((r) => r.set === set),
      name,
      set,
    ),
  );
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

function curveCell(row: CurveRow, m: Before | Point | null | undefined): SheetValue {
  if (!m) return { value: null };
  const seeds = "seeds" in m ? m.seeds : [{ seed: 0, model: row.base, value: m.value }];
  const cells = seeds.map((x) => cellOf(row, x.model));
  const value: SheetValue = { value: m.value, low: m.low, high: m.high };
  if (seeds.length > 1) {
    const part = (x: { seed: number; value: number }, i: number) => ({
      name: `${t("seed")} ${plain(String(x.seed))}`,
      value: { value: x.value, cell: cells[i] },
    });
    return { ...value, cell: null, parts: seeds.map(part) };
  }
  const silent = silentOf(cells[0]);
  return { ...value, cell: cells[0], flags: silent ? [silent.slice(3)] : [] };
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

function pointLines(head: Line, { seeds, labels, ...point }: Point): Line[] {
  const several = seeds.length > 1;
  const whole = {
    ...head,
    ...point,
    ...(several ? { seed: "mean" } : seeds[0]),
    ...point,
    ...(labels && labelLine(labels)),
  };
  if (!several) return [whole];
  const one = (x: Point["seeds"][number]): Line => ({
    ...{ ...head, size: point.size, items: point.items, interval: "items" },
    ...{ seed: x.seed, model: x.model, value: x.value, low: x.low, high: x.high },
  });
  return [whole, ...seeds.map(one)];
}

const labelLine = (x: LabelCheck): Line => ({
  most_trained: x.labels[x.most],
  share_in_training: x.trained[x.most] / total(x.trained),
  share_of_answers: x.share,
  distance_to_training: x.distance,
  distance_to_gold: x.bias,
  no_answer: x.silent,
});

/** Shares of the labels in training, in the answers and in gold: a panel a task. */
function labelPanels(rows: CurveRow[], name: string, set: string) {
  const there = rows.filter((r) => r.points.some((p) => p.labels));
  if (!there.length) return null;
  const kinds = [...new Set(there.map((r) => r.perturb))];
  const kind = [state.labelPerturb, "shuffle", "both"].find((k) => kinds.includes(k)) ?? kinds[0];
  const sizes = [...new Set(there.flatMap((r) => r.points.map((p) => p.size)))].sort((a, b) => a - b);
  const size = sizes.includes(state.labelSize) ? state.labelSize : sizes[sizes.length - 1];
  const shown = there.flatMap((row) => {
    const x = row.perturb === kind && row.points.find((p) => p.size === size)?.labels;
    return x ? [{ row, x }] : [];
  });
  const title = `${name} · ${t("labelCheck")} · ${setLabel(set)} · ${kind} · ${t("nItems", num(size))}`;
  const drawn =
    shown.length > 0 && sheetPanels(labelSheet(shown, title), "curves-labels", (n) => labelAround(shown[n]));
  return [
    h(
      "div",
      { class: "titled" },
      h("h3", null, t("labelCheck"), " · ", setLabel(set)),
      h("span", { class: "savers" }, savers("curves-labels", title), drawn && drawn.savers),
    ),
    h("p", { class: "note" }, t("labelNote")),
    h(
      "div",
      { class: "controls" },
      kinds.length > 1 && picker("labelPerturb", t("perturb"), kinds, kind, perturbName),
      sizes.length > 1 && picker("labelSize", t("trainingItems"), sizes, size, (v) => num(v)),
    ),
    h(
      "div",
      { class: "panels positions", id: "curves-labels" },
      drawn ? drawn.panels : h("p", { class: "notice" }, t("noRows")),
    ),
  ];
}

interface Labels {
  row: CurveRow;
  x: LabelCheck;
}

const share = (list: number[], i: number): number | null => (total(list) ? list[i] / total(list) : null);

function labelSheet(shown: Labels[], title: string): Sheet {
  const columns = [t("trainedShare"), t("saidShare"), t("goldShare")].map(
    (heading): SheetColumn => ({ heading, kind: "percent" }),
  );
  const cells = (x: LabelCheck, i: number): SheetValue[] => {
    const tone = i === x.most ? "strong" : "";
    const figures = [x.trained, x.chosen, x.gold].map((list) => ({ value: share(list, i), tone }) as const);
    return [{ value: x.labels[i], tone }, { value: share(x.chosen, i) ?? 0, base: share(x.trained, i) }, ...figures];
  };
  return {
    name: "labels",
    title,
    columns: [{ heading: t("option") }, { heading: "", kind: "bars" }, ...columns],
    rows: shown.flatMap(({ row, x }): SheetRow[] => [
      { kind: "group", cells: [taskName(taskOf(row.task))] },
      ...x.labels.map((_, i) => ({ cells: cells(x, i) })),
    ]),
    look: "places",
    fixed: true,
  };
}

function labelAround({ row, x }: Labels) {
  const most = [plain(x.labels[x.most]), pct(share(x.trained, x.most)), pct(x.share), pct(x.gold_share)];
  const verdict = isNumber(x.share) ? t("mostTrained", ...most) : t("saidNone");
  const distances = isNumber(x.distance) && h("small", null, ` ${t("distances", pct(x.distance), pct(x.bias))}`);
  return {
    props: { "data-labels": row.task },
    above: [
      h("figcaption", null, h("strong", null, taskName(taskOf(row.task)))),
      h("p", { class: "verdict" }, verdict, distances),
    ],
    below: [x.silent > 0 && h("p", { class: "note" }, t("silentN", num(x.silent)))],
  };
}
