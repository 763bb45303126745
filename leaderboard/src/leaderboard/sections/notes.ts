// What has to be known of the figures in view, in sentences.
import { h } from "../../common/dom.ts";
import { hasWord, inChinese, t } from "../../common/words.ts";
import { benchmarkOf, data, isChoice, manyBenchmarks, shared } from "../data.ts";
import { baseName, isLower, isPaper, isSigned, metricName, publishedAs } from "../metrics.ts";
import { state } from "../state.ts";
import type { Cell } from "../types.ts";
import {
  benchmarksShown,
  choiceMetrics,
  inView,
  metricOf,
  ownMetrics,
  perturbName,
  perturbOf,
  publishedNote,
  tasks,
  textMetrics,
} from "../view.ts";

/** What is to be known of figures that CORECODE has none of. */
function benchmarkNotes() {
  const metrics = tasks.map(metricOf);
  return [
    metrics.some(isSigned) && t("noteNats"),
    benchmarksShown().some((b) => b.averaged) && t("noteMeans"),
    metrics.some(isLower) && t("noteLower"),
    ...benchmarksShown()
      .filter((b) => state.published && tasks.some((x) => benchmarkOf(x) === b && publishedAs(x, metricOf(x))))
      .map(publishedNote),
  ];
}

export function notes() {
  if (!data.cells.length) return h("p", { class: "notice" }, t("noCells"));
  if (!data.cells.some(inView)) return h("p", { class: "notice" }, t("noneHere"));
  const lines = [
    extractionNote(),
    state.published && data.published.length > 0 && profileNotes(),
    state.metricChoice === "paper.accuracy" && choiceMetrics.includes(state.metricChoice) && t("formsNote"),
    ...scoringNotes(),
    ...perturbNotes(),
    ...benchmarkNotes(),
  ].filter(Boolean);
  return lines.length > 0 && h("p", { class: "note", id: "profile", role: "status" }, lines.join(" "));
}

function scoringNotes() {
  if (state.scoring === "generate") return [];
  const about =
    hasWord(`about.${state.metricChoice}`) && choiceMetrics.includes(state.metricChoice)
      ? t(`about.${state.metricChoice}`)
      : "";
  return [
    t(`about.${state.scoring}`),
    about,
    t("otherTasks"),
    state.published && data.published.length > 0 && t("onlyGenerated"),
  ];
}

/** Whether a paper's metrics are of extracted answers, as versions before had them. */
const isOfAnswers = (cell: Cell): boolean =>
  Object.entries(cell.metrics ?? {}).some(([m, x]) => isPaper(m) && x.signature?.includes("|parser:"));

/** What the shown scores of spans and texts are of: extracted answers or whole replies. */
function extractionNote() {
  const shown = tasks.filter(
    (x) => ["span", "text"].includes(x.kind) && data.cells.some((c) => c.task === x.name && inView(c)),
  );
  if (!shown.length) return "";
  const paper = shown.some((x) => isPaper(metricOf(x)));
  const own = shown.some((x) => !isPaper(metricOf(x)));
  const cells = paper ? data.cells.filter((c) => shown.some((x) => x.name === c.task) && inView(c)) : [];
  const runs = [...new Set(cells.filter(isOfAnswers).map((c) => data.runs[c.run].name))];
  return [own && t("ofAnswers"), paper && t("ofReplies"), runs.length > 0 && t("oldReplies", runs.join(", "))]
    .filter(Boolean)
    .join(" ");
}

/** Why the papers' rows are not beside the metrics chosen; once each. */
function profileNotes() {
  const notes = tasks
    .filter((x) => !isChoice(x) && data.published.some((p) => p.task === x.name))
    .map((task) => {
      const metric = metricOf(task);
      const name = metricName(metric);
      const there = (shared(task) ? textMetrics : ownMetrics.get(task.name)) ?? [];
      if (publishedAs(task, metric) || !there.includes(metric)) return "";
      const twin = there.find((m) => m !== metric && baseName(publishedAs(task, m) ?? "") === baseName(metric));
      const of = manyBenchmarks() ? `${benchmarkOf(task).title}${inChinese() ? "：" : ": "}` : "";
      return (
        of + (twin ? t("notComparable", metricName(baseName(metric)), name, metricName(twin)) : t("notPublished", name))
      );
    });
  return [...new Set(notes)].filter(Boolean).join(" ");
}

function perturbNotes() {
  if (state.perturb === "none") return [];
  const unlike = tasks.some((x) => perturbOf(x) === "none");
  return [
    t("about.perturb", perturbName(state.perturb)),
    state.perturb === "circular" && t("about.circular"),
    unlike && t("perturbElse"),
    state.published && data.published.length > 0 && t("onlyPlain"),
  ];
}
