// Models, tasks, sets and cells that the filters and settings leave in view.
import { isNumber } from "../common/numbers.ts";
import {
  benchmarkOf,
  cellIndex,
  constrainedTasks,
  data,
  everyTask,
  isChoice,
  mapKey,
  perturbation,
  setsOn,
  taskOf,
} from "./data.ts";
import { state } from "./state.ts";
import type { Cell, Model, Place, Task } from "./types.ts";

/** Classes of models by their number of parameters: at least `from`, below `to`. */
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

// ---- models
/** Whether a model's name contains one of the texts that the person typed, separated by commas. */
export function matchesSearch(label: string) {
  const wanted = state.find.toLowerCase().split(/[,，]/);
  return !state.find.trim() || wanted.some((x) => x.trim() && label.toLowerCase().includes(x.trim()));
}
/** Whether a model passes the filters. Baselines have no size and pass every filter by size. */
export const passesFilters = (model: Model) =>
  matchesSearch(model.label) &&
  (!state.tags.length || model.tags.some((x) => state.tags.includes(x))) &&
  (!state.size || model.baseline || sizeOf(model) === state.size);

/** Whether a model is shown. A sweep's adapters have their own section; elsewhere they are shown only if chosen. */
export const isShown = (model: Model) => (state.adapters || !model.adapter) && passesFilters(model);

// ---- tasks and sets
const ofBenchmark = (task: Task) => !state.onlyBenchmark || benchmarkOf(task).name === state.onlyBenchmark;
/** The tasks that a person can choose from, given the chosen benchmark. */
export const tasksOffered = () => everyTask.filter(ofBenchmark);
export const tasksInView = () =>
  tasksOffered().filter((x) => !state.onlyTasks.length || state.onlyTasks.includes(x.name));

/** The sets that a person can choose from. */
export function allSets() {
  const sets = data.benchmarks.filter((b) => !state.onlyBenchmark || b.name === state.onlyBenchmark).flatMap(setsOn);
  return sets.length ? [...new Set(sets)] : data.benchmarks[0].sets;
}
export const setNames = () => allSets().filter((x) => !state.onlySet || x === state.onlySet);

/** The sets of a task in view; [null], the mean over sets, if the benchmark is averaged over its sets. */
export const setsOf = (task: Task): (string | null)[] =>
  benchmarkOf(task).averaged ? [null] : setNames().filter((x) => setsOn(benchmarkOf(task)).includes(x));

export const benchmarksShown = () => {
  const tasks = tasksInView();
  return data.benchmarks.filter((b) => tasks.some((x) => benchmarkOf(x) === b));
};

// ---- cells
/** The scoring of a task in view: "nll" for a probe, else the chosen one if the task is asked in it, else "generate". */
export function scoringOf(task: Task) {
  if (task.kind === "probe") return "nll";
  const asked = isChoice(task) || (state.scoring === "constrained" && constrainedTasks.has(task.name));
  return asked ? state.scoring : "generate";
}

/** The perturbation of a task in view: the chosen one, or "none" if it does not apply to the task. */
export function perturbOf(task: Task) {
  const { kinds, languages } = perturbation(state.perturb);
  return kinds.includes(task.kind) && languages.includes(benchmarkOf(task).language) ? state.perturb : "none";
}

/** A model's cell under the chosen settings. */
export const cellAt = (
  id: string,
  set: string,
  task: string,
  scoring = scoringOf(taskOf(task)),
  perturb = perturbOf(taskOf(task)),
) => cellIndex.get(mapKey(id, set, task, state.split, state.variant, state.shots, scoring, perturb));

/** Whether a task and a set pass the filters. */
export const passesTaskFilters = ({ task, set }: { task: string; set: string }) =>
  ofBenchmark(taskOf(task)) &&
  (!state.onlySet || set === state.onlySet) &&
  (!state.onlyTasks.length || state.onlyTasks.includes(task));

/** Whether a cell has the chosen split, wording and shots, and passes the filters. */
export const hasChosenSettings = (cell: Omit<Place, "scoring" | "perturb">) =>
  cell.split === state.split && cell.variant === state.variant && cell.shots === state.shots && passesTaskFilters(cell);

/** Whether a cell has all chosen settings and passes the filters by task and set. */
const inView = (cell: Place) =>
  hasChosenSettings(cell) &&
  cell.scoring === scoringOf(taskOf(cell.task)) &&
  cell.perturb === perturbOf(taskOf(cell.task));

let viewed = { settings: "", cells: [] as Cell[], models: new Set<string>() };

/** The cells in view and the ids of their models, found once for each choice of settings: a large page has thousands of cells. */
function view() {
  const { split, variant, shots, scoring, perturb, onlyBenchmark, onlySet, onlyTasks } = state;
  const settings = mapKey(split, variant, shots, scoring, perturb, onlyBenchmark, onlySet, onlyTasks);
  if (settings !== viewed.settings) {
    const cells = data.cells.filter(inView);
    viewed = { settings, cells, models: new Set(cells.map((c) => c.id)) };
  }
  return viewed;
}
export const cellsInView = () => view().cells;
/** Whether a model has a cell in view. */
export const hasCells = (model: Model) => view().models.has(model.id);

export const haveIntervals = () =>
  cellsInView().some((c) => Object.values(c.metrics ?? {}).some((m) => isNumber(m.low) && isNumber(m.high)));
