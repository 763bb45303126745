// The evidence of one figure: how it was computed, and the list of its items.
import { $, button, div, fold, h, type Kid, para, setChildren } from "../../common/dom.ts";
import { isNumber, num, pct, tokenCount } from "../../common/numbers.ts";
import { dataNode } from "../../common/passage.ts";
import { brief } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { go } from "../address.ts";
import { counts, isChoice, modelOf, nameNode, recordedFlags, taskOf } from "../data.ts";
import { contaminationSigns, estimateSentence, hasLeakedItems, leakNote, statusBar, statusWords } from "../details.ts";
import { fact, settings } from "../facts.ts";
import { metricOf } from "../metric_choice.ts";
import { figure, longName, span, spreadOf } from "../metrics.ts";
import { setLabel, settingWords, taskName } from "../names.ts";
import { flagNode } from "../tables/cells.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Cell, MetricValue, Sheet, SheetColumn, SheetValue, Task } from "../types.ts";
import { listTools, search } from "./items.ts";
import { openCell, setOpenCell } from "./open.ts";

export function drawCell(cell: Cell) {
  setOpenCell(cell);
  drawCellFrame();
  scrollTo(0, 0);
}

export function drawCellFrame() {
  if (!openCell) return;
  setChildren($("main"), cellHead(openCell), panes(openCell));
  search();
}

function cellHead(cell: Cell) {
  const task = taskOf(cell.task);
  return h(
    "section",
    { class: "cellhead" },
    button(t("back"), () => go({}), { class: "link", id: "back" }),
    h("h1", { tabindex: -1, id: "cellname" }, taskName(task), h("span", { class: "tag" }, setLabel(cell.set))),
    para(
      "lead",
      nameNode(modelOf(cell.id)),
      recordedFlags(modelOf(cell.id)).map((flag) => [" ", flagNode(flag)]),
      h("span", { class: "muted" }, ` · ${settingWords(cell)}`),
    ),
    h(
      "dl",
      { class: "facts" },
      headline(cell, task).map(([m, x]) => fact(longName(m), figure(m, x.value), certainty(m, x))),
      typeof cell.chance === "number" && fact(t("chance"), pct(cell.chance)),
      cell.accuracy_of_parsed != null &&
        !cell.metrics.accuracy?.signature.includes("|by:") &&
        fact(t("ofParsed"), pct(cell.accuracy_of_parsed)),
      cell.tokens && fact(t("tokensReply"), tokenCount(cell.tokens.mean), spentWords(cell.tokens)),
      fact(t("statusIs"), statusBar(cell), statusWords(cell)),
    ),
    notices(cell),
    metricTable(cell),
    fold(t("made"), settings(Object.entries(cell.facts ?? {}))),
  );
}

/** The lines below the mean number of tokens of a reply: their distribution, thinking, prompt and cost. */
function spentWords(tokens: NonNullable<Cell["tokens"]>): Kid {
  const { median, p90, thinking, by_characters, prompt, cost, uncounted } = tokens;
  const lines = [
    `${t("median")} ${tokenCount(median)}, p90 ${tokenCount(p90)}`,
    thinking > 0 && `${t("thinking")} ${by_characters > 0 ? "≈ " : ""}${pct(thinking, 0)} %`,
    `${t("tokensPrompt")} ${tokenCount(prompt)}`,
    isNumber(cost) && `${t("cost")} ${cost.toFixed(4)}${uncounted ? " +" : ""}`,
    uncounted && `${t("uncounted")} ${num(uncounted)}`,
  ];
  return lines.filter(Boolean).map((line) => h("span", { class: "line" }, line));
}

/** The metrics at the top. For a choice task: all, but "accuracy" only without "accuracy_token". For another task: its default
 *  metrics and the one chosen in the overview. */
function headline(cell: Cell, task: Task) {
  const wanted = new Set([...task.metrics, metricOf(task)]);
  return Object.entries(cell.metrics ?? {}).filter(([m]) =>
    isChoice(task) ? m !== "accuracy" || !cell.metrics.accuracy_token : wanted.has(m),
  );
}

/** The lines below a value: its intervals, the spread between samples and the number of items. */
function certainty(m: string, x: MetricValue): Kid {
  const lines = [
    [t("interval"), span(m, x.low, x.high, 1)],
    ["Wilson", span(m, x.wilson?.[0], x.wilson?.[1], 1)],
    [t("sampleSpread"), spreadOf(m, x, 1)],
    ["n", num(x.n)],
  ];
  return lines.map(([name, value]) => value && h("span", { class: "line" }, `${name} ${value}`));
}

/** Warnings to read before the figures. */
function notices(cell: Cell) {
  const { missing } = counts(cell);
  const errors = Object.entries(cell.errors ?? {});
  const notice = (...kids: Kid[]) => div("notice", kids);
  return [
    leakNote(cell) && h("p", { class: `notice${hasLeakedItems(cell) ? " caution" : ""}` }, leakNote(cell)),
    contaminationSigns(cell).length > 0 && notice(t("signRead", num(contaminationSigns(cell).length))),
    cell.estimate && notice(estimateSentence(cell.estimate)),
    missing > 0 && !cell.estimate && notice(t("notAsked", num(missing))),
    cell.shots_dropped > 0 && notice(t("dropped", num(cell.shots_dropped))),
    errors.length > 0 &&
      notice(
        h("strong", null, t("errors")),
        errors.map(([e, k]) => h("p", null, `${k} × `, dataNode("code", "", brief(e)))),
      ),
  ];
}

/** All metrics of a cell, with their intervals and signatures. */
function metricTable(cell: Cell) {
  const all = Object.entries(cell.metrics ?? {});
  const binomial = all.some(([, x]) => x.wilson);
  const sampled = all.some(([, x]) => isNumber(x.spread));
  const heads = [t("value"), t("interval"), binomial && "Wilson", sampled && t("sampleSpread"), "n"].filter(Boolean);
  const numbers = (m: string, x: MetricValue): SheetValue[] => [
    { value: x.value, text: figure(m, x.value, 2) },
    { value: null, text: span(m, x.low, x.high, 2) || "–" },
    ...(binomial ? [{ value: null, text: span(m, x.wilson?.[0], x.wilson?.[1], 2) || "–" }] : []),
    ...(sampled ? [{ value: x.spread ?? null, text: spreadOf(m, x, 2) || "–" }] : []),
    { value: x.n },
  ];
  const sheet: Sheet = {
    name: "metrics",
    title: `${modelOf(cell.id).label} · ${taskName(taskOf(cell.task))} · ${setLabel(cell.set)}`,
    columns: [
      { heading: t("metricHead") },
      ...heads.map((heading): SheetColumn => ({ heading: heading || "", kind: "count" })),
      { heading: t("signature"), kind: "code" },
    ],
    rows: all.map(([m, x]) => ({ cells: [longName(m), ...numbers(m, x), x.signature ?? "–"] })),
    look: "metrics",
  };
  return h(
    "details",
    { id: "metrics" },
    h("summary", null, t("allMetrics", all.length)),
    para("note", t("intervalNoteCell")),
    sheetNode(sheet, { id: "metrics-table", heading: null, where: settingWords(cell) }),
  );
}

const panes = (cell: Cell) =>
  h(
    "div",
    { class: "panes", id: "panes" },
    h(
      "section",
      { class: "list", "aria-label": t("items") },
      listTools(cell),
      h("p", { class: "muted found", id: "found", role: "status" }),
      h("div", { id: "rows" }),
    ),
    h("section", { class: "detail", id: "detail", tabindex: -1 }),
  );
