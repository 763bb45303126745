// Judges: their scores, their controls, and their scores against metrics.

import { h, type Kid } from "../../common/dom.ts";
import { isNumber, num } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { hasWord, t } from "../../common/words.ts";
import type { Correlations, MedianCell, Raised, ScaleNumbers } from "../../types/results.ts";
import { jointPanels } from "../charts/joint.ts";
import { modelKeys } from "../charts/looks.ts";
import { savers } from "../charts/picture.ts";
import { scatterPanels } from "../charts/scatter.ts";
import { picker } from "../controls.ts";
import { data, modelOf, models, taskOf } from "../data.ts";
import { unfold } from "../details.ts";
import { inPlace, setNames } from "../filters.ts";
import { type JudgedHere, judgedCells, judgedControls, plus, whoName, whoOf } from "../judged.ts";
import { tasks } from "../metric_choice.ts";
import { metricName } from "../metrics.ts";
import { setLabel, taskName } from "../names.ts";
import { state } from "../state.ts";
import { sheetNode, sheetsOf } from "../tables/sheet.ts";
import type { Sheet, SheetColumn, SheetRow, SheetValue, Task } from "../types.ts";

const numbersOf = (c: JudgedHere, scale: string): ScaleNumbers | undefined => c.scales[scale];

export function drawJudge() {
  const cells = judgedCells().filter((c) => c.control === "plain" && inPlace(c));
  if (!cells.length) return null;
  const every = [...new Set(cells.flatMap((c) => Object.keys(c.scales).map((scale) => whoOf(c, scale))))];
  const who = every.includes(state.judgeWho) ? state.judgeWho : every[0];
  const scale = who.split("\t")[2];
  const mine = cells.filter((c) => numbersOf(c, scale) && whoOf(c, scale) === who);
  const ofWho = ({ about }: Sheet): boolean => {
    const { judge = "", rubric = "", scale: of = "" } = about ?? {};
    return whoOf({ judge, rubric }, of) === who;
  };
  return h(
    "section",
    { class: "block", id: "judge" },
    h("h2", null, t("judgeHead")),
    h("p", { class: "note" }, t("judgeNote")),
    h("div", { class: "controls" }, picker("judgeWho", t("judgeWho"), every, who, whoName)),
    judgeSheets("judge-means", ofWho),
    judgeControls(who),
    attackKinds(who),
    panelMedians(who),
    besideMetrics(mine, who, scale),
  );
}

/** The judge's scores against automatic metrics: by cell, by item of one task and set, and as correlations. */
function besideMetrics(mine: JudgedHere[], who: string, scale: string): Kid {
  const known = mine.filter((c) => models.has(c.id));
  const ids = [...models.keys()].filter((id) => known.some((c) => c.id === id));
  const offered = [...new Set(mine.flatMap((c) => Object.keys(numbersOf(c, scale)?.metrics ?? {})))];
  const metric = offered.includes(state.judgeMetric) ? state.judgeMetric : offered[0];
  const title = `${whoName(who)} · ${metricName(metric)}`;
  return [
    h("h3", null, t("judgeMetrics")),
    h("div", { class: "controls" }, picker("judgeMetric", t("metricHead"), offered, metric, metricName)),
    modelKeys(ids),
    meansBeside(known, who, scale, metric, title),
    itemsBeside(mine, who, scale, metric, title),
    judgeSheets("judge-metrics", () => true),
  ];
}

/** A chart of the judge's mean against a metric's, by cell. */
function meansBeside(known: JudgedHere[], who: string, scale: string, metric: string, title: string): Kid {
  const over = overModels(who).filter((r) => inPlace(r) && r.perturb === "none");
  const plainly = known.filter((c) => c.perturb === "none");
  const scatter = scatterPanels(plainly, scale, metric, over);
  const heading = t("judgeScatter");
  return (
    scatter && [
      h("div", { class: "titled" }, h("h4", null, heading), savers("judge-scatter", `${heading} · ${title}`)),
      h("p", { class: "note" }, t("judgeScatterNote")),
      scatter,
    ]
  );
}

const overModels = (who: string) =>
  data.runs.flatMap((run) => run.judged?.models ?? []).filter((r) => whoOf(r, r.scale) === who);

/** A chart of the judge's score against a metric's for items of one task and set, with their correlations. */
function itemsBeside(mine: JudgedHere[], who: string, scale: string, metric: string, title: string): Kid {
  const all = tasks.filter((x) => mine.some((c) => c.task === x.name));
  const task = all.find((x) => x.name === state.judgeTask) ?? all[0];
  const sets = setNames().filter((x) => mine.some((c) => c.task === task.name && c.set === x));
  const set = sets.includes(state.judgeSet) ? state.judgeSet : sets[sets.length - 1];
  const here = mine.filter((c) => c.task === task.name && c.set === set && models.has(c.id));
  const heading = t("judgeJoint");
  const place = `${taskName(task)} · ${setLabel(set)}`;
  const names = all.map((x) => x.name);
  return [
    h("div", { class: "titled" }, h("h4", null, heading), savers("judge-joint", `${heading} · ${title} · ${place}`)),
    h("p", { class: "note" }, t("judgeJointNote")),
    h(
      "div",
      { class: "controls" },
      all.length > 1 && picker("judgeTask", t("task"), names, task.name, (v) => taskName(taskOf(v))),
      sets.length > 1 && picker("judgeSet", t("set"), sets, set, (v) => setLabel(v)),
    ),
    jointPanels(here, scale, metric),
    unfold("judge-metrics", `${t("judgeCorrelations")} · ${place}`, () => [
      h("p", { class: "note" }, t("judgeMetricsNote")),
      judgeMetrics(here, who, set, task),
    ]),
  ];
}

