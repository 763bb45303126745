// What of the data is in view: the models, tasks, sets and cells that the chosen state asks for, and the metrics they are shown by.
import { isNumber, mean } from "../common/numbers.ts";
import { inChinese, t } from "../common/words.ts";
import {
  address,
  benchmarkOf,
  cellIndex,
  counts,
  data,
  everyTask,
  FIRST,
  heldTasks,
  isChoice,
  manyBenchmarks,
  meanIndex,
  meanPlace,
  metricRows,
  models,
  perturbation,
  setsThere,
  shared,
  taskOf,
} from "./data.ts";
import { baseName, isPaper, publishedAs } from "./metrics.ts";
import { state } from "./state.ts";
import type { Benchmark, Cell, Estimate, Mean, Model, Place, Task } from "./types.ts";

/** The tasks that the filters leave. */
export let tasks: Task[] = [];

/** Metrics that cells in view have: of the first benchmark's choices, and of its spans and texts. */
export let choiceMetrics: string[] = [];
export let textMetrics: string[] = [];

/** A sweep's adapters have their own section; elsewhere they are shown when asked for. */
export const inSight = (model: Model) => (state.adapters || !model.adapter) && admitted(model);

/** Only choices are asked in several ways; texts may be held to a pattern, too, and probes are likelihoods. */
export const scoringOf = (task: Task) =>
  task.kind === "probe"
    ? "nll"
    : isChoice(task) || (state.scoring === "constrained" && heldTasks.has(task.name))
      ? state.scoring
      : "generate";

/** A task that the chosen perturbation makes no sense for stays as it is. */
export function perturbOf(task: Task) {
  const { kinds, languages } = perturbation(state.perturb);
  return kinds.includes(task.kind) && languages.includes(benchmarkOf(task).language) ? state.perturb : "none";
}

export const cellAt = (
  id: string,
  set: string,
  task: string,
  scoring = scoringOf(taskOf(task)),
  perturb = perturbOf(taskOf(task)),
) => cellIndex.get(address(id, set, task, state.split, state.variant, state.shots, scoring, perturb));

export const ownName = (task: Task) => (inChinese() ? task.zh : task.en);
export const taskName = (task: Task) =>
  (manyBenchmarks() && task.benchmark ? `${benchmarkOf(task).title} · ` : "") + ownName(task);

type Settings = Pick<Place, "set" | "task" | "split" | "variant" | "shots">;

export const inPlace = (cell: Settings) =>
  cell.split === state.split && cell.variant === state.variant && cell.shots === state.shots && onPage(cell);

export const inView = (cell: Place) =>
  inPlace(cell) && cell.scoring === scoringOf(taskOf(cell.task)) && cell.perturb === perturbOf(taskOf(cell.task));

/** The paper's figures: model -> value and table, for a set (null: the mean over them), task and metric at the chosen number of shots and perturbation. */
export type Published = Map<string, { value: number; sources: string[] }>;
export function published(set: string | null, task: string, metric: string, group?: string): Published {
  const found: Published = new Map();
  const scoring = scoringOf(taskOf(task));
  const wanted = publishedAs(taskOf(task), metric);
  const of = set ?? "avg";
  if (!["generate", "nll"].includes(scoring)) return found; // the paper's models wrote their answers
  for (const p of data.published) {
    if (
      p.set !== of ||
      p.task !== task ||
      p.metric !== wanted ||
      p.shots !== state.shots ||
      p.group !== group ||
      (p.perturb ?? "none") !== perturbOf(taskOf(task))
    )
      continue;
    const entry = found.get(p.model) ?? { value: p.value, sources: [] };
    if (!entry.sources.includes(p.source)) entry.sources.push(p.source);
    found.set(p.model, entry);
  }
  return found;
}

export const SIZES: [name: string, from: number, to: number][] = [
  ["< 1B", 0, 1e9],
  ["1–3B", 1e9, 3e9],
  ["3–8B", 3e9, 8e9],
  ["8–15B", 8e9, 15e9],
  ["15–40B", 15e9, 4e10],
  ["≥ 40B", 4e10, Infinity],
];

export const sizeOf = ({ parameters }: Model) =>
  (parameters && SIZES.find(([, from, to]) => parameters >= from && parameters < to)?.[0]) || "?";

/** Texts parted by commas: a name passes that holds one of them. */
const named = (label: string) =>
  !state.find.trim() ||
  state.find
    .toLowerCase()
    .split(/[,，]/)
    .map((x) => x.trim())
    .some((x) => x && label.toLowerCase().includes(x));

/** Baselines have no size and stay beside models of any. */
export const admitted = (model: Model) =>
  named(model.label) &&
  (!state.tags.length || model.tags.some((x) => state.tags.includes(x))) &&
  (!state.size || model.baseline || sizeOf(model) === state.size);

export const onPage = (row: { task: string; set: string }) =>
  (!state.onlyBenchmark || benchmarkOf(taskOf(row.task)).name === state.onlyBenchmark) &&
  (!state.onlySet || row.set === state.onlySet) &&
  (!state.onlyTasks.length || state.onlyTasks.includes(row.task));

