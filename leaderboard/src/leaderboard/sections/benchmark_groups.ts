// The first tables of a page of several benchmarks: a row for each model with means over a group, and the parts of each mean.
import { $, button, h, type Kid, para, setChildren, visible } from "../../common/dom.ts";
import { isNumber, num, pct, signed, sumOf } from "../../common/numbers.ts";
import { listed, sentences, t } from "../../common/words.ts";
import type { GroupChange, GroupColumn, GroupScore } from "../../types/results.ts";
import { unfoldParts } from "../actions.ts";
import { abilityPanel } from "../charts/abilities.ts";
import { savers } from "../charts/picture.ts";
import { benchmarkNamed, benchmarkOf, taskOf } from "../data.ts";
import {
  type Asked,
  cellOfPart,
  changeIn,
  type GroupTable,
  type GroupTableColumn,
  type GroupTableRow,
  groupTables,
  partName,
  partsOf,
  presentParts,
  scoreIn,
  tasksIn,
  weightsOf,
} from "../group_rows.ts";
import { metricName } from "../metrics.ts";
import { perturbName, setLabel, settingWords, taskName } from "../names.ts";
import { state } from "../state.ts";
import { between, inWords } from "../tables/figures.ts";
import { chanceRow, modelRows, nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Flag, Sheet, SheetColumn, SheetRow, SheetValue } from "../types.ts";

type Changed = GroupTable["changes"][number];

export function drawGroupTables() {
  const all = groupTables();
  return all.length > 0 && h("section", { class: "block first", id: "wholes" }, all.map(drawGroupTable));
}

function drawGroupTable(table: GroupTable): Kid {
  const { name } = table.group;
  const title = inWords(table.group);
  const drawn = table.columns.filter(({ kind }) => kind === "ability");
  const charts = `abilities-${name}`;
  const panels = drawn.map((column) =>
    abilityPanel(
      column,
      inOrder(table.rows).map((row) => ({
        model: row.model,
        score: scoreIn(row, column),
        estimated: presentParts(row, column).some((part) => part.estimated),
        act: () => flip(table, keyOf(table, row, column)),
      })),
    ),
  );
  return [
    sheetNode(scoresOf(table), { id: `whole-${name}`, heading: h("h2", null, title), where: wayOf(table) }),
    h("div", { id: boxOf(table), class: "parts" }, partsNode(table)),
    para(
      "note",
      sentences(
        t("wholeNote"),
        table.columns.some(({ absent }) => absent.length) && t("absentNote"),
        table.rows.some(({ row }) => row.scores.some((x) => isNumber(x.value) && !isNumber(x.low))) && t("noIntervals"),
        table.rows.some(({ row }) => row.parts.some((part) => part.estimated)) && t("estimateMarks"),
        wayOf(table),
      ),
    ),
    panels.length > 0 && [
      h("div", { class: "titled" }, h("h3", null, t("byAbility")), savers(charts, `${title} · ${t("byAbility")}`)),
      h("div", { class: "panels", id: charts }, panels),
    ],
    table.changes.length > 0 && sheetNode(changesOf(table), { id: `changes-${name}`, where: wayOf(table) }),
  ];
}

const wayOf = ({ rows }: GroupTable): string => settingWords(rows[0].row);

/** The rows of models before those of baselines, as in the table. */
const inOrder = (rows: GroupTableRow[]): GroupTableRow[] => [
  ...rows.filter(({ model }) => !model.baseline),
  ...rows.filter(({ model }) => model.baseline),
];

// ---- the tables
function scoresOf(table: GroupTable): Sheet {
  const cells = (row: GroupTableRow) => table.columns.map((column) => scoreCell(table, row, column));
  return {
    name: "whole",
    title: inWords(table.group),
    columns: [{ heading: t("model") }, ...table.columns.map(scoreColumn)],
    rows: [...chancePart(table), ...part(table, false, cells), ...part(table, true, cells)],
    look: "scorings whole",
    marks: { group: table.group.name },
  };
}

function changesOf(table: GroupTable): Sheet {
  const cells = (row: GroupTableRow) => table.changes.map((of) => changeCell(table, row, of));
  return {
    name: "whole_changes",
    title: t("wholeChanges"),
    columns: [{ heading: t("model") }, ...table.changes.map(changeColumn)],
    rows: [...part(table, false, cells), ...part(table, true, cells)],
    look: "scorings whole",
    marks: { group: table.group.name },
  };
}