/** The controls of all judges, since a panel has several; rows of the chosen judge are highlighted. */
function judgeControls(who: string) {
  const lit = ({ about }: SheetRow): boolean => {
    const { judges = [], rubric = "", scale = "" } = about ?? {};
    return judges.some((judge) => whoOf({ judge, rubric }, scale) === who);
  };
  return judgeSheets("judge-controls", () => true, lit);
}

/** The sheets of a name, from all runs. */
const judgeSheets = (name: string, wanted: (sheet: Sheet) => boolean, lit?: (row: SheetRow) => boolean) =>
  sheetsOf((sheet) => sheet.name === name && wanted(sheet)).map((sheet, n) =>
    sheetNode(sheet, { id: n ? `${name}-${n + 1}` : name, lit }),
  );

/** A fold with a sheet that the page made. `n`: the number of such folds above it. */
const unfolded = (summary: Kid, sheet: Sheet, n: number) => {
  const id = n ? `${sheet.name}-${n + 1}` : sheet.name;
  return h("details", null, h("summary", null, summary), sheetNode(sheet, { id, heading: null }));
};

const titled = (words: string): string => `${t("judge")} · ${words}`;

/** The share of scores that each kind of attack raised. */
function attackKinds(who: string) {
  const rows = judgedControls("attacks").filter((r) => r.n > 0 && whoOf(r, r.scale) === who);
  const kindRow = ([kind, x]: [string, Raised]): SheetRow => {
    const share = x.n ? x.raised / x.n : null;
    const raised: SheetValue = { value: share, text: x.n ? `${num(x.raised)} / ${num(x.n)}` : "–" };
    return { cells: [hasWord(`kind.${kind}`) ? t(`kind.${kind}`) : plain(kind), share, raised] };
  };
  return rows.map((r, n) => {
    const sheet: Sheet = {
      name: "judge-attacks",
      title: titled(t("byKind")),
      columns: [
        { heading: t("kindHead") },
        { heading: "", kind: "bar" },
        { heading: t("raisedHead"), kind: "percent" },
      ],
      rows: Object.entries(r.by_kind).map(kindRow),
      look: "places kinds",
    };
    return unfolded(t("byKind"), sheet, n);
  });
}

/** The medians of a panel's scores. */
function panelMedians(who: string) {
  const [, rubric, scale] = who.split("\t");
  const rows = judgedControls("panel").filter((r) => r.rubric === rubric && r.scale === scale && r.n > 0);
  const medianRow = (c: MedianCell): SheetRow => {
    const task: SheetValue = { value: taskName(taskOf(c.task)), asides: [setLabel(c.set)] };
    return { cells: [plain(c.model), task, { value: c.value, low: c.low, high: c.high }, c.n] };
  };
  return rows.map((r, n) => {
    const sheet: Sheet = {
      name: "judge-medians",
      title: titled(t("medians")),
      columns: [
        { heading: t("model") },
        { heading: t("task") },
        { heading: t("judgeMean"), kind: "number", intervalDigits: 2 },
        { heading: "n", kind: "count" },
      ],
      rows: r.cells.filter(inPlace).map(medianRow),
      look: "robust",
    };
    return unfolded([t("medians"), h("small", null, ` ${r.judges.map(plain).join(" · ")}`)], sheet, n);
  });
}

/** Correlations of the judge with each metric: a column for each model, then one over the models. */
function judgeMetrics(cells: JudgedHere[], who: string, set: string, task: Task) {
  const scale = who.split("\t")[2];
  const over = overModels(who)
    .filter((r) => r.set === set && r.task === task.name)
    .find((r) => inPlace(r) && r.perturb === "none");
  const metricsOf = (c: JudgedHere): Record<string, Correlations> => numbersOf(c, scale)?.metrics ?? {};
  const found = (m: string) => [...cells.map((c) => metricsOf(c)[m]), ...(over ? [over.metrics[m]] : [])];
  const known = (x: Correlations | undefined) => x && isNumber(x.pearson);
  const three = (x: Correlations | undefined): SheetValue => {
    const text = x && known(x) ? [x.pearson, x.spearman, x.kendall].map(plus).join(" · ") : "–";
    return { value: x?.pearson ?? null, text };
  };
  const names = [...new Set(cells.flatMap((c) => Object.keys(metricsOf(c))))].filter((m) => found(m).some(known));
  const label = (c: JudgedHere): SheetColumn => ({ heading: modelOf(c.id).label, kind: "number", named: true });
  const sheet: Sheet = {
    name: "judge-correlations",
    title: titled(`${t("judgeMetrics")} · ${taskName(task)} · ${setLabel(set)}`),
    columns: [
      { heading: t("metricHead") },
      ...cells.map(label),
      ...(over ? [{ heading: t("overModels", over.models), kind: "number" } as const] : []),
    ],
    rows: names.map((m) => ({ cells: [metricName(m), ...found(m).map(three)] })),
    look: "robust beside",
  };
  return sheetNode(sheet, { heading: null });
}