const setsOn = (b: Benchmark) => setsThere.get(b.name) ?? [];

export const benchmarksShown = () => data.benchmarks.filter((b) => tasks.some((x) => benchmarkOf(x) === b));

/** A task's own sets; null stands for the mean over them, where the paper tells that. */
export const setsOf = (task: Task): (string | null)[] =>
  benchmarkOf(task).averaged ? [null] : setNames().filter((x) => setsOn(benchmarkOf(task)).includes(x));

const meanAt = (id: string, task: Task) =>
  meanIndex.get(meanPlace({ ...state, id, task: task.name, scoring: scoringOf(task), perturb: perturbOf(task) }));

export const allSets = () => {
  const found = data.benchmarks.filter((b) => !state.onlyBenchmark || b.name === state.onlyBenchmark).flatMap(setsOn);
  return found.length ? [...new Set(found)] : data.benchmarks[0].sets;
};

export const setNames = () => allSets().filter((x) => !state.onlySet || x === state.onlySet);

export const publishedNote = (b: Benchmark) => (inChinese() ? b.published_zh : b.published_en);

const setWord = (b: Benchmark) => (inChinese() ? b.sets_zh : b.sets_en);

const benchmarkWith = (set: string) => data.benchmarks.find((b) => setsOn(b).includes(set));

/** A set's name: EASY, fold 3, dimension 10, v1; of null that of the mean. */
export function setLabel(set: string | null) {
  if (set === null) return t("meanHead");
  const own = benchmarkWith(set) ?? data.benchmarks[0];
  const number = own.averaged && /^[a-z]+(\d+)$/.exec(set)?.[1];
  return number ? `${setWord(own)} ${number}` : own.name === FIRST ? set.toUpperCase() : set;
}

/** The class of what is drawn for a set: its colour, by its place in the benchmark. */
export function setClass(set: string | null, task: Task) {
  const own = benchmarkOf(task);
  const all = [...new Set([...own.sets, ...setsOn(own)])];
  return `set${set === null ? 1 : all.indexOf(set) % 6}`;
}

/** The same with its benchmark's name before it, where there are several. */
export function setTitle(set: string) {
  const own = benchmarkWith(set);
  return (manyBenchmarks() && own ? `${own.title} · ` : "") + setLabel(set);
}

/** Those of every other task, by its name. */
export let ownMetrics = new Map<string, string[]>();

/** Those of CORECODE's choices and texts; of other tasks each its own. */
export function offerMetrics() {
  tasks = everyTask.filter(
    (x) =>
      (!state.onlyTasks.length || state.onlyTasks.includes(x.name)) &&
      (!state.onlyBenchmark || benchmarkOf(x).name === state.onlyBenchmark),
  );
  const known = [...metricRows.keys()];
  const place = (m: string) => 2 * (known.indexOf(baseName(m)) + 1 || known.length + 1) + Number(isPaper(m));
  const names = (wanted: (task: Task) => boolean) => {
    const cells = data.cells.filter((c) => inView(c) && wanted(taskOf(c.task)));
    return [...new Set(cells.flatMap((c) => Object.keys(c.metrics ?? {})))].sort((a, b) => place(a) - place(b));
  };
  [choiceMetrics, textMetrics] = [names((x) => shared(x) && isChoice(x)), names((x) => shared(x) && !isChoice(x))];
  ownMetrics = new Map(tasks.filter((x) => !shared(x)).map((x) => [x.name, names((y) => y.name === x.name)]));
}

export function metricOf(task: Task): string {
  if (!shared(task)) {
    const there = ownMetrics.get(task.name) ?? [];
    const wish = state.byTask.find((x) => x.startsWith(`${task.name}:`))?.slice(task.name.length + 1);
    return wish && there.includes(wish) ? wish : task.metrics[0];
  }
  const [wish, there] = isChoice(task) ? [state.metricChoice, choiceMetrics] : [state.metric, textMetrics];
  return there.includes(wish) ? wish : (task.metrics[0] ?? there[0] ?? wish);
}

export interface TableColumn {
  key: string;
  task: Task;
  /** null: the mean over the task's sets. */
  set: string | null;
  label: string;
}
export interface OverviewTable {
  id: string;
  b: Benchmark;
  title: string;
  columns: TableColumn[];
}
/** What the overview's tables are: a set's tasks, or, of a benchmark that is averaged, a task's sets after their mean.
 *  A column is {key, task, set, label}; its key is what rows are sorted by. */
export function tablesOf(b: Benchmark): OverviewTable[] {
  const mine = tasks.filter((x) => benchmarkOf(x) === b);
  const there = setsOn(b);
  const sets = setNames().filter((x) => !there.length || there.includes(x));
  const name = manyBenchmarks() ? `${b.title} · ` : "";
  const asked = (task: Task, set: string) => data.cells.some((c) => c.task === task.name && c.set === set);
  if (b.averaged) {
    return mine.map((task) => ({
      id: task.name,
      b,
      title: `${name}${ownName(task)}`,
      columns: [
        { key: task.name, task, set: null, label: t("meanOver", setWord(b)) },
        ...sets
          .filter((set) => asked(task, set))
          .map((set) => ({ key: `${task.name}@${set}`, task, set, label: setLabel(set) })),
      ],
    }));
  }
  return sets.map((set) => ({
    id: set,
    b,
    title: name + (b.name === FIRST ? setLabel(set) : `${setWord(b)} ${setLabel(set)}`),
    columns: mine
      .filter((x) => b.name === FIRST || asked(x, set))
      .map((task) => ({ key: task.name, task, set, label: ownName(task) })),
  }));
}

