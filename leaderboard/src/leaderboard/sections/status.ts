// The statuses of requests: how many replies were parsed, refused, truncated …
import { h } from "../../common/dom.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { ownRows } from "../columns.ts";
import { picker, tick } from "../controls.ts";
import { counts, modelOf, scoreOf, taskOf } from "../data.ts";
import { estimateFlag } from "../estimates.ts";
import { allSets, cellAt, setNames } from "../filters.ts";
import { metricOf, tasks } from "../metric_choice.ts";
import { figure, metricName } from "../metrics.ts";
import { setLabel, setTitle, taskName } from "../names.ts";
import { state } from "../state.ts";
import { NO_ANSWER, STATUSES } from "../statuses.ts";
import { nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Cell, Model, Sheet, SheetColumn, SheetRow, SheetValue, Status, Task } from "../types.ts";

export function drawStatus() {
  const rows: { model: Model }[] = [...ownRows(false), ...ownRows(true)];
  if (!rows.length) return null;
  const modelName = (id: string): string => (id ? plain(modelOf(id).label) : t("allModels"));
  const setName = (set: string): string => (set ? setTitle(set) : t(allSets().length > 2 ? "all" : "allSets"));
  const sheet: Sheet = {
    name: "status",
    title: t("status"),
    columns: columns(),
    rows: rows.filter(({ model }) => !state.statusModel || model.id === state.statusModel).flatMap(modelRows),
    look: "status",
  };
  return h(
    "section",
    { class: "block" },
    h("h2", { id: "status" }, t("status")),
    h("p", { class: "note" }, t("statusNote")),
    h(
      "div",
      { class: "controls" },
      picker("statusModel", t("model"), ["", ...rows.map((r) => r.model.id)], state.statusModel, modelName),
      picker("statusSet", t("set"), ["", ...setNames()], state.statusSet, setName),
      tick("issues", t("onlyIssues")),
    ),
    sheetNode(sheet, { id: "status-table", heading: null, tall: true }) ?? h("p", { class: "notice" }, t("noRows")),
  );
}

const columns = (): SheetColumn[] => [
  { heading: t("task") },
  { heading: t("set") },
  { heading: t("ofAll"), align: "right" },
  { heading: t("ofParsed"), kind: "percent" },
  { heading: t("items"), kind: "count" },
  ...STATUSES.map((status): SheetColumn => ({ heading: t(status), kind: "count" })),
  { heading: t("share"), kind: "statuses" },
];

/** The rows of a model's cells in view. */
function modelRows({ model }: { model: Model }): SheetRow[] {
  const sets: string[] = setNames().filter((x: string) => !state.statusSet || x === state.statusSet);
  const cells: (Cell | undefined)[] = tasks.flatMap((x: Task) => sets.map((set) => cellAt(model.id, set, x.name)));
  const shown = cells.flatMap((c) => (c && (!state.issues || isAmiss(c)) ? [c] : []));
  return shown.length ? [{ kind: "group", cells: [nameCell(model)] }, ...shown.map(statusRow)] : [];
}

function isAmiss(cell: Cell): boolean {
  const n = counts(cell);
  return n.none + n.failed + (cell.estimate ? 0 : n.missing) > 0; // an estimate misses items by design
}

function statusRow(cell: Cell): SheetRow {
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
    ...STATUSES.map((x) => countCell(x, n[x])),
  ];
  return { cells: [{ value: taskName(task), cell }, setLabel(cell.set), ...numbers, { value: null, cell }] };
}

/** The count of a status; counts of requests without an answer are drawn as warnings. */
function countCell(status: Status, n: number): SheetValue {
  if (!n) return { value: n, tone: "faint" };
  return { value: n, tone: status === STATUSES[0] ? "" : NO_ANSWER.includes(status) ? "warn" : "grave" };
}
