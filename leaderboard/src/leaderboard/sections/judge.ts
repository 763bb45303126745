// Judges: their scores, their controls, and their scores against metrics.

import { div, fold, h, type Kid, note, section } from "../../common/dom.ts";
import { t } from "../../common/words.ts";
import type { ScaleSummary } from "../../types/results.ts";
import { jointPanels } from "../charts/joint.ts";
import { modelKeys } from "../charts/looks.ts";
import { savers } from "../charts/picture.ts";
import { scatterPanels } from "../charts/scatter.ts";
import { picker } from "../controls.ts";
import { data, models, taskOf } from "../data.ts";
import { lazyFold } from "../details.ts";
import { hasChosenSettings, setNames } from "../filters.ts";
import { type JudgedCell, judgedCells, whoName, whoOf } from "../judged.ts";
import { tasks } from "../metric_choice.ts";
import { metricName } from "../metrics.ts";
import { setLabel, taskName } from "../names.ts";
import { state } from "../state.ts";
import { titleOf } from "../tables/figures.ts";
import { sheetNode, sheetsOf } from "../tables/sheet.ts";
import type { Sheet, SheetRow } from "../types.ts";

const numbersOf = (c: JudgedCell, scale: string): ScaleSummary | undefined => c.scales[scale];

export function drawJudge() {
  const cells = judgedCells().filter((c) => c.control === "plain" && hasChosenSettings(c));
  if (!cells.length) return null;
  const every = [...new Set(cells.flatMap((c) => Object.keys(c.scales).map((scale) => whoOf(c, scale))))];
  const who = every.includes(state.judgeWho) ? state.judgeWho : every[0];
  const [, rubric, scale] = who.split("\t");
  const mine = cells.filter((c) => numbersOf(c, scale) && whoOf(c, scale) === who);
  const ofWho = (sheet: Sheet) => isOf(sheet, who);
  return section(
    "judge",
    h("h2", null, t("judgeHead")),
    note(t("judgeNote")),
    div("controls", picker("judgeWho", t("judgeWho"), every, who, whoName)),
    judgeSheets("judge-means", ofWho),
    judgeControls(who),
    folded("judge-attacks", ofWho),
    folded("judge-medians", ({ about }) => about?.rubric === rubric && about.scale === scale),
    besideMetrics(mine, who, scale),
  );
}

function isOf({ about }: Sheet, who: string): boolean {
  const { judge = "", rubric = "", scale = "" } = about ?? {};
  return whoOf({ judge, rubric }, scale) === who;
}

/** The judge's scores against automatic metrics: by cell, by item of one task and set, and as correlations. */
function besideMetrics(mine: JudgedCell[], who: string, scale: string): Kid {
  const known = mine.filter((c) => models.has(c.id));
  const ids = [...models.keys()].filter((id) => known.some((c) => c.id === id));
  const offered = [...new Set(mine.flatMap((c) => Object.keys(numbersOf(c, scale)?.metrics ?? {})))];
  const metric = offered.includes(state.judgeMetric) ? state.judgeMetric : offered[0];
  const title = `${whoName(who)} · ${metricName(metric)}`;
  return [
    h("h3", null, t("judgeMetrics")),
    div("controls", picker("judgeMetric", t("metricHead"), offered, metric, metricName)),
    modelKeys(ids),
    meansBeside(known, who, scale, metric, title),
    itemsBeside(mine, who, scale, metric, title),
    judgeSheets("judge-metrics", () => true),
  ];
}

/** A chart of the judge's mean against a metric's, by cell. */
function meansBeside(known: JudgedCell[], who: string, scale: string, metric: string, title: string): Kid {
  const over = overModels(who).filter((r) => hasChosenSettings(r) && r.perturb === "none");
  const plainly = known.filter((c) => c.perturb === "none");
  const scatter = scatterPanels(plainly, scale, metric, over);
  const heading = t("judgeScatter");
  return (
    scatter && [
      div("titled", h("h4", null, heading), savers("judge-scatter", `${heading} · ${title}`)),
      note(t("judgeScatterNote")),
      scatter,
    ]
  );
}

const overModels = (who: string) =>
  data.runs.flatMap((run) => run.judged?.models ?? []).filter((r) => whoOf(r, r.scale) === who);

/** A chart of the judge's score against a metric's for items of one task and set, with their correlations. */
function itemsBeside(mine: JudgedCell[], who: string, scale: string, metric: string, title: string): Kid {
  const all = tasks.filter((x) => mine.some((c) => c.task === x.name));
  const task = all.find((x) => x.name === state.judgeTask) ?? all[0];
  const sets = setNames().filter((x) => mine.some((c) => c.task === task.name && c.set === x));
  const set = sets.includes(state.judgeSet) ? state.judgeSet : sets[sets.length - 1];
  const here = mine.filter((c) => c.task === task.name && c.set === set && models.has(c.id));
  const heading = t("judgeJoint");
  const subject = `${taskName(task)} · ${setLabel(set)}`;
  const names = all.map((x) => x.name);
  return [
    div("titled", h("h4", null, heading), savers("judge-joint", `${heading} · ${title} · ${subject}`)),
    note(t("judgeJointNote")),
    div(
      "controls",
      all.length > 1 && picker("judgeTask", t("task"), names, task.name, (v) => taskName(taskOf(v))),
      sets.length > 1 && picker("judgeSet", t("set"), sets, set, (v) => setLabel(v)),
    ),
    jointPanels(here, scale, metric),
    lazyFold("judge-metrics", `${t("judgeCorrelations")} · ${subject}`, () =>
      judgeSheets(
        "judge-correlations",
        (sheet) => isOf(sheet, who) && sheet.about?.task === task.name && sheet.about.set === set,
      ),
    ),
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

/** The sheets of a name, from all runs, as tables. */
const judgeSheets = (name: string, wanted: (sheet: Sheet) => boolean, lit?: (row: SheetRow) => boolean) =>
  sheetsOf((sheet) => sheet.name === name && wanted(sheet)).map((sheet, n) =>
    sheetNode(sheet, { id: n ? `${name}-${n + 1}` : name, lit }),
  );

/** The sheets of a name, from all runs, each below a fold. */
const folded = (name: string, wanted: (sheet: Sheet) => boolean) =>
  sheetsOf((sheet) => sheet.name === name && wanted(sheet)).map((sheet, n) => {
    const table = sheetNode(sheet, { id: n ? `${name}-${n + 1}` : name, heading: null });
    return table && fold(titleOf(sheet), table);
  });