function scoreColumn(column: GroupTableColumn): SheetColumn {
  const { kind, parts, absent, alike } = column;
  const asked = tasksIn(parts);
  const flags: Flag[] = [
    ...(absent.length
      ? [
          {
            text: t("nTasks", `${asked}/${asked + absent.length}`),
            title: t("absent", listed(absent.map(nameOf))),
          },
        ]
      : []),
    ...(alike ? [] : [{ text: "≠", title: t("differ") }]),
  ];
  return {
    heading: column,
    below: absent.length ? "" : t("nTasks", asked),
    over: t(kind === "benchmark" ? "byBenchmark" : "byAbility"),
    flags,
    kind: "percent",
    better: alike ? "more" : "",
    interval: state.intervals ? "aligned" : "drawn",
    marks: { [kind]: column.name },
  };
}

const changeColumn = ({ perturb, benchmark }: Changed): SheetColumn => ({
  heading: titleOf(benchmark),
  over: perturbName(perturb),
  kind: "percent",
  signed: true,
  interval: state.intervals ? "aligned" : "drawn",
  marks: { perturb, benchmark },
});

const titleOf = (benchmark: string): string => benchmarkNamed(benchmark)?.title ?? benchmark;

/** The name of a part of groups.yaml: a task, or one of its sets. */
function nameOf(part: string): string {
  const [task, set] = part.split("/");
  return taskName(taskOf(task)) + (set ? ` ${setLabel(set, benchmarkOf(taskOf(task)))}` : "");
}

/** The row of the level of chance, if a column has one. */
function chancePart({ columns, rows }: GroupTable): SheetRow[] {
  const level = (column: GroupColumn) => rows.map((row) => scoreIn(row, column)?.chance).find(isNumber) ?? null;
  const levels = columns.map(level);
  return levels.some(isNumber) ? [chanceRow(levels)] : [];
}

/** The rows of the models or of the baselines, with their heading. `values` gives the cells beside a model's name. */
function part(table: GroupTable, baseline: boolean, values: (row: GroupTableRow) => SheetValue[]): SheetRow[] {
  const rows = table.rows.filter(({ model }) => model.baseline === baseline);
  return modelRows(
    baseline,
    rows.map((row) => [nameCell(row.model), ...values(row)]),
  );
}

function scoreCell(table: GroupTable, row: GroupTableRow, column: GroupTableColumn): SheetValue {
  const score = scoreIn(row, column);
  if (!score) return { value: null };
  const parts = presentParts(row, column);
  const lost = sumOf(parts.map((part) => part.lost));
  const flags = partFlags(
    lost,
    parts.some((part) => part.estimated),
  );
  return {
    ...meanCell(score, partsOf(row, column).length, unfolding(table, keyOf(table, row, column))),
    compares: !row.model.baseline && !flags.length,
    ...(flags.length ? { flags } : {}),
  };
}

function changeCell(table: GroupTable, row: GroupTableRow, of: Changed): SheetValue {
  const change = changeIn(row, of);
  if (!change) return { value: null };
  const all = change.parts.length + change.missing.length;
  return meanCell(change, all, unfolding(table, keyOf(table, row, of)));
}

type Mean = Pick<GroupScore, "value" | "low" | "high" | "missing">;
const meanCell = ({ value, low, high, missing }: Mean, parts: number, unfolds: SheetValue["unfolds"]): SheetValue => ({
  value,
  low,
  high,
  unfolds,
  asides: missing.length ? [`${parts - missing.length}/${parts}`] : [],
});

// ---- the parts of a mean
const boxOf = ({ group }: GroupTable) => `parts-${group.name}`;

/** The key of a mean in the address. */
const keyOf = ({ group }: GroupTable, { model }: GroupTableRow, of: GroupColumn | Changed): string =>
  [group.name, ...("kind" in of ? [of.kind, of.name] : [of.perturb, of.benchmark]), model.run, model.name].join(":");

const unfolding = (table: GroupTable, key: string) => ({ key, box: boxOf(table), act: () => flip(table, key) });

/** Unfold the parts of a mean, or fold them again; the focus goes to them, and back to the mean. */
function flip(table: GroupTable, key: string): void {
  unfoldParts(state.parts === key ? "" : key);
  const box = setChildren($(boxOf(table)), partsNode(table));
  const means = [...$("wholes").querySelectorAll<HTMLElement>("[data-parts]")];
  for (const mean of means) mean.setAttribute("aria-expanded", String(mean.dataset.parts === state.parts));
  const head = box.querySelector<HTMLElement>("h3") ?? means.find((mean) => mean.dataset.parts === key);
  head?.focus({ preventScroll: true });
  head?.scrollIntoView({ block: "nearest" });
}

