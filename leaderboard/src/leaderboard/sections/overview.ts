// The overview: models by tasks.
import { button, byId, div, h, labelledSelect, note, withFocusKey } from "../../common/dom.ts";
import { isNumber, mean, num } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { choose, chooseMetricOf } from "../actions.ts";
import {
  chanceOf,
  columnCells,
  entryAt,
  hardestFirst,
  haveSameItems,
  inChosenOrder,
  type OverviewTable,
  type OwnRow,
  ownRows,
  type PaperRow,
  paperRows,
  rankedOnSameItems,
  setsBehind,
  type TableColumn,
} from "../columns.ts";
import { picker, tick } from "../controls.ts";
import {
  adapters,
  benchmarkOf,
  counts,
  data,
  distinct,
  isFirstBenchmarkOnly,
  manyBenchmarks,
  mapKey,
  taskOf,
} from "../data.ts";
import { contaminationSigns, estimateFlag, hasLeakedItems, leakNote, statusWords } from "../details.ts";
import { benchmarksShown, cellAt, cellsInView, haveIntervals } from "../filters.ts";
import { groupTables } from "../group_rows.ts";
import { choiceMetrics, metricOf, ownMetrics, tasks, textMetrics } from "../metric_choice.ts";
import { figure, isPaper, longName, metricName, span, spreadOf } from "../metrics.ts";
import { perturbName, setLabel, sourceWords, taskName, viewWords } from "../names.ts";
import { state } from "../state.ts";
import { SCORINGS } from "../statuses.ts";
import { asValue } from "../tables/figures.ts";
import { chanceRow, metricColumn, modelRows, nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import type {
  Cell,
  Flag,
  Mean,
  MetricFigure,
  Model,
  Sheet,
  SheetColumn,
  SheetRow,
  SheetValue,
  Task,
} from "../types.ts";
import { exportCsv } from "./export.ts";
import { filterBar } from "./filters.ts";
import { groupOf, haveGroups, lettersControl, lettersNote, lettersOf } from "./groups.ts";
import { notes, notice } from "./notes.ts";

const tablesShown = () => benchmarksShown().flatMap(hardestFirst);

/** The title and the first table: the page's first screen, which a change redraws before all else. */
export const drawTables = () =>
  h(
    "section",
    { class: `block${groupTables().length ? "" : " first"}` },
    div("titled", h("h2", null, t("overview")), pickers()),
    notice(),
    tablesShown().slice(0, 1).map(overviewTable),
  );

/** The tables after the first, and the notes on all tables. */
export const drawOtherTables = () =>
  h(
    "section",
    null,
    tablesShown().slice(1).map(overviewTable),
    note(
      t("overviewNote"),
      t(isFirstBenchmarkOnly() ? "rowsNote" : "rowsNoteAll"),
      state.intervals && cellsInView().some((c) => counts(c).none > 0) && t("noAnswerNote"),
      intervals() && t("intervalNote"),
      intervals() && cellsInView().some((c) => c.estimate) && t("intervalNoteEstimates"),
      state.intervals && lackIntervals() && t("noIntervals"),
    ),
    notes(),
    lettersNote(),
  );

/** The pickers of metrics and settings in a fold, whose summary states the chosen settings. */
const pickers = () =>
  h(
    "details",
    { id: "pickers", class: "fold", open: Boolean(byId<HTMLDetailsElement>("pickers")?.open) },
    h("summary", null, t("pickers"), h("small", null, ` ${viewWords()}`)),
    filterBar(),
    controls(),
  );

const lackIntervals = () =>
  cellsInView().some((c) => {
    const { value, low } = c.metrics?.[metricOf(taskOf(c.task))] ?? {};
    return isNumber(value) && !isNumber(low);
  });

/** A picker for each of the tasks that have the same metrics. */
function metricPickers() {
  const alike = new Map<string, Task[]>();
  for (const x of tasks) {
    const there = ownMetrics.get(x.name) ?? [];
    const key = mapKey(x.benchmark, ...x.metrics, "", ...there);
    if (there.length > 1) alike.set(key, [...(alike.get(key) ?? []), x]);
  }
  return [...alike.values()].map((mine) => {
    const { name } = mine[0];
    const shorts = mine.map((x) => x.short);
    const of = mine.length > 2 ? `${shorts[0]} – ${shorts.at(-1)}` : shorts.join(", ");
    const label = t("metricFor", benchmarkOf(mine[0]).title, of);
    const pick = (metric: string) => chooseMetricOf(mine, metric);
    return withFocusKey(
      `metric-${name}`,
      labelledSelect(label, ownMetrics.get(name) ?? [], metricOf(mine[0]), pick, longName),
    );
  });
}

/** The pickers of settings: [choice, its values in their order, the name of a value]. */
const SETTING_PICKERS: [SettingName, (() => string[]) | null, (value: string) => string][] = [
  ["variant", null, plain],
  ["shots", null, plain],
  ["scoring", () => SCORINGS, t],
  ["perturb", () => data.perturbations.map((x) => x.name), perturbName],
  ["split", null, plain],
];
type SettingName = "variant" | "shots" | "scoring" | "perturb" | "split";

function settingPickers() {
  return SETTING_PICKERS.map(([name, order, words]) => {
    const all = distinct(name).map(String);
    const values = order?.().filter((x) => all.includes(x)) ?? all;
    const pick = (value: string) => choose(name, value);
    return values.length > 1 && withFocusKey(name, labelledSelect(t(name), values, String(state[name]), pick, words));
  });
}

function controls() {
  const profiles: [string, string[]][] = [
    [t("profileDefault"), textMetrics.filter((m) => !isPaper(m))],
    [t("profilePaper"), textMetrics.filter(isPaper)],
  ];
  const groups = profiles.filter(([, list]) => list.length);
  return div(
    "controls",
    textMetrics.length > 1 && picker("metric", t("metric"), groups, state.metric, longName),
    choiceMetrics.length > 1 && picker("metricChoice", t("metricChoice"), choiceMetrics, state.metricChoice, longName),
    metricPickers(),
    settingPickers(),
    haveIntervals() && tick("intervals", t("intervals")),
    lettersControl(),
    data.published.length > 0 && tick("published", t("published")),
    adapters().length > 0 && tick("adapters", t("showAdapters", adapters().length)),
    button(t("csv"), exportCsv, { id: "csv", class: "push" }),
  );
}

function overviewTable(table: OverviewTable) {
  const { id, b, title, columns } = table;
  const looks = ["overview", state.letters && haveGroups() && "lettered", !intervals() && "narrow"];
  const sheet: Sheet = {
    name: "overview",
    title: manyBenchmarks() ? title : `${b.title} ${title}`,
    columns: [{ heading: t("model"), sortKey: "" }, ...columns.map(overviewColumn)],
    rows: overviewRows(columns),
    look: looks.filter(Boolean).join(" "),
    marks: { set: id },
  };
  return sheetNode(sheet, { id, heading: h("h3", { id: `set-${id}` }, title) });
}

const intervals = () => state.intervals && haveIntervals();

function overviewColumn({ key, task, set, label }: TableColumn): SheetColumn {
  const metric = metricOf(task);
  const cells: Cell[] = set === null ? [] : columnCells(set, task);
  const alike = haveSameItems(cells);
  const ns = cells.flatMap((c) => c.metrics?.[metric]?.n || []);
  const [low, high] = [Math.min(...ns), Math.max(...ns)];
  const n = ns.length > 0 && `n=${low === high ? num(low) : `${num(low)}–${num(high)}`}`;
  const leaks = new Map(cells.map((c) => [leakNote(c), hasLeakedItems(c)]));
  return {
    heading: label,
    below: [metricName(metric), n].filter(Boolean).join(t("comma")),
    flags: alike ? [] : [{ text: "≠", title: t("differ") }],
    remarks: [...leaks].filter(([text]) => text).map(([text, grave]) => ({ text, grave })),
    ...metricColumn(metric),
    ...(rankedOnSameItems(cells) ? {} : { better: "" }), // figures of different items are not ranked
    interval: intervals() ? "aligned" : "drawn",
    sortKey: key,
    spoken: `${taskName(task)}, ${setLabel(set)}`,
  };
}

/** The rows: the level of chance if any column has one, models, baselines, and models of papers. */
function overviewRows(columns: TableColumn[]): SheetRow[] {
  const rows = [...ownPart(columns, false), ...ownPart(columns, true), ...paperPart(columns)];
  const chance = chanceRow(columns.map(chanceLevel));
  const known = chance.cells.some((x) => isNumber(asValue(x).value));
  return known || !rows.length ? [chance, ...rows] : rows;
}

const chanceLevel = (column: TableColumn) => mean(setsBehind(column).map((set) => chanceOf(set, column.task)));

/** The rows of the models or of the baselines, with their heading. */
function ownPart(columns: TableColumn[], baseline: boolean): SheetRow[] {
  const here = (row: OwnRow) => !manyBenchmarks() || columns.some((c) => entryAt(row.model.id, c));
  const rows = inChosenOrder(ownRows(baseline).filter(here), columns);
  const cells = ({ model }: OwnRow) => [nameCell(model), ...columns.map((c) => modelCell(model, c))];
  return modelRows(baseline, rows.map(cells));
}

/** A model's value or mean. Baselines, and models with failed or missing items, are not ranked. */
function modelCell(model: Model, column: TableColumn): SheetValue {
  const { task } = column;
  const entry = entryAt(model.id, column);
  if (!entry) return { value: null };
  const metric = metricOf(task);
  const m: MetricFigure = entry.metrics?.[metric] ?? { value: null };
  const parts = setsBehind(column).map((set) => cellAt(model.id, set, task.name));
  const whole = parts.every((c) => c && counts(c).failed + counts(c).missing === 0);
  return {
    value: m.value,
    low: m.low,
    high: m.high,
    compares: !model.baseline && whole,
    ...("sets" in entry ? meanDetails(entry, metric, parts.length) : cellDetails(entry, metric, task, m)),
  };
}

/** The details of a mean: its standard deviation, and its number of sets if some of the task's sets (`of`) are missing. */
function meanDetails(entry: Mean, metric: string, of: number): Partial<SheetValue> {
  const m = entry.metrics[metric];
  const details = `${t("interval")} ${span(metric, m?.low, m?.high, 1)} · SD ${figure(metric, m?.sd).replace("+", "")}`;
  return {
    title: `${metricName(metric)} ${figure(metric, m?.value)} · ${details}`,
    flags: [
      ...(entry.sets.length < of ? [{ text: `${entry.sets.length}/${of}`, grave: true }] : []),
      ...(entry.estimates ? [{ text: "≈", title: t("estimateMean", entry.estimates) }] : []),
    ],
  };
}

/** The details of a cell: its evidence, significance group and warnings. */
function cellDetails(cell: Cell, metric: string, task: Task, m: MetricFigure): Partial<SheetValue> {
  const n = counts(cell);
  const between = span(metric, m.low, m.high, 1);
  const details = [
    `${metricName(metric)} ${figure(metric, m.value)}`,
    between && `${t("interval")} ${between}`,
    isNumber(m.spread) && `${t("sampleSpread")} ${spreadOf(metric, m, 1)}`,
    `n=${m.n ?? 0}`,
  ];
  const flags: (Flag | false | undefined | "" | null)[] = [
    n.none > 0 && {
      text: `${num(n.none)} ${t("noAnswer")}`,
      brief: `∅${num(n.none)}`,
      title: statusWords(cell),
    },
    n.failed > 0 && { text: `${num(n.failed)} ${t("failedN")}`, grave: true },
    contaminationSigns(cell).length > 0 && {
      text: t("signShort"),
      title: t("signRead", num(contaminationSigns(cell).length)),
    },
    estimateFlag(cell),
    n.missing > 0 && !cell.estimate && { text: `${num(n.missing)} ${t("missing")}`, grave: true },
    cell.not_finite && { text: t("notFinite", cell.not_finite), grave: true },
  ];
  const groups = groupOf(cell.set, task);
  return {
    cell,
    spread: m.spread,
    title: details.filter(Boolean).join(" · "),
    letters: lettersOf(cell, task),
    alike: groups && (groups.best === cell.id || groups.not_worse.includes(cell.id)),
    flags: flags.filter((x) => Boolean(x)) as Flag[],
  };
}

/** The paper's name for the mean over its models. */
const AVERAGE = "Average";

/** The rows of the paper's models under the tables that have them; the paper's average comes last. */
function paperPart(columns: TableColumn[]): SheetRow[] {
  const rows = state.published ? inChosenOrder(paperRows(columns), columns) : [];
  if (!rows.length) return [];
  const last = (row: PaperRow) => Number(row.label === AVERAGE);
  const name = ({ label }: PaperRow): SheetValue =>
    label === AVERAGE ? { value: t("average") } : { value: label, name: true };
  const figures = (row: PaperRow): SheetValue[] =>
    columns.map((c) => ({ value: row.value(c.set, c.task), compares: false }));
  const sources = ({ set, task }: TableColumn): string[] =>
    [...(rows[0].columns.get(mapKey(set ?? "", task.name))?.values() ?? [])].flatMap((e) => e.sources);
  const models = rows.filter((row) => !last(row)).length;
  const heading = [
    { value: t("paper"), asides: [t("nModels", models), t("paperNote")] },
    ...columns.map((c) => sourceWords(sources(c))),
  ];
  const below = [...rows]
    .sort((a, b) => last(a) - last(b))
    .map((row) => ({ part: "paper", cells: [name(row), ...figures(row)] }));
  return [{ part: "paper", kind: "group", cells: heading, folds: "paper" }, ...below];
}
