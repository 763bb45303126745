// The page's data, as evalsuite/page/report.py packs them: models, tasks, benchmarks and cells, each with a lookup.
import { h } from "../common/dom.ts";
import { NAMES, sumOf } from "../common/numbers.ts";
import { brief } from "../common/text.ts";
import { t } from "../common/words.ts";
import { NO_ANSWER, STATUSES } from "./statuses.ts";
import type {
  About,
  Benchmark,
  Cell,
  Counts,
  Flag,
  Mean,
  MetricRow,
  Model,
  PageData,
  Perturbation,
  Place,
  Placed,
  Task,
} from "./types.ts";

export const nameNode = (model: Model) =>
  h(
    "span",
    { class: "data name", title: [model.label, recordingWords(model)].filter(Boolean).join(" · ") },
    model.label,
  );

/** The date and the source of a model's recorded replies; nothing if the run asked the model itself. */
export const recordingWords = ({ recorded }: Model) =>
  recorded &&
  t(
    "recordedTold",
    [recorded.model, recorded.revision].filter(Boolean).join(" · "),
    recorded.date,
    Object.entries(recorded.versions)
      .map((parts) => parts.join(" "))
      .join(", "),
  );

/** The flag of a model whose replies were recorded. */
export const recordedFlags = (model: Model): Flag[] =>
  model.recorded ? [{ text: t("recorded"), title: recordingWords(model) ?? "" }] : [];

/** The page's data; `prepare` sets this and the lookups below. */
export let data: PageData;
/** The models by id, in the order in which they are shown. */
export let models: Map<string, Model>;
/** The tasks that have cells; on a page without cells, the tasks of the first benchmark. */
export let everyTask: Task[];
/** The metrics' rows by name, in the order in which metrics are offered. */
export let metricRows = new Map<string, MetricRow>();
/** The tasks by name. */
let taskIndex: Map<string, Task>;
/** The benchmarks by name. */
let benchmarkIndex: Map<string, Benchmark>;
/** The cells by place. */
export let cellIndex: Map<string, Cell>;
/** Names of tasks that have cells of the scoring "constrained". */
export let constrainedTasks: Set<string>;
/** Benchmark -> its sets on this page, in its order. */
let setsByBenchmark: Map<string, string[]>;
/** Means over a task's sets, by place. */
export let meanIndex: Map<string, Mean>;

export function prepare(content: PageData) {
  data = content;
  metricRows = new Map(data.metrics.map((m) => [m.name, m]));
  taskIndex = new Map(data.tasks.map((x) => [x.name, x]));
  benchmarkIndex = new Map(data.benchmarks.map((b) => [b.name, b]));
  const used = new Set(data.cells.map((c) => c.task));
  everyTask = data.tasks.filter((x) => (used.size ? used.has(x.name) : x.benchmark === data.benchmarks[0].name));
  models = new Map();
  for (const [number, cell] of data.cells.entries()) {
    cell.number = number;
    cell.id = modelId(cell.run, cell.model);
    cell.scoring ??= "generate"; // earlier versions had no other scoring, and no such key
    cell.perturb ??= "none";
    if (!models.has(cell.id))
      models.set(cell.id, {
        id: cell.id,
        run: cell.run,
        name: cell.model,
        label: cell.model,
        baseline: isBaseline(cell),
        adapter: Boolean(cell.facts?.trained),
        tags: cell.facts?.tags ?? [],
        parameters: cell.facts?.parameters,
        recorded: cell.facts?.recorded,
      });
  }
  // Numbers within names are sorted by their value: "-25" before "-100".
  models = new Map([...models].sort(([, a], [, b]) => a.run - b.run || NAMES.compare(a.name, b.name)));
  labelModels();
  cellIndex = new Map(data.cells.map((c) => [cellKey(c), c]));
  constrainedTasks = new Set(data.cells.filter((c) => c.scoring === "constrained").map((c) => c.task));
  prepareBenchmarks();
}

/** The model with an id. Throws if the page has none. */
export function modelOf(id: string): Model {
  const model = models.get(id);
  if (!model) throw Error(id);
  return model;
}

export const adapters = () => [...models.values()].filter((m) => m.adapter);

const isBaseline = (cell: Cell) =>
  cell.facts?.backend === "baseline" || Boolean(cell.facts?.tags?.includes("baseline"));

/** A key of a map, from several parts. */
export const mapKey = (...parts: unknown[]) => parts.join("\t");

/** A model's id on this page: the index of its run, and its name. */
export const modelId = (run: number | undefined, name: string | undefined) => mapKey(run, name);

