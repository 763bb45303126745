// The first tables of a page of several benchmarks: a row for each model with means over a group, and the parts of each mean.
import { $, button, h, type Kid, para, put, visible } from "../../common/dom.ts";
import { isNumber, num, pct, signed, sumOf } from "../../common/numbers.ts";
import { listed, sentences, t } from "../../common/words.ts";
import type { GroupChange, GroupColumn, GroupScore } from "../../types/results.ts";
import { unfoldParts } from "../actions.ts";
import { abilityPanel } from "../charts/abilities.ts";
import { savers } from "../charts/picture.ts";
import { benchmarkNamed, taskOf } from "../data.ts";
import {
  type Asked,
  cellOfPart,
  changeIn,
  foundIn,
  type GroupTable,
  type GroupTableRow,
  groupTables,
  partName,
  partsOf,
  scoreIn,
  tasksIn,
  type WholeColumn,
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

export function drawWholes() {
  const all = groupTables();
  return all.length > 0 && h("section", { class: "block first", id: "wholes" }, all.map(drawWhole));
}

function drawWhole(whole: GroupTable): Kid {
  const { name } = whole.group;
  const title = inWords(whole.group);
  const drawn = whole.columns.filter(({ kind }) => kind === "ability");
  const charts = `abilities-${name}`;
  const panels = drawn.map((column) =>
    abilityPanel(
      column,
      inOrder(whole.rows).map((row) => ({
        model: row.model,
        score: scoreIn(row, column),
        estimated: foundIn(row, column).some((part) => part.estimated),
        act: () => flip(whole, keyOf(whole, row, column)),
      })),
    ),
  );
  return [
    sheetNode(scoresOf(whole), { id: `whole-${name}`, heading: h("h2", null, title), where: wayOf(whole) }),
    h("div", { id: boxOf(whole), class: "parts" }, partsNode(whole)),
    para(
      "note",
      sentences(
        t("wholeNote"),
        whole.columns.some(({ absent }) => absent.length) && t("absentNote"),
        whole.rows.some(({ row }) => row.scores.some((x) => isNumber(x.value) && !isNumber(x.low))) && t("noIntervals"),
        whole.rows.some(({ row }) => row.parts.some((part) => part.estimated)) && t("estimateMarks"),
        wayOf(whole),
      ),
    ),
    panels.length > 0 && [
      h("div", { class: "titled" }, h("h3", null, t("byAbility")), savers(charts, `${title} · ${t("byAbility")}`)),
      h("div", { class: "panels", id: charts }, panels),
    ],
    whole.changes.length > 0 && sheetNode(changesOf(whole), { id: `changes-${name}`, where: wayOf(whole) }),
  ];
}

const wayOf = ({ rows }: GroupTable): string => settingWords(rows[0].row);

/** The rows of models before those of baselines, as in the table. */
const inOrder = (rows: GroupTableRow[]): GroupTableRow[] => [
  ...rows.filter(({ model }) => !model.baseline),
  ...rows.filter(({ model }) => model.baseline),
];

// ---- the tables
function scoresOf(whole: GroupTable): Sheet {
  const cells = (row: GroupTableRow) => whole.columns.map((column) => scoreCell(whole, row, column));
  return {
    name: "whole",
    title: inWords(whole.group),
    columns: [{ heading: t("model") }, ...whole.columns.map(scoreColumn)],
    rows: [...chancePart(whole), ...part(whole, false, cells), ...part(whole, true, cells)],
    look: "scorings whole",
    marks: { group: whole.group.name },
  };
}

function changesOf(whole: GroupTable): Sheet {
  const cells = (row: GroupTableRow) => whole.changes.map((of) => changeCell(whole, row, of));
  return {
    name: "whole_changes",
    title: t("wholeChanges"),
    columns: [{ heading: t("model") }, ...whole.changes.map(changeColumn)],
    rows: [...part(whole, false, cells), ...part(whole, true, cells)],
    look: "scorings whole",
    marks: { group: whole.group.name },
  };
}

function scoreColumn(column: WholeColumn): SheetColumn {
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
  return taskName(taskOf(task)) + (set ? ` ${setLabel(set)}` : "");
}

/** The row of the level of chance, if a column has one. */
function chancePart({ columns, rows }: GroupTable): SheetRow[] {
  const level = (column: GroupColumn) => rows.map((row) => scoreIn(row, column)?.chance).find(isNumber) ?? null;
  const levels = columns.map(level);
  return levels.some(isNumber) ? [chanceRow(levels)] : [];
}

/** The rows of the models or of the baselines, with their heading. `values` gives the cells beside a model's name. */
function part(whole: GroupTable, baseline: boolean, values: (row: GroupTableRow) => SheetValue[]): SheetRow[] {
  const rows = whole.rows.filter(({ model }) => model.baseline === baseline);
  return modelRows(
    baseline,
    rows.map((row) => [nameCell(row.model), ...values(row)]),
  );
}

function scoreCell(whole: GroupTable, row: GroupTableRow, column: WholeColumn): SheetValue {
  const score = scoreIn(row, column);
  if (!score) return { value: null };
  const parts = foundIn(row, column);
  const lost = sumOf(parts.map((part) => part.lost));
  const flags = partFlags(
    lost,
    parts.some((part) => part.estimated),
  );
  return {
    ...meanCell(score, partsOf(row, column).length, unfolding(whole, keyOf(whole, row, column))),
    compares: !row.model.baseline && !flags.length,
    ...(flags.length ? { flags } : {}),
  };
}

function changeCell(whole: GroupTable, row: GroupTableRow, of: Changed): SheetValue {
  const change = changeIn(row, of);
  if (!change) return { value: null };
  const all = change.parts.length + change.missing.length;
  return meanCell(change, all, unfolding(whole, keyOf(whole, row, of)));
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

const unfolding = (whole: GroupTable, key: string) => ({ key, box: boxOf(whole), act: () => flip(whole, key) });

/** Unfold the parts of a mean, or fold them again; the focus goes to them, and back to the mean. */
function flip(whole: GroupTable, key: string): void {
  unfoldParts(state.parts === key ? "" : key);
  const box = put($(boxOf(whole)), partsNode(whole));
  const means = [...$("wholes").querySelectorAll<HTMLElement>("[data-parts]")];
  for (const mean of means) mean.setAttribute("aria-expanded", String(mean.dataset.parts === state.parts));
  const head = box.querySelector<HTMLElement>("h3") ?? means.find((mean) => mean.dataset.parts === key);
  head?.focus({ preventScroll: true });
  head?.scrollIntoView({ block: "nearest" });
}

function partsNode(whole: GroupTable): Kid {
  for (const row of whole.rows) {
    const column = whole.columns.find((x) => keyOf(whole, row, x) === state.parts);
    const score = column && scoreIn(row, column);
    if (score) return scoreParts(whole, row, column, score);
    const of = whole.changes.find((x) => keyOf(whole, row, x) === state.parts);
    const change = of && changeIn(row, of);
    if (change) return changeParts(whole, row, change);
  }
  return null;
}

const PERCENT: SheetColumn = { heading: "", kind: "percent" };
const SIGNED: SheetColumn = { ...PERCENT, signed: true };

function scoreParts(whole: GroupTable, row: GroupTableRow, column: GroupColumn, score: GroupScore): Kid {
  const parts = foundIn(row, column);
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
  return unfolded(whole, row, inWords(column), PERCENT, score, heads, rows);
}

const partFlags = (lost: number, estimated?: boolean | null): Flag[] => [
  ...(lost ? [{ text: `${num(lost)} ${t("lostN")}`, grave: true }] : []),
  ...(estimated ? [{ text: "≈", title: t("estimateIn") }] : []),
];

function changeParts(whole: GroupTable, row: GroupTableRow, change: GroupChange): Kid {
  const weights = weightsOf([...change.parts.map(partName), ...change.missing]);
  const rows = change.parts.map((part) => {
    const cell = cellOfPart(row, part, change.perturb);
    const { value, low, high, items } = part;
    const weight = { value: weights.get(partName(part)) ?? null };
    return partRow(row, part, part.metric, [{ value, low, high, cell }, items, weight]);
  });
  const title = `${titleOf(change.benchmark)} · ${perturbName(change.perturb)}`;
  return unfolded(whole, row, title, SIGNED, change, [{ ...SIGNED, heading: t("change") }], rows);
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
  whole: GroupTable,
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
  const fold = () => flip(whole, state.parts);
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
      id: `parts-${whole.group.name}`,
      heading: h("h3", { tabindex: -1 }, visible(title), " ", button(t("fold"), fold, { class: "small" })),
      note: para("note", note),
      where: wayOf(whole),
    }),
  );
}
