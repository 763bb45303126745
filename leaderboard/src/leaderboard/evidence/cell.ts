// The evidence for one number: how it was made, and the list of its items.
import { $, button, copyButton, h, put, reachable, segmented, visible } from "../../common/dom.ts";
import { isNumber, num, pct } from "../../common/numbers.ts";
import { chat, data$, emphasised } from "../../common/passage.ts";
import { brief, langOf, plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { filterItems, searchItems } from "../actions.ts";
import { cellRoute, go, route } from "../address.ts";
import { leakNote, leaky, statusBar } from "../beside.ts";
import { counts, data, isChoice, modelOf, models, nameNode, taskOf } from "../data.ts";
import { figure, longName, metricName, span, spreadOf } from "../metrics.ts";
import { state } from "../state.ts";
import { NO_ANSWER, STATUSES } from "../statuses.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Cell, Metric, Sheet, SheetColumn, SheetValue } from "../types.ts";
import { metricOf, perturbName, setLabel, settingWords, taskName } from "../view.ts";
import { answers, badge, likelihoods, otherCard, probed, replyBlock } from "./item.ts";
import { longList } from "./list.ts";
import { open, setOpen } from "./open.ts";
import { opinions, secondReadings } from "./opinions.ts";
import { columnOf, entriesOf, entryOf, idAt, outcomeAt, rowAt, rowIn, rowNow, shard } from "./shards.ts";

export function drawCell(cell) {
  setOpen(cell);
  drawCellFrame();
  scrollTo(0, 0);
}

export function drawCellFrame() {
  const cell = open,
    task = taskOf(cell.task),
    n = counts(cell);
  const sum = (name, value, note) =>
    h("div", null, h("dt", null, name), h("dd", null, value, note && h("small", null, note)));
  put(
    $("main"),
    h(
      "section",
      { class: "cellhead" },
      button(t("back"), () => go({}), { class: "link", id: "back" }),
      h("h1", { tabindex: -1, id: "cellname" }, taskName(task), h("span", { class: "tag" }, setLabel(cell.set))),
      h(
        "p",
        { class: "lead" },
        nameNode(models.get(cell.id)),
        h(
          "span",
          { class: "muted" },
          ` · ${t("variant")} ${plain(cell.variant)} · ${t("shots")} ${cell.shots} · ${t("scoring")} ${t(cell.scoring)} · ${cell.perturb !== "none" ? `${perturbName(cell.perturb)} · ` : ""}${plain(cell.split)}`,
        ),
      ),
      h(
        "dl",
        { class: "facts" },
        headline(cell, task).map(([m, x]) =>
          sum(
            longName(m),
            figure(m, x.value),
            [
              [t("interval"), span(m, x.low, x.high, 1)],
              ["Wilson", span(m, ...(x.wilson ?? []), 1)],
              [t("sampleSpread"), spreadOf(m, x, 1)],
              ["n", num(x.n)],
            ]
              .filter(([, v]) => v)
              .map(([k, v]) => h("span", { class: "line" }, `${k} ${v}`)),
          ),
        ),
        typeof cell.chance === "number" && sum(t("chance"), pct(cell.chance)),
        cell.accuracy_of_parsed != null &&
          !cell.metrics.accuracy?.signature.includes("|by:") &&
          sum(t("ofParsed"), pct(cell.accuracy_of_parsed)),
        sum(
          t("statusIs"),
          statusBar(cell),
          [
            ...STATUSES.filter((x) => n[x]).map((x) => `${t(x)} ${num(n[x])}`),
            ...Object.entries(cell.status ?? {})
              .filter(([x]) => !STATUSES.includes(x))
              .map(([x, k]) => `${plain(x)} ${num(k)}`),
          ].join(" · "),
        ),
      ),
      leakNote(cell) && h("p", { class: `notice${leaky(cell) ? " caution" : ""}` }, leakNote(cell)),
      n.missing > 0 && h("p", { class: "notice" }, t("notAsked", num(n.missing))),
      cell.shots_dropped > 0 && h("p", { class: "notice" }, t("dropped", num(cell.shots_dropped))),
      Object.keys(cell.errors ?? {}).length > 0 &&
        h(
          "div",
          { class: "notice" },
          h("strong", null, t("errors")),
          Object.entries(cell.errors).map(([e, k]) => h("p", null, `${k} × `, data$("code", "", brief(e)))),
        ),
      metricTable(cell),
      provenance(cell),
    ),
    h(
      "div",
      { class: "panes", id: "panes" },
      h(
        "section",
        { class: "list", "aria-label": t("items") },
        h(
          "div",
          { class: "listtools" },
          filters(cell),
          h("input", {
            type: "search",
            id: "search",
            value: state.query,
            placeholder: t("search"),
            "aria-label": t("search"),
            oninput: onSearch,
          }),
        ),
        h("p", { class: "muted found", id: "found", role: "status" }),
        h("div", { id: "rows" }),
      ),
      h("section", { class: "detail", id: "detail", tabindex: -1 }),
    ),
  );
  $("search").value = state.query;
  search();
}

/** Ways to narrow the list: [name, the entries it keeps]. */
function filtersOf(cell) {
  const all = entriesOf(cell),
    of = (...kinds) => all.filter((e) => kinds.includes(outcomeAt(cell, e)));
  const wanted = [
    ["all", all],
    cell.flips && ["flipped", cell.flips],
    comparable(cell).length > 1 && ["disagree", all.filter((e) => disagree(cell, e))],
    ["right", of("right")],
    ["partial", of("partial")],
    ["wrong", of("wrong")],
    ["notParsed", of(...NO_ANSWER)],
    ...NO_ANSWER.map((x) => [x, of(x)]),
    ["failedFilter", of("failed")],
    ["otherStatus", of("otherStatus")],
  ];
  const usual = ["all", "flipped", "disagree", "right", "wrong", "notParsed"];
  return wanted.filter((x) => x && (x[1].length || usual.includes(x[0])));
}

function filters(cell) {
  const values = filtersOf(cell).map(([name, entries]) => [name, `${t(name)} ${num(entries.length)}`]);
  return segmented(t("statusIs"), values, state.filter, filterItems);
}

/** The cells of the column whose models are compared: no baselines, where there are two models without. */
function comparable(cell) {
  const column = columnOf(cell);
  column.cells ??= data.cells.filter((c) => c.column === cell.column);
  const all = column.cells;
  const own = all.filter((c) => !models.get(c.id).baseline);
  return own.length > 1 ? own : all;
}

/** Whether some model has the item right and another has not. */
function disagree(cell, entry) {
  const codes = comparable(cell)
    .map((c) => c.outcomes[entry])
    .filter((code) => code !== ".");
  return codes.includes("r") && codes.some((code) => code !== "r");
}

let wait;

function onSearch(event) {
  clearTimeout(wait);
  wait = setTimeout(() => {
    searchItems(event.target.value);
  }, 150);
}

/** For choices all (of texts, accuracy is accuracy_token); else the task's own metrics, and the one chosen in the overview. */
function headline(cell, task) {
  const wanted = new Set([...task.metrics, metricOf(task)]);
  return Object.entries(cell.metrics ?? {}).filter(([m]) =>
    isChoice(task) ? m !== "accuracy" || !cell.metrics.accuracy_token : wanted.has(m),
  );
}

/** All metrics of a cell, with what they were computed by. */
function metricTable(cell: Cell) {
  const all = Object.entries(cell.metrics ?? {});
  const binomial = all.some(([, x]) => x.wilson);
  const sampled = all.some(([, x]) => isNumber(x.spread));
  const heads = [t("value"), t("interval"), binomial && "Wilson", sampled && t("sampleSpread"), "n"].filter(Boolean);
  const numbers = (m: string, x: Metric): SheetValue[] => [
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
    h("p", { class: "note" }, t("intervalNoteCell")),
    sheetNode(sheet, { id: "metrics-table", heading: null, where: settingWords(cell) }),
  );
}

function provenance(cell) {
  const value = (v) => (v !== null && typeof v === "object" ? JSON.stringify(v) : String(v));
  return h(
    "details",
    null,
    h("summary", null, t("made")),
    h(
      "dl",
      { class: "settings" },
      Object.entries(cell.facts ?? {}).map(([k, v]) => [h("dt", null, k), data$("dd", "", value(v))]),
    ),
  );
}

export let shown: number[] = [],
  list = null,
  searching = 0; // entries on the list; the list; counts searches, so that a later one ends an earlier

export const current = () => (route().has("item") ? entryOf(open, route().get("item")) : undefined);

/** What was chosen of the list's items has changed: the buttons and the list follow, the field that is typed in stays. */
export function narrow() {
  for (const x of document.querySelectorAll(".listtools .seg button"))
    x.setAttribute("aria-pressed", String(x.dataset.value === state.filter));
  if ($("search").value !== state.query) $("search").value = state.query;
  search();
}

/** Narrow the list to what passes the filter and holds the words, shard by shard. */
async function search() {
  const cell = open,
    mine = ++searching,
    query = state.query.trim().toLowerCase(),
    asked = state.filter;
  const passing = filtersOf(cell).find(([name]) => name === asked)?.[1] ?? entriesOf(cell);
  shown = query ? [] : passing;
  drawList();
  drawItem();
  if (!query) return;
  const { shards } = columnOf(cell);
  for (const [n, [name, first]] of shards.entries()) {
    const content = await shard(name).catch(() => null);
    if (mine !== searching || cell !== open) return;
    const end = shards[n + 1]?.[1] ?? Infinity;
    if (content)
      shown = shown.concat(
        passing.filter(
          (e) => e >= first && e < end && wordsOf(rowIn(content, cell, e, first), cell, e).includes(query),
        ),
      );
    drawList(n + 1 < shards.length ? (n + 1) / shards.length : 1);
  }
  drawItem();
}

function wordsOf(row, cell, entry) {
  const x = row.item;
  return [
    idAt(cell, entry),
    x.question,
    ...x.dialogue,
    ...x.options,
    ...x.references,
    row.reply,
    row.rule,
    row.error ?? "",
    row.reasoning ?? "",
  ]
    .join("\n")
    .toLowerCase();
}

function drawList(done = 1) {
  const cell = open;
  const redraw = () => {
    if (open === cell) list?.redraw();
  };
  const line = (i) => {
    const entry = shown[i],
      kind = outcomeAt(cell, entry),
      row = rowNow(cell, entry, redraw);
    const said = row && (row.reply || row.error || (row.likelihoods ? row.text : "") || t("emptyReply"));
    return h(
      "button",
      { type: "button", class: "row", "aria-current": entry === current() && "true", onclick: () => step(entry) },
      h("span", { class: `badge b-${badge(kind)}` }, t(kind)),
      h("span", { class: "idno" }, `#${plain(idAt(cell, entry).split("/").pop())}`),
      row && listScore(row),
      h("span", { class: "data snippet", lang: langOf(row ? said : "") }, row ? visible(said.slice(0, 80)) : "…"),
    );
  };
  put(
    $("found"),
    t("found", num(shown.length), num(entriesOf(cell).length)),
    done < 1 && ` · ${t("searching", Math.floor(100 * done))}`,
  );
  list = longList($("rows"), shown.length, line);
  followItem();
}

/** Beside right and wrong: how far it is from right. */
function listScore({ scores }) {
  const metric = ["f1", "answer_f1", "delta_nll"].find((m) => scores[m] !== undefined);
  return (
    metric &&
    h("span", { class: "muted" }, ` ${metric === "f1" ? "F1" : metricName(metric)} ${figure(metric, scores[metric])}`)
  );
}

const step = (entry) => go({ ...cellRoute(open), item: idAt(open, entry) }, route().has("item"));

export function move(by) {
  const at = shown.indexOf(current()),
    next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
  if (next !== undefined) step(next);
}

/** Bring the item on screen into sight on the list. */
export function followItem() {
  const at = shown.indexOf(current());
  if (at >= 0) list?.show(at);
  else list?.redraw();
}

let drawing = 0; // counts drawings, so that a later one ends an earlier

export async function drawItem() {
  const cell = open,
    entry = current(),
    box = $("detail"),
    mine = ++drawing;
  $("panes").classList.toggle("has-item", route().has("item"));
  if (entry === undefined) {
    put(
      box,
      h("p", { class: "notice" }, route().has("item") ? t("gone") : t("pick")),
      h("p", { class: "muted" }, t("keys")),
    );
    return;
  }
  box.setAttribute("aria-busy", "true");
  const row = await rowAt(cell, entry).catch((error) => ({ lost: error.message }));
  if (mine !== drawing || cell !== open) return;
  box.removeAttribute("aria-busy");
  if (row.lost) {
    put(box, h("p", { class: "notice" }, visible(row.lost)));
    return;
  }
  const at = shown.indexOf(entry);
  put(
    box,
    h(
      "div",
      { class: "stepper" },
      button(t("toList"), () => go(cellRoute(open)), { class: "link tolist" }),
      button(`‹ ${t("prev")}`, () => move(-1), { id: "prev", disabled: at <= 0 }),
      button(`${t("next")} ›`, () => move(1), { id: "next", disabled: at === shown.length - 1 }),
      h("span", { class: "muted", role: "status" }, at < 0 ? "" : t("position", num(at + 1), num(shown.length))),
      h("span", { class: "muted keys" }, t("keys")),
    ),
    data$(
      "h2",
      "itemid",
      row.item.item +
        (row.rotation ? ` · ${t("rotation", row.rotation)}` : "") +
        (row.sample ? ` · ${t("sample", row.sample + 1)}` : ""),
    ),
    row.item.group && h("p", { class: "muted", id: "group" }, t("group"), " ", data$("span", "tag", row.item.group)),
    h(
      "div",
      { class: "two" },
      h(
        "div",
        null,
        h("h3", null, t("dialogue")),
        chat(row.item.dialogue, taskOf(cell.task).kind === "span" ? row.item.references : []),
      ),
      h(
        "div",
        null,
        h("h3", null, t("question")),
        h("p", { class: "data question", lang: langOf(row.item.question) }, emphasised(row.item.question, [], "")),
        row.finish === "nll" ? probed(row) : row.likelihoods ? likelihoods(row) : answers(row),
        replyBlock(row, outcomeAt(cell, entry)),
        secondReadings(row),
      ),
    ),
    opinions(row),
    h(
      "details",
      null,
      h("summary", null, t("prompt")),
      h("div", { class: "promptbox" }, copyButton(row.prompt), data$("pre", "", row.prompt)),
    ),
    h("section", { id: "others" }, h("h3", null, t("others"))),
  );
  reachable(box);
  await drawOthers(cell, entry, row, () => mine === drawing && cell === open);
}

/** Other models asked in the same way, and the same model asked in other ways. */
async function drawOthers(cell, entry, mine, wanted) {
  const same = data.cells.filter(
    (c) =>
      c !== cell &&
      ["set", "task", "split", "variant", "shots"].every((k) => c[k] === cell[k]) &&
      ((c.scoring === cell.scoring && c.perturb === cell.perturb) || c.id === cell.id),
  );
  const cards = await Promise.all(
    same.map(async (c) => {
      const other = entryOf(c, idAt(cell, entry)),
        row = other !== undefined && (await rowAt(c, other).catch(() => null));
      return row && otherCard(c, other, row, mine);
    }),
  );
  if (!wanted()) return;
  const there = cards.filter(Boolean);
  $("others").append(there.length ? h("div", { class: "cards" }, there) : h("p", { class: "muted" }, t("noOthers")));
  reachable($("others"));
}
