// Columns and rows of the overview's tables: rows of models and of papers, and their order.
import { NAMES } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import {
  benchmarkOf,
  data,
  isOfFirstBenchmark,
  manyBenchmarks,
  mapKey,
  meanIndex,
  meanKey,
  models,
  setsOn,
  taskOf,
} from "./data.ts";
import {
  benchmarksShown,
  cellAt,
  hasCells,
  isShown,
  matchesSearch,
  perturbOf,
  scoringOf,
  setNames,
} from "./filters.ts";
import { metricOf, tasks } from "./metric_choice.ts";
import { isLower, metricRow, publishedAs } from "./metrics.ts";
import { ownName, setHeading, setLabel, setWord } from "./names.ts";
import { BY_RANK, state } from "./state.ts";
import { meanRanks } from "./statistics.ts";
import type { Benchmark, Cell, Mean, MetricFigure, Model, Task } from "./types.ts";

/** A task and a set; a set of null stands for the mean over the task's sets. */
export interface TaskAndSet {
  task: Task;
  set: string | null;
}
export interface TableColumn extends TaskAndSet {
  /** The key that rows are sorted by. */
  key: string;
  label: string;
}
export interface OverviewTable {
  id: string;
  b: Benchmark;
  title: string;
  columns: TableColumn[];
}

/** The overview's tables of a benchmark: one for each set with a column for each task; if the benchmark is averaged over its sets,
 *  one for each task with its mean and its sets. A set without a column has no table. */
export function tablesOf(b: Benchmark): OverviewTable[] {
  const mine = tasks.filter((x) => benchmarkOf(x) === b);
  const there = setsOn(b);
  const sets = setNames().filter((x) => !there.length || there.includes(x));
  const before = manyBenchmarks() ? `${b.title} · ` : "";
  const ofSet = (task: Task, set: string) => ({ key: `${task.name}@${set}`, task, set, label: setLabel(set, b) });
  const whole = (task: Task) => ({ key: task.name, task, set: null, label: t("meanOver", setWord(b)) });
  if (b.averaged)
    return mine.map((task) => ({
      id: task.name,
      b,
      title: before + ownName(task),
      columns: [whole(task), ...sets.filter((set) => isAsked(task, set)).map((set) => ofSet(task, set))],
    }));
  const all = sets.map((set) => ({
    id: set,
    b,
    title: before + (setHeading(set, b) === set ? `${setWord(b)} ${set}` : setHeading(set, b)),
    columns: mine
      .filter((x) => isOfFirstBenchmark(x) || isAsked(x, set))
      .map((task) => ({ key: task.name, task, set, label: ownName(task) })),
  }));
  return all.filter(({ columns }) => columns.length);
}

/** Whether the page has cells of a task and set. */
const isAsked = (task: Task, set: string) => data.cells.some((c) => c.task === task.name && c.set === set);

/** The sets that a column's figures are from: its set; for a mean, all sets of the task, whatever set is chosen. */
export const setsBehind = ({ task, set }: TaskAndSet): string[] =>
  set === null ? setsOn(benchmarkOf(task)).filter((x) => isAsked(task, x)) : [set];

/** The overview's tables of a benchmark. The table of the hardest set comes first, since papers report that set. */
export const hardestFirst = (b: Benchmark): OverviewTable[] =>
  b.levels.length ? [...tablesOf(b)].reverse() : tablesOf(b);

const meanAt = (id: string, task: Task) =>
  meanIndex.get(meanKey({ ...state, id, task: task.name, scoring: scoringOf(task), perturb: perturbOf(task) }));

/** A model's figures in a column: its cell, or its mean over sets. */
export const entryAt = (id: string, { task, set }: TaskAndSet): Cell | Mean | undefined =>
  set === null ? meanAt(id, task) : cellAt(id, set, task.name);

/** The cells of the models in view in a column. */
export const columnCells = (set: string, task: Task) =>
  [...models.values()].filter(isShown).flatMap((m) => cellAt(m.id, set, task.name) ?? []);

/** Whether cells have the same items. Compares the facts that `CellResult.asked_items` in results/schema/cell.py compares. */
export function haveSameItems(cells: Cell[]) {
  const several = (of: (c: Cell) => string) => new Set(cells.map(of)).size;
  const asked = several(({ facts }) =>
    [facts?.data, facts?.limit, facts?.items?.sha256, facts?.seed, Boolean(facts?.drop_leaked)].join("|"),
  );
  return asked < 2 && several((c) => c.perturb) === several((c) => `${c.perturb}|${c.facts?.perturb_version}`);
}

/** Whether the cells that can be ranked have the same items; estimates are not ranked. */
export const rankedOnSameItems = (cells: Cell[]) => haveSameItems(cells.filter((c) => !c.estimate));

/** The level of chance of a column; null if its metric has none. */
export function chanceOf(set: string, task: Task) {
  const chance = columnCells(set, task).find((c) => typeof c.chance === "number")?.chance ?? null;
  return metricRow(metricOf(task))?.share ? chance : null; // a cell's level of chance is that of its share of right items
}

// ---- rows
/** A row of the overview, with the figures of one model. */
export interface Row {
  label: string;
  value(set: string | null, task: Task): number | null;
}
/** A row of a model that the page's runs evaluated. */
export interface OwnRow extends Row {
  model: Model;
  metric(set: string | null, task: Task): MetricFigure | null;
}
/** A row of a model whose figures a paper published. */
export interface PaperRow extends Row {
  /** The published figures of all models with their sources, by set and task. */
  columns: Map<string, PublishedFigures>;
}
/** Published figures: model -> its value, and the sources that report it. */
export type PublishedFigures = Map<string, { value: number; sources: string[] }>;