/** A model's figure in a column: of its cell, or of the mean. */
export const entryAt = (id: string, { task, set }: Pick<TableColumn, "task" | "set">): Cell | Mean | undefined =>
  set === null ? meanAt(id, task) : cellAt(id, set, task.name);

/** The settings that all tables of the overview share, for captions. */
export const viewWords = () => settingWords(state);

export const settingWords = (x: Pick<Place, "split" | "variant" | "shots" | "scoring" | "perturb">) =>
  [
    x.split,
    `${t("variant")} ${x.variant}`,
    `${t("shots")} ${x.shots}`,
    `${t("scoring")} ${t(x.scoring)}`,
    x.perturb !== "none" && perturbName(x.perturb),
  ]
    .filter(Boolean)
    .join(", ");

export const haveIntervals = () =>
  data.cells.some((c) => inView(c) && Object.values(c.metrics ?? {}).some((m) => isNumber(m.low) && isNumber(m.high)));

/** A row of the overview: a model's figures. */
export interface Row {
  label: string;
  value(set: string | null, task: Task): number | null;
}
/** Of a model of this page. */
export interface OwnRow extends Row {
  model: Model;
  metric(set: string | null, task: Task): Estimate | null;
}
/** Of a paper. */
export interface PaperRow extends Row {
  /** Where each figure is from, by set and task. */
  columns: Map<string, Published>;
}

/** Models of a group in the order asked for: by a column's value (`null` last) or by name. */
export function ordered<R extends Row>(rows: R[], columns: TableColumn[]): R[] {
  const { key, down } = state.sort;
  const sign = down ? -1 : 1;
  if (key === "") return [...rows].sort((a, b) => sign * a.label.localeCompare(b.label));
  const { set, task } = sortedBy(columns);
  return rows
    .map((row) => ({ row, value: row.value(set, task) }))
    .sort(({ value: a }, { value: b }) =>
      a === null || b === null ? Number(a === null) - Number(b === null) : sign * (a - b),
    )
    .map(({ row }) => row);
}

/** The column that rows go by: that asked for, or of another benchmark's tables the first. */
function sortedBy(columns: TableColumn[]): Pick<TableColumn, "task" | "set"> {
  const { key } = state.sort;
  const asked = taskOf(key.split("@")[0]);
  return (
    columns.find((c) => c.key === key) ??
    (benchmarkOf(asked) === benchmarkOf(columns[0].task) && !key.includes("@")
      ? { set: columns[0].set, task: asked }
      : columns[0])
  );
}

export function ownRows(baseline: boolean): OwnRow[] {
  return [...models.values()]
    .filter((m) => m.baseline === baseline && inSight(m))
    .map((m) => {
      const metric = (set: string | null, task: Task): Estimate | null =>
        entryAt(m.id, { set, task })?.metrics?.[metricOf(task)] ?? null;
      return {
        label: m.label,
        model: m,
        metric,
        value: (set: string | null, task: Task) => metric(set, task)?.value ?? null,
      };
    })
    .filter((row) => data.cells.some((c) => c.id === row.model.id && inView(c)));
}

export function paperRows(columns: TableColumn[]): PaperRow[] {
  const place = (set: string | null, task: Task) => address(set ?? "", task.name);
  const found = new Map(columns.map((c) => [place(c.set, c.task), published(c.set, c.task.name, metricOf(c.task))]));
  const names = [...new Set([...found.values()].flatMap((c) => [...c.keys()]))];
  return names.filter(named).map((label) => ({
    label,
    columns: found,
    value: (set: string | null, task: Task) => found.get(place(set, task))?.get(label)?.value ?? null,
  }));
}

export const columnCells = (set: string, task: Task) =>
  [...models.values()].filter(inSight).flatMap((m) => cellAt(m.id, set, task.name) ?? []);

export const sameItems = (cells: Cell[]) =>
  new Set(cells.map((c) => `${c.facts?.data}|${c.facts?.limit}|${c.facts?.seed}|${Boolean(c.facts?.drop_leaked)}`))
    .size < 2 &&
  new Set(cells.map((c) => c.perturb)).size ===
    new Set(cells.map((c) => `${c.perturb}|${c.facts?.perturb_version}`)).size;

export function chanceOf(set: string, task: Task) {
  const cell = columnCells(set, task).find((c) => typeof c.chance === "number");
  return cell?.chance != null && /^(?!set_).*accuracy/.test(metricOf(task)) ? cell.chance : null; // of macro F1 guessing has none
}

export const perturbName = (name: string) =>
  name === "none" ? t("perturbNone") : `${name} · ${perturbation(name)[inChinese() ? "zh" : "en"]}`;
