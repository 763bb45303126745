// Notes on the figures in view.
import { h, para } from "../../common/dom.ts";
import { colon, hasWord, sentences, t } from "../../common/words.ts";
import {
  benchmarkNamed,
  benchmarkOf,
  data,
  isChoice,
  manyBenchmarks,
  models,
  recordingWords,
  taskOf,
} from "../data.ts";
import { benchmarksShown, cellsInView, hasCells, perturbOf } from "../filters.ts";
import { choiceMetrics, metricOf, metricsOf, tasks } from "../metric_choice.ts";
import { baseName, isLower, isPaper, isSigned, metricName, publishedAs } from "../metrics.ts";
import { perturbName, publishedNote } from "../names.ts";
import { state } from "../state.ts";
import type { Cell, Task } from "../types.ts";

/** Notes on the metrics and benchmarks in view. */
function benchmarkNotes() {
  const metrics = tasks.map(metricOf);
  return [
    metrics.some(isSigned) && t("noteNats"),
    benchmarksShown().some((b) => b.averaged) && t("noteMeans"),
    metrics.some(isLower) && t("noteLower"),
    ...benchmarksShown()
      .filter((b) => state.published && tasks.some((x) => benchmarkOf(x) === b && publishedAs(x, metricOf(x))))
      .map((b) => publishedNote(b) && (manyBenchmarks() ? `${b.title}${colon()}` : "") + publishedNote(b)),
  ];
}

/** The reason why there is no table. */
export function notice() {
  if (!data.cells.length) return para("notice", t("noCells"));
  return !cellsInView().length && para("notice", t("noneHere"));
}

export function notes() {
  if (!cellsInView().length) return null;
  const lines = [
    extractionNote(),
    state.published && data.published.length > 0 && profileNotes(),
    isPaper(state.metricChoice) && choiceMetrics.includes(state.metricChoice) && t("formsNote"),
    state.published && data.published.length > 0 && state.split !== "test" && t("onlyTest"),
    ...scoringNotes(),
    ...perturbNotes(),
    ...benchmarkNotes(),
    ...recordedNotes(),
    data.unlike.length > 0 &&
      t("unlikeFiles", data.unlike.map((name) => benchmarkNamed(name)?.title ?? name).join(", ")),
  ].filter(Boolean);
  return lines.length > 0 && h("p", { class: "note", id: "profile", role: "status" }, sentences(...lines));
}

/** Notes on models in view whose replies were recorded before their runs. */
const recordedNotes = () =>
  [...models.values()].filter((m) => m.recorded && hasCells(m)).map((m) => `${m.label}${colon()}${recordingWords(m)}`);

function scoringNotes() {
  if (state.scoring === "generate") return [];
  const about = `about.${state.metricChoice}`;
  return [
    t(`about.${state.scoring}`),
    hasWord(about) && choiceMetrics.includes(state.metricChoice) && t(about),
    t("otherTasks"),
    state.published && data.published.length > 0 && t("onlyGenerated"),
  ];
}

/** A note on whether the shown scores of spans and texts compare extracted answers or whole replies. */
function extractionNote() {
  const ofTexts = (x: Task) => ["span", "text"].includes(x.kind);
  const cells = cellsInView().filter((c) => ofTexts(taskOf(c.task)));
  const shown = [...new Set(cells.map((c) => isPaper(metricOf(taskOf(c.task)))))];
  const paper = shown.includes(true);
  const runs = new Set(cells.filter(hasOldReplies).map((c) => data.runs[c.run].name));
  return sentences(
    shown.includes(false) && t("ofAnswers"),
    paper && t("ofReplies"),
    paper && runs.size > 0 && t("oldReplies", [...runs].join(", ")),
  );
}

/** Whether a metric of the paper's profile compares extracted answers, as in earlier versions: its signature names a parser. */
const hasOldReplies = (cell: Cell) =>
  Object.entries(cell.metrics ?? {}).some(([m, x]) => isPaper(m) && x.signature?.includes("|parser:"));

/** The reasons why papers' rows are missing beside the chosen metrics, each once. */
function profileNotes() {
  const noted = tasks.filter((x) => !isChoice(x) && data.published.some((p) => p.task === x.name)).map(profileNote);
  return sentences(...new Set(noted));
}

function profileNote(task: Task) {
  const metric = metricOf(task);
  const there = metricsOf(task);
  if (publishedAs(task, metric) || !there.includes(metric)) return "";
  const twin = there.find((m) => m !== metric && baseName(publishedAs(task, m) ?? "") === baseName(metric));
  const of = manyBenchmarks() ? `${benchmarkOf(task).title}${colon()}` : "";
  const name = metricName(metric);
  return (
    of + (twin ? t("notComparable", metricName(baseName(metric)), name, metricName(twin)) : t("notPublished", name))
  );
}

function perturbNotes() {
  if (state.perturb === "none") return [];
  const unlike = tasks.some((x) => perturbOf(x) === "none");
  return [
    t("about.perturb", perturbName(state.perturb)),
    state.perturb === "circular" && t("about.circular"),
    state.perturb === "shuffle5" && t("about.shuffle5"),
    unlike && t("perturbElse"),
    state.published && data.published.length > 0 && t("onlyPlain"),
  ];
}
