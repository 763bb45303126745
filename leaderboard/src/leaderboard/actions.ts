// Functions that change the state, one for each thing that a person can do. A change is a step of the browser's history, which its
// back button undoes, unless it is made with `step: false`.
import { BY_RANK, CHOICES, type Choice, FILTERS, firsts, type State, state } from "./state.ts";
import type { Task } from "./types.ts";

/** Called after every change with the names of the changed choices, and whether the change is a step of the history. */
type Draw = (names: Choice[], step: boolean) => void;
let changed: Draw = () => {};
export function onChange(draw: Draw) {
  changed = draw;
}
function change(values: Partial<State>, { step = true } = {}) {
  Object.assign(state, values);
  changed(Object.keys(values) as Choice[], step);
}
const withOrWithout = (list: string[], value: string, on: boolean) => [
  ...list.filter((x) => x !== value),
  ...(on ? [value] : []),
];

/** Set a choice to the value of a control; the text of a select becomes a number where the choice is one. */
export const choose = <K extends Choice>(name: K, value: State[K] | string) =>
  change({ [name]: typeof CHOICES[name][1] === "number" ? Number(value) : value });
export const chooseBenchmark = (onlyBenchmark: string) => change({ onlyBenchmark, onlySet: "", onlyTasks: [] });
/** Choose the metric that tasks are shown by; `state.byTask` holds it only where it is not the task's first. */
export function chooseMetricOf(tasks: Task[], metric: string) {
  const names = tasks.map((x) => x.name);
  const others = state.byTask.filter((x) => !names.includes(x.split(":")[0]));
  change({ byTask: [...others, ...tasks.filter((x) => x.metrics[0] !== metric).map((x) => `${x.name}:${metric}`)] });
}
export const clearFilters = () => change(firsts(FILTERS));
/** Filter models by name while a name is typed: the letters are no steps of the browser's history. */
export const findModels = (find: string) => change({ find }, { step: false });
/** Sort the overview by a column. A second press reverses the order, a third goes back to mean ranks. */
export function sortBy(key: string) {
  const { sort } = state;
  const downFirst = key !== ""; // values from the largest, names from A to Z
  const isTurned = sort.key === key && sort.down !== downFirst;
  const down = sort.key === key ? !downFirst : downFirst;
  change({ sort: isTurned ? { key: BY_RANK, down: false } : { key, down } });
}
/** Sort a sheet by its n-th column; a second press reverses the order. `down`: the first order is descending. */
export function sortSheet(id: string, column: number, down: boolean) {
  const now = sheetSort(id);
  const order = now?.column === column ? !now.down : down;
  const others = state.sheets.filter((x) => sheetOf(x) !== id);
  change({ sheets: [...others, `${id}:${order ? "-" : ""}${column}`] });
}
export function sheetSort(id: string) {
  const text = state.sheets.find((x) => sheetOf(x) === id)?.slice(id.length + 1);
  return text === undefined ? undefined : { column: Math.abs(Number.parseInt(text, 10)), down: text.startsWith("-") };
}
const sheetOf = (entry: string) => entry.slice(0, entry.lastIndexOf(":"));

/** Highlight a model in charts, or end its highlight. */
export const highlight = (id: string) =>
  change({ picked: withOrWithout(state.picked, id, !state.picked.includes(id)) });
export const clearHighlights = () => change({ picked: [] });
/** Pick a value in a section that is drawn from sheets; `key` is the section and the field. */
export const pickIn = (key: string, value: string) =>
  change({ picks: [...state.picks.filter((x) => !x.startsWith(`${key}.`)), `${key}.${value}`] });
/** Remember that a fold is open or closed; nothing is redrawn. */
export function rememberFold(id: string, on: boolean) {
  if (on !== state.unfolded.includes(id)) change({ unfolded: withOrWithout(state.unfolded, id, on) }, { step: false });
}
/** Unfold the parts of a mean by its key; "" folds them. */
export const unfoldParts = (parts: string) => change({ parts });
export const filterItems = (filter: string) => change({ filter });
export const searchItems = (query: string) => change({ query }, { step: false });
export const allItems = () => change({ filter: "all", query: "" }, { step: false });
