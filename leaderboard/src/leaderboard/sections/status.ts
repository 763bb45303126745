// The statuses of requests: how many replies were parsed, refused, truncated …
import { div, h, note, para, section } from "../../common/dom.ts";
import { listed, t } from "../../common/words.ts";
import { allOwnRows, modelOrder } from "../columns.ts";
import { picker, tick } from "../controls.ts";
import { counts, modelOf, scoreOf, taskOf } from "../data.ts";
import { estimateFlag } from "../details.ts";
import { cellAt, setNames } from "../filters.ts";
import { metricOf, tasks } from "../metric_choice.ts";
import { figure, metricName } from "../metrics.ts";
import { setLabel, setTitle, taskName } from "../names.ts";
import { state } from "../state.ts";
import { NO_ANSWER, STATUSES } from "../statuses.ts";
import { nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Cell, Sheet, SheetColumn, SheetRow, SheetValue, Status } from "../types.ts";

export function drawStatus() {
  const order = modelOrder();
  const rows = allOwnRows().sort((a, b) => (order.get(a.model.id) ?? 0) - (order.get(b.model.id) ?? 0));
  if (!rows.length) return null;
  const modelName = (id: string): string => (id ? modelOf(id).label : t("allModels"));
  const setName = (set: string): string => (set ? setTitle(set) : t(sets.length > 2 ? "all" : "allSets"));
  const [ids, sets] = [rows.map(({ model }) => model.id), setNames()];
  // A chosen model or set that the filters hide is not chosen here.
  const onlyModel = ids.includes(state.statusModel) ? state.statusModel : "";
  const onlySet = sets.includes(state.statusSet) ? state.statusSet : "";
  const cells = cellsOf(onlyModel ? [onlyModel] : ids, onlySet ? [onlySet] : sets);
  const there = STATUSES.filter((x, n) => !n || cells.some((c) => counts(c)[x] > 0));
  const absent = STATUSES.filter((x) => !there.includes(x));
  const sheet: Sheet = {
    name: "status",
    title: t("status"),
    columns: columns(there),
    rows: [...new Set(cells.map(({ id }) => id))].flatMap((id): SheetRow[] => [
      { kind: "group", cells: [nameCell(modelOf(id))] },
      ...cells.filter((c) => c.id === id).map((cell) => statusRow(cell, there)),
    ]),
    look: "status",
  };
  return section(
    "status",
    h("h2", null, t("status")),
    note(t("statusNote")),
    div(
      "controls",
      ids.length > 1 && picker("statusModel", t("model"), ["", ...ids], onlyModel, modelName),
      sets.length > 1 && picker("statusSet", t("set"), ["", ...sets], onlySet, setName),
      tick("issues", t("onlyIssues")),
    ),
    sheetNode(sheet, { id: "status-table", heading: null, tall: true }) ?? para("notice", t("noRows")),
    there.length > 1 && para("legend", there.map(key)),
    absent.length > 0 && note(t("statusNone", listed(absent.map((x) => t(x))))),
  );
}

const key = (x: Status) => h("span", null, h("i", { class: `s-${x}`, "aria-hidden": "true" }), t(x));

const columns = (there: Status[]): SheetColumn[] => [
  { heading: t("task") },
  { heading: t("set") },
  { heading: t("ofAll"), align: "right" },
  { heading: t("ofParsed"), kind: "percent" },
  { heading: t("requests"), kind: "count" },
  ...there.map((status): SheetColumn => ({ heading: t(status), kind: "count" })),
  { heading: t("share"), kind: "statuses" },
];

/** The cells of models and sets in view, model by model; only those with an issue if the person asks for these. */
const cellsOf = (ids: string[], sets: string[]): Cell[] =>
  ids
    .flatMap((id) => tasks.flatMap((x) => sets.flatMap((set) => cellAt(id, set, x.name) ?? [])))
    .filter((c) => !state.issues || isAmiss(c));

function isAmiss(cell: Cell): boolean {
  const n = counts(cell);
  return n.none + n.failed + (cell.estimate ? 0 : n.missing) > 0; // an estimate misses items by design
}

function statusRow(cell: Cell, there: Status[]): SheetRow {
  const n = counts(cell);
  const task = taskOf(cell.task);
  const metric = metricOf(task);
  const value = scoreOf(cell, metric);
  const score: SheetValue = { value, text: figure(metric, value), asides: [metricName(metric)], cell: null };
  const estimate = estimateFlag(cell);
  if (estimate) score.flags = [estimate];
  const numbers = [
    score,
    cell.accuracy_of_parsed ?? { value: null },
    cell.items,
    ...there.map((x) => countCell(x, n[x])),
  ];
  return { cells: [{ value: taskName(task), cell }, setLabel(cell.set), ...numbers, { value: null, cell }] };
}

/** The count of a status; counts of requests without an answer are drawn as warnings. */
function countCell(status: Status, n: number): SheetValue {
  if (!n) return { value: n, tone: "faint" };
  return { value: n, tone: status === STATUSES[0] ? "" : NO_ANSWER.includes(status) ? "warn" : "grave" };
}