function ownRow(model: Model): OwnRow {
  const metric = (set: string | null, task: Task): MetricFigure | null =>
    entryAt(model.id, { set, task })?.metrics?.[metricOf(task)] ?? null;
  return { label: model.label, model, metric, value: (set, task) => metric(set, task)?.value ?? null };
}

/** The rows of the models in view, or of the baselines. */
export const ownRows = (baseline: boolean): OwnRow[] =>
  [...models.values()].filter((m) => m.baseline === baseline && isShown(m) && hasCells(m)).map(ownRow);

/** The rows of all models in view, before the rows of baselines. */
export const allOwnRows = (): OwnRow[] => [...ownRows(false), ...ownRows(true)];

/** Published figures of a set (null: the mean over sets), task and metric at the chosen number of shots and perturbation. */
export function published(set: string | null, task: string, metric: string): PublishedFigures {
  const figures: PublishedFigures = new Map();
  const wanted = {
    set: set ?? "avg",
    task,
    metric: publishedAs(taskOf(task), metric),
    shots: state.shots,
    group: undefined,
  };
  const perturb = perturbOf(taskOf(task));
  if (state.split !== "test") return figures; // papers' figures are of test splits
  if (!["generate", "nll"].includes(scoringOf(taskOf(task)))) return figures; // the models in papers wrote their answers
  for (const p of data.published) {
    const other = (Object.keys(wanted) as (keyof typeof wanted)[]).some((key) => p[key] !== wanted[key]);
    if (other || (p.perturb ?? "none") !== perturb || (p.wording ?? state.variant) !== state.variant) continue;
    const entry = figures.get(p.model) ?? { value: p.value, sources: [] };
    if (!entry.sources.includes(p.source)) entry.sources.push(p.source);
    figures.set(p.model, entry);
  }
  return figures;
}

export function paperRows(columns: TableColumn[]): PaperRow[] {
  const keyAt = (set: string | null, task: Task) => mapKey(set ?? "", task.name);
  const figures = new Map(
    columns.map((c) => [keyAt(c.set, c.task), published(c.set, c.task.name, metricOf(c.task))] as const),
  );
  const names = [...new Set([...figures.values()].flatMap((c) => [...c.keys()]))];
  return names.filter(matchesSearch).map((label) => ({
    label,
    columns: figures,
    value: (set, task) => figures.get(keyAt(set, task))?.get(label)?.value ?? null,
  }));
}

/** The columns by which a benchmark's rows are ranked: the columns of its hardest set, or of all sets if it is averaged over them. */
export function rankColumns(b: Benchmark): TableColumn[] {
  const tables = tablesOf(b);
  return b.averaged ? tables.flatMap(({ columns }) => columns) : (tables.at(-1)?.columns ?? []);
}

/** Sort rows by mean rank over a benchmark's columns, the best first; all its tables and charts use this order. */
function byRank<R extends Row>(rows: R[], columns: TableColumn[]): R[] {
  const better = (task: Task) => (isLower(metricOf(task)) ? -1 : 1);
  const ranks = meanRanks(
    columns.map(({ set, task }) =>
      rows.map((row) => {
        const value = row.value(set, task);
        return value === null ? null : better(task) * value;
      }),
    ),
  );
  const byRow = new Map(rows.map((row, i) => [row, ranks[i] ?? 0]));
  const rank = (row: R) => byRow.get(row) ?? 0;
  return [...rows].sort((a, b) => rank(a) - rank(b) || NAMES.compare(a.label, b.label));
}

/** Model id -> index in the order of models: by mean rank over the columns of the first benchmark shown, baselines last. The order
 *  is computed at each call, since it depends on the chosen metrics, settings and filters. */
export function modelOrder(): Map<string, number> {
  const [first] = benchmarksShown();
  const rows = [...models.values()].map(ownRow);
  const rowsOf = (baseline: boolean) => rows.filter(({ model }) => model.baseline === baseline);
  const all = [false, true].flatMap((baseline) =>
    first ? byRank(rowsOf(baseline), rankColumns(first)) : rowsOf(baseline),
  );
  return new Map(all.map(({ model }, i) => [model.id, i]));
}

/** Sort rows in the chosen order: by mean rank, by a column's value (`null` last) or by name. */
export function inChosenOrder<R extends Row>(rows: R[], columns: TableColumn[]): R[] {
  const { key, down } = state.sort;
  const sign = down ? -1 : 1;
  if (key === BY_RANK) return byRank(rows, rankColumns(benchmarkOf(columns[0].task)));
  if (key === "") return [...rows].sort((a, b) => sign * NAMES.compare(a.label, b.label));
  const { set, task } = sortedBy(columns);
  return rows
    .map((row) => ({ row, value: row.value(set, task) }))
    .sort(({ value: a }, { value: b }) =>
      a === null || b === null ? Number(a === null) - Number(b === null) : sign * (a - b),
    )
    .map(({ row }) => row);
}

/** The column that rows are sorted by: the chosen one. If the table lacks it, the chosen task on the table's set, or the first
 *  column of the table if the choice is a column of one set or of another benchmark. */
function sortedBy(columns: TableColumn[]): TaskAndSet {
  const { key } = state.sort;
  const asked = taskOf(key.split("@")[0]);
  const here = benchmarkOf(asked) === benchmarkOf(columns[0].task) && !key.includes("@");
  return columns.find((c) => c.key === key) ?? (here ? { set: columns[0].set, task: asked } : columns[0]);
}