/** The key of a cell in `cellIndex`. */
export const cellKey = (c: Placed) => mapKey(c.id, c.set, c.task, c.split, c.variant, c.shots, c.scoring, c.perturb);

/** The cell of a run that `about` names; undefined if `about` lacks a coordinate, or the run lacks the cell. */
export const cellOfAbout = (run: number | undefined, about: About): Cell | undefined =>
  cellIndex.get(cellKey({ ...(about as Place), id: modelId(run, about.model) }));

export const isChoice = (task: Task) => task.kind === "choice";

export const perturbation = (name: string): Perturbation =>
  data.perturbations.find((x) => x.name === name) ?? { name, zh: name, en: name, kinds: [], languages: [] };

function labelModels() {
  const all = [...models.values()];
  for (const model of all) {
    const name = data.runs[model.run]?.name ?? String(model.run + 1);
    const sameRun = data.runs.filter((r) => r.name === name).length > 1;
    const several = all.filter((m) => m.name === model.name).length > 1;
    model.label = several ? `${brief(model.name)} (${name}${sameRun ? ` #${model.run + 1}` : ""})` : brief(model.name);
  }
}

/** The values that a field has in the page's cells, sorted. */
export function distinct<K extends keyof Place>(name: K): Place[K][] {
  const sorted =
    values.get(name) ?? [...new Set(data.cells.map((c) => c[name]))].sort((a, b) => Number(a > b) - Number(a < b));
  values.set(name, sorted);
  return sorted as Place[K][];
}
const values = new Map<keyof Place, (string | number)[]>(); // the results of `distinct`, by field

export const taskOf = (name: string): Task =>
  taskIndex.get(name) ?? {
    name,
    short: name,
    zh: name,
    en: name,
    kind: "text",
    metrics: [],
    benchmark: "",
  };

export const scoreOf = (cell: Cell | undefined, metric: string) => cell?.metrics?.[metric]?.value ?? null;

/** The numbers of a cell's requests by status; `none`: replies without an answer. */
export function counts(cell: Cell): Counts {
  if (cell.counted) return cell.counted;
  const all = Object.fromEntries(STATUSES.map((x) => [x, cell.status?.[x] ?? 0])) as Counts;
  // An estimate counts its unasked items as missing, so that it is not ranked.
  all.missing = Math.max(cell.missing ?? 0, cell.estimate ? cell.estimate.of - cell.estimate.asked : 0);
  all.none = sumOf(NO_ANSWER.map((x) => all[x]));
  cell.counted = all;
  return all;
}

export const benchmarkNamed = (name: string) => benchmarkIndex.get(name);

export const benchmarkOf = (task: Task) => benchmarkNamed(task.benchmark) ?? data.benchmarks[0];

export const benchmarksHere = () => data.benchmarks.filter((b) => everyTask.some((x) => benchmarkOf(x) === b));

export const manyBenchmarks = () => benchmarksHere().length > 1;

/** The sets of a benchmark that are on this page. */
export const setsOn = (b: Benchmark) => setsByBenchmark.get(b.name) ?? [];

function prepareBenchmarks() {
  const setsOf = (b: Benchmark) => {
    const there = new Set(data.cells.filter((c) => benchmarkOf(taskOf(c.task)) === b).map((c) => c.set));
    return [...b.sets.filter((x) => there.has(x)), ...[...there].filter((x) => !b.sets.includes(x)).sort()];
  };
  setsByBenchmark = new Map(data.benchmarks.map((b) => [b.name, setsOf(b)]));
  meanIndex = new Map(
    data.runs.flatMap((run, i) => (run.means ?? []).map((x) => [meanKey({ ...x, id: modelId(i, x.model) }), x])),
  );
}

/** The key of a mean in `meanIndex`. */
export const meanKey = (x: Omit<Placed, "set">) =>
  mapKey(x.id, x.task, x.split, x.variant, x.shots, x.scoring, x.perturb);

/** Whether the page shows the first benchmark alone. */
export const isFirstBenchmarkOnly = () => !manyBenchmarks() && everyTask.some(isOfFirstBenchmark);

/** The first part of the names of saved files. */
export const fileStem = () => (manyBenchmarks() ? "evalsuite" : (benchmarksHere()[0] ?? data.benchmarks[0]).name);

/** Whether a task belongs to the first benchmark. Its tasks share two choices of a metric: one for choices, one for texts. */
export const isOfFirstBenchmark = (task: Task) => benchmarkOf(task) === data.benchmarks[0];