function partsNode(table: GroupTable): Kid {
  for (const row of table.rows) {
    const column = table.columns.find((x) => keyOf(table, row, x) === state.parts);
    const score = column && scoreIn(row, column);
    if (score) return scoreParts(table, row, column, score);
    const of = table.changes.find((x) => keyOf(table, row, x) === state.parts);
    const change = of && changeIn(row, of);
    if (change) return changeParts(table, row, change);
  }
  return null;
}

const PERCENT: SheetColumn = { heading: "", kind: "percent" };
const SIGNED: SheetColumn = { ...PERCENT, signed: true };

function scoreParts(table: GroupTable, row: GroupTableRow, column: GroupColumn, score: GroupScore): Kid {
  const parts = presentParts(row, column);
  const weights = weightsOf(partsOf(row, column));
  const value: SheetColumn = { ...PERCENT, heading: t("valueHead"), range: [0, 1] };
  const rows = parts.map((part) =>
    partRow(row, part, part.metric, [
      {
        value: part.value,
        low: part.low,
        high: part.high,
        cell: cellOfPart(row, part),
        flags: partFlags(part.lost, part.estimated),
      },
      { value: part.chance },
      part.items,
      { value: weights.get(partName(part)) ?? null },
    ]),
  );
  const heads = [value, { ...PERCENT, heading: t("chance") }];
  return unfolded(table, row, inWords(column), PERCENT, score, heads, rows);
}

const partFlags = (lost: number, estimated?: boolean | null): Flag[] => [
  ...(lost ? [{ text: `${num(lost)} ${t("lostN")}`, grave: true }] : []),
  ...(estimated ? [{ text: "≈", title: t("estimateIn") }] : []),
];

function changeParts(table: GroupTable, row: GroupTableRow, change: GroupChange): Kid {
  const weights = weightsOf([...change.parts.map(partName), ...change.missing]);
  const rows = change.parts.map((part) => {
    const cell = cellOfPart(row, part, change.perturb);
    const { value, low, high, items } = part;
    const weight = { value: weights.get(partName(part)) ?? null };
    return partRow(row, part, part.metric, [{ value, low, high, cell }, items, weight]);
  });
  const title = `${titleOf(change.benchmark)} · ${perturbName(change.perturb)}`;
  return unfolded(table, row, title, SIGNED, change, [{ ...SIGNED, heading: t("change") }], rows);
}

/** A row of a part: its task and set, its metric, and its settings where they differ from the row's. */
function partRow({ row }: GroupTableRow, part: Asked, metric: string, values: (SheetValue | number)[]): SheetRow {
  const asides = [
    part.shots !== row.shots && `${t("shots")} ${part.shots}`,
    part.scoring !== row.scoring && t(part.scoring),
  ].filter((x) => x !== false);
  return { cells: [{ value: taskName(taskOf(part.task)), asides }, setLabel(part.set), metricName(metric), ...values] };
}

function unfolded(
  table: GroupTable,
  row: GroupTableRow,
  of: string,
  written: SheetColumn,
  mean: Mean & { items: number },
  heads: SheetColumn[],
  rows: SheetRow[],
): Kid {
  const title = `${row.model.label} · ${of}`;
  const missing = mean.missing.map((name): SheetRow => {
    const [task, set] = name.split("/");
    return {
      cells: [
        taskName(taskOf(task)),
        setLabel(set),
        "",
        { value: null, flags: [{ text: t("partMissing"), grave: true }] },
        ...heads.map(() => null),
        null,
      ],
    };
  });
  const sheet: Sheet = {
    name: "parts",
    title,
    columns: [
      { heading: t("task") },
      { heading: t("set") },
      { heading: t("metricHead") },
      ...heads,
      { heading: t("items"), kind: "count" },
      { heading: t("weight"), kind: "percent" },
    ],
    rows: [...rows, ...missing],
    look: "robust parts",
  };
  const fold = () => flip(table, state.parts);
  const interval = between(written, mean, 1);
  const figure = written.signed ? signed(mean.value) : pct(mean.value);
  const value = `${figure}${interval && ` (${interval})`}`;
  const note = isNumber(mean.value)
    ? t("partsSum", value, num(mean.items))
    : t("noMean", mean.missing.length, rows.length + missing.length);
  const close = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    fold();
  };
  return h(
    "div",
    { onkeydown: close },
    sheetNode(sheet, {
      id: `parts-${table.group.name}`,
      heading: h("h3", { tabindex: -1 }, visible(title), " ", button(t("fold"), fold, { class: "small" })),
      note: para("note", note),
      where: wayOf(table),
    }),
  );
}
