// What a person can do to the state. Every action says what it changes, and whether back takes it back.
import { CHOICES, FILTERS, state } from "./state.ts";

let changed = () => {};
/** `draw(names, step)` is called after every change: what was changed, and whether it is a step to go back by. */
export function onChange(draw) {
  changed = draw;
}
function change(values, { step = true } = {}) {
  Object.assign(state, values);
  changed(Object.keys(values), step);
}
const with$ = (list, value, on) => [...list.filter((x) => x !== value), ...(on ? [value] : [])];

/** Take a value of a picker; texts of numbers become numbers. */
export const choose = (name, value) => change({ [name]: typeof CHOICES[name][1] === "number" ? Number(value) : value });
export const chooseBenchmark = (onlyBenchmark) => change({ onlyBenchmark, onlySet: "", onlyTasks: [] });
/** The metric that tasks are shown by; `byTask` has those that are not their tasks' first. */
export function chooseMetricOf(tasks, metric) {
  const names = tasks.map((x) => x.name);
  const others = state.byTask.filter((x) => !names.includes(x.split(":")[0]));
  change({ byTask: [...others, ...tasks.filter((x) => x.metrics[0] !== metric).map((x) => `${x.name}:${metric}`)] });
}
export const clearFilters = () =>
  change(Object.fromEntries(FILTERS.map((name) => [name, structuredClone(CHOICES[name][1])])));
/** Models by their names, while they are typed: no step each. */
export const findModels = (find) => change({ find }, { step: false });
/** Sort the overview by a column; once more turns the order. */
export function sortBy(key) {
  const { sort } = state;
  change({ sort: { key, down: sort.key === key ? !sort.down : key !== "" } });
}
/** Sort a sheet by its n-th column; once more turns the order. `down` is how it is sorted at first. */
export function sortSheet(id, column, down) {
  const now = sheetSort(id);
  const order = now?.column === column ? !now.down : down;
  change({ sheets: [...state.sheets.filter((x) => !x.startsWith(`${id}:`)), `${id}:${order ? "-" : ""}${column}`] });
}
export function sheetSort(id) {
  const text = state.sheets.find((x) => x.startsWith(`${id}:`))?.slice(id.length + 1);
  return text && { column: Math.abs(Number.parseInt(text, 10)), down: text.startsWith("-") };
}
/** Make a model stand out in charts, or end it. */
export const highlight = (id) => change({ picked: with$(state.picked, id, !state.picked.includes(id)) });
export const clearHighlights = () => change({ picked: [] });
/** The models whose lines are drawn by length, distance and options; null: the best. */
export const drawLinesOf = (slicePicked) => change({ slicePicked });
/** What is folded out stays so; nothing else has to be drawn. */
export function unfolds(id, on) {
  if (on !== state.unfolded.includes(id)) change({ unfolded: with$(state.unfolded, id, on) }, { step: false });
}
export const filterItems = (filter) => change({ filter });
export const searchItems = (query) => change({ query }, { step: false });
export const allItems = () => change({ filter: "all", query: "" }, { step: false });
