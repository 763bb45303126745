// The list of a cell's items: its filters, its search and its lines.
import { $, button, buttonRow, div, h, setChildren } from "../../common/dom.ts";
import { num } from "../../common/numbers.ts";
import { langOf } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { filterItems, searchItems } from "../actions.ts";
import { searchField } from "../controls.ts";
import { data, modelOf } from "../data.ts";
import { figure, metricName, metricRow } from "../metrics.ts";
import { state } from "../state.ts";
import { NO_ANSWER } from "../statuses.ts";
import type { Cell } from "../types.ts";
import { drawItem } from "./item.ts";
import { type LongList, longList } from "./list.ts";
import { currentEntry, listedEntries, openCell, openListed, setListedEntries } from "./open.ts";
import { badge } from "./reply.ts";
import {
  columnOf,
  entriesOf,
  hasSeveralOfAnItem,
  idAt,
  loadedReply,
  outcomeAt,
  type Reply,
  replyIn,
  shard,
} from "./shards.ts";

// ---- filters
/** Filters that are offered even if no item passes them. */
const ALWAYS = ["all", "flipped", "disagree", "right", "wrong", "notParsed"];

/** The filters of the list: [name, the entries that pass]. */
function filtersOf(cell: Cell) {
  const all = entriesOf(cell);
  const of = (...kinds: string[]) => all.filter((e) => kinds.includes(outcomeAt(cell, e)));
  const wanted: [name: string, entries: number[] | undefined | false][] = [
    ["all", all],
    ["flipped", cell.flips],
    ["disagree", comparable(cell).length > 1 && all.filter((e) => disagree(cell, e))],
    ["right", of("right")],
    ["partial", of("partial")],
    ["wrong", of("wrong")],
    ["notParsed", of(...NO_ANSWER)],
    ...NO_ANSWER.map((x): [string, number[]] => [x, of(x)]),
    ["failedFilter", of("failed")],
    ["otherStatus", of("otherStatus")],
  ];
  return new Map(
    wanted.flatMap(([name, entries]) =>
      entries && (entries.length || ALWAYS.includes(name)) ? [[name, entries] as const] : [],
    ),
  );
}

/** The cells whose answers to the same items are compared: the cells of the column, without baselines if two other models are left. */
function comparable(cell: Cell) {
  const column = columnOf(cell);
  column.cells ??= data.cells.filter((c) => c.column === cell.column);
  const ofModels = column.cells.filter((c) => !modelOf(c.id).baseline);
  return ofModels.length > 1 ? ofModels : column.cells;
}

/** Whether one model answers the item rightly and another does not. */
export function disagree(cell: Cell, entry: number) {
  const codes = comparable(cell)
    .map((c) => c.outcomes[entry])
    .filter((code) => code !== "." && data.outcomes[code] !== "failed"); // a failed request is no answer
  return codes.includes("r") && codes.some((code) => code !== "r");
}

export function listTools(cell: Cell) {
  const values = [...filtersOf(cell)].map(([name, entries]): [string, string] => [
    name,
    `${t(name)} ${num(entries.length)}`,
  ]);
  return div(
    "listtools",
    buttonRow(t("statusIs"), values, state.filter, filterItems),
    searchField("search", t("search"), state.query, searchItems),
  );
}

/** Redraw the filters and the list after a change of the filter; the search field keeps its focus. */
export function redrawItems() {
  for (const x of document.querySelectorAll<HTMLElement>(".listtools .seg button"))
    x.setAttribute("aria-pressed", String(x.dataset.value === state.filter));
  const box = $<HTMLInputElement>("search");
  if (box.value !== state.query) box.value = state.query;
  search();
}

let searching = 0; // the number of the latest search; an earlier one that still waits for shards stops

/** List the entries that pass the filter and contain the searched words. Shards are loaded and searched one by one. */
export async function search() {
  const cell = openCell;
  const mine = ++searching;
  const query = state.query.trim().toLowerCase();
  if (!cell) return;
  const passing = filtersOf(cell).get(state.filter) ?? entriesOf(cell);
  setListedEntries(query ? [] : passing);
  drawList(cell);
  drawItem();
  if (!query) return;
  const { shards } = columnOf(cell);
  let problem = "";
  for (const [n, [name, first]] of shards.entries()) {
    const content = await shard(name).catch((error: Error) => {
      problem = error.message;
      return null;
    });
    if (mine !== searching || cell !== openCell) return;
    const end = shards[n + 1]?.[1] ?? Number.POSITIVE_INFINITY;
    const holds = (e: number) => content && wordsOf(replyIn(content, cell, e, first), idAt(cell, e)).includes(query);
    setListedEntries(listedEntries.concat(passing.filter((e) => e >= first && e < end && holds(e))));
    drawList(cell, (n + 1) / shards.length, problem);
  }
  drawItem();
}

/** The text of an entry that is searched. */
function wordsOf(row: Reply | undefined, id: string) {
  if (!row) return "";
  const { question, dialogue, options, references } = row.item;
  const texts = [id, question, ...dialogue, ...options, ...references, row.reply, row.rule, row.error, row.reasoning];
  return texts.join("\n").toLowerCase();
}

// ---- lines
let list: LongList | null = null;

/** Draw the list. `done`: the share of shards that have been searched; `problem`: the reason why one of them was not. */
function drawList(cell: Cell, done = 1, problem = "") {
  const redraw = () => {
    if (openCell === cell) list?.redraw();
  };
  setChildren(
    $("found"),
    t(hasSeveralOfAnItem(cell) ? "foundRequests" : "found", num(listedEntries.length), num(entriesOf(cell).length)),
    done < 1 && ` · ${t("searching", Math.floor(100 * done))}`,
    problem && ` · ${problem}`,
  );
  list = longList($("rows"), listedEntries.length, (i) => entryLine(cell, listedEntries[i], redraw));
  followItem();
}

function entryLine(cell: Cell, entry: number, redraw: () => void) {
  const row = loadedReply(cell, entry, redraw);
  const snippet = row && (row.reply || row.error || (row.likelihoods ? row.text : "") || t("emptyReply"));
  return button(
    [
      badge(outcomeAt(cell, entry)),
      h("span", { class: "idno" }, `#${idAt(cell, entry).split("/").at(-1) ?? ""}`),
      row && listScore(row),
      h("span", { class: "data snippet", lang: langOf(snippet ?? "") }, snippet ? snippet.slice(0, 80) : "…"),
    ],
    () => openListed(entry),
    { class: "row", "aria-current": entry === currentEntry() && "true" },
  );
}

/** The score that a line shows beside its outcome: the first metric that is no share of right items. */
function listScore({ scores }: Reply) {
  const metric = Object.keys(scores).find((m) => !metricRow(m)?.share);
  return metric && h("span", { class: "muted" }, ` ${metricName(metric)} ${figure(metric, scores[metric])}`);
}

/** Scroll the list to the open item. */
export function followItem() {
  const at = listedEntries.indexOf(currentEntry() ?? -1);
  if (at >= 0) list?.show(at);
  else list?.redraw();
}
