// The first tables of a page of several benchmarks: a row for each model with means over a group, and the parts of each mean.
import { $, button, div, h, type Kid, note, setChildren } from "../../common/dom.ts";
import { isNumber, num, sumOf } from "../../common/numbers.ts";
import { listed, t } from "../../common/words.ts";
import type { GroupChange, GroupChangePart, GroupColumn, GroupPart, GroupScore } from "../../types/results.ts";
import { unfoldParts } from "../actions.ts";
import { abilityPanel } from "../charts/abilities.ts";
import { panels } from "../charts/marks.ts";
import { savers } from "../charts/picture.ts";
import { benchmarkNamed, benchmarkOf, taskOf } from "../data.ts";
import {
  cellOfPart,
  changeIn,
  type GroupTable,
  type GroupTableColumn,
  type GroupTableRow,
  groupTables,
  type PartPlace,
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
import { between, cellText, inWords } from "../tables/figures.ts";
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
  const abilities = table.columns.filter(({ kind }) => kind === "ability");
  const charts = `abilities-${name}`;
  const drawn = abilities.map((column) =>
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
    note(
      t("wholeNote"),
      table.columns.some(({ absent }) => absent.length) && t("absentNote"),
      table.rows.some(({ row }) => row.scores.some((x) => isNumber(x.value) && !isNumber(x.low))) && t("noIntervals"),
      table.rows.some(({ row }) => row.parts.some((part) => part.estimated)) && t("estimateMarks"),
      wayOf(table),
    ),
    drawn.length > 0 && [
      div("titled", h("h3", null, t("byAbility")), savers(charts, `${title} · ${t("byAbility")}`)),
      panels(charts, drawn),
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

type MeanWithInterval = Pick<GroupScore, "value" | "low" | "high" | "missing">;
const meanCell = (
  { value, low, high, missing }: MeanWithInterval,
  parts: number,
  unfolds: SheetValue["unfolds"],
): SheetValue => ({
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

/** A mean with its parts, for the table that a press on the mean unfolds. */
interface UnfoldedMean {
  title: string;
  mean: MeanWithInterval & { items: number };
  /** The names of all parts, also of parts without a value. */
  names: string[];
  /** The columns of the parts' values; the first one has the mean's notation. */
  columns: SheetColumn[];
  parts: [part: GroupPart | GroupChangePart, values: SheetValue[]][];
}

function partsNode(table: GroupTable): Kid {
  for (const row of table.rows) {
    const column = table.columns.find((x) => keyOf(table, row, x) === state.parts);
    const score = column && scoreIn(row, column);
    if (score) return partsTable(table, row, scoreParts(row, column, score));
    const of = table.changes.find((x) => keyOf(table, row, x) === state.parts);
    const change = of && changeIn(row, of);
    if (change) return partsTable(table, row, changeParts(row, change));
  }
  return null;
}

const scoreParts = (row: GroupTableRow, column: GroupColumn, mean: GroupScore): UnfoldedMean => ({
  title: inWords(column),
  mean,
  names: partsOf(row, column),
  columns: [
    { heading: t("valueHead"), kind: "percent", range: [0, 1] },
    { heading: t("chance"), kind: "percent" },
  ],
  parts: presentParts(row, column).map((part) => {
    const { value, low, high, lost, estimated } = part;
    const cell = cellOfPart(row, part);
    return [part, [{ value, low, high, cell, flags: partFlags(lost, estimated) }, { value: part.chance }]];
  }),
});

const partFlags = (lost: number, estimated?: boolean | null): Flag[] => [
  ...(lost ? [{ text: `${num(lost)} ${t("lostN")}`, grave: true }] : []),
  ...(estimated ? [{ text: "≈", title: t("estimateIn") }] : []),
];

const changeParts = (row: GroupTableRow, mean: GroupChange): UnfoldedMean => ({
  title: `${titleOf(mean.benchmark)} · ${perturbName(mean.perturb)}`,
  mean,
  names: [...mean.parts.map(partName), ...mean.missing],
  columns: [{ heading: t("change"), kind: "percent", signed: true }],
  parts: mean.parts.map((part) => {
    const { value, low, high } = part;
    return [part, [{ value, low, high, cell: cellOfPart(row, part, mean.perturb) }]];
  }),
});

/** The settings of a part that differ from those of its row. */
const otherSettings = ({ row }: GroupTableRow, part: PartPlace): string[] => [
  ...(part.shots === row.shots ? [] : [`${t("shots")} ${part.shots}`]),
  ...(part.scoring === row.scoring ? [] : [t(part.scoring)]),
];

/** The table of a mean's parts, with a note on the mean. */
function partsTable(table: GroupTable, row: GroupTableRow, { title, mean, names, columns, parts }: UnfoldedMean): Kid {
  const weights = weightsOf(names);
  const present = parts.map(([part, values]): SheetRow => {
    const name = { value: taskName(taskOf(part.task)), asides: otherSettings(row, part) };
    const weight = { value: weights.get(partName(part)) ?? null };
    return { cells: [name, setLabel(part.set), metricName(part.metric), ...values, part.items, weight] };
  });
  const missing = mean.missing.map((name): SheetRow => {
    const [task, set] = name.split("/");
    const none: SheetValue = { value: null, flags: [{ text: t("partMissing"), grave: true }] };
    return { cells: [taskName(taskOf(task)), setLabel(set), "", none] };
  });
  const sheet: Sheet = {
    name: "parts",
    title: `${row.model.label} · ${title}`,
    columns: [
      { heading: t("task") },
      { heading: t("set") },
      { heading: t("metricHead") },
      ...columns,
      { heading: t("items"), kind: "count" },
      { heading: t("weight"), kind: "percent" },
    ],
    rows: [...present, ...missing],
    look: "robust parts",
  };
  const interval = between(columns[0], mean, 1);
  const value = cellText({ ...columns[0], digits: 1 }, { value: mean.value }).text + (interval && ` (${interval})`);
  const words = isNumber(mean.value)
    ? t("partsSum", value, num(mean.items))
    : t("noMean", mean.missing.length, parts.length + missing.length);
  const fold = () => flip(table, state.parts);
  const close = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    fold();
  };
  return h(
    "div",
    { onkeydown: close },
    sheetNode(sheet, {
      id: boxOf(table),
      heading: h("h3", { tabindex: -1 }, inWords(sheet.title), " ", button(t("fold"), fold, { class: "small" })),
      note: note(words),
      where: wayOf(table),
    }),
  );
}
