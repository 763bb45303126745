// Writes the state into the page's address and reads it from there: choices that differ from their first values, the open cell, the
// open item. So links, reloading and the back button work.
import { brief } from "../common/text.ts";
import {
  benchmarksHere,
  cellIndex,
  data,
  distinct,
  everyTask,
  isChoice,
  isOfFirstBenchmark,
  mapKey,
  models,
} from "./data.ts";
import { allSets, SIZES } from "./filters.ts";
import { CHOICES, type Choice, OF_ITEMS, type Sort, type State, state } from "./state.ts";
import type { Cell } from "./types.ts";

type Params = Record<string, string | number>;

export const route = () => new URLSearchParams(location.hash.slice(1));

/** Go to a cell or an item; with {} go back to the overview in its last state. */
export function go(params: Params, replace = false) {
  const names = params.model === undefined ? OF_OVERVIEW : OF_ITEMS;
  const text = hashOf({ ...params, ...chosen(names) });
  if (replace) location.replace(text);
  else location.hash = text;
}
function hashOf(params: Params) {
  const lang = route().get("lang");
  const all = Object.entries({ ...(lang && { lang }), ...params });
  return `#${new URLSearchParams(all.map(([key, value]) => [key, String(value)]))}`;
}

// ---- cells and items
export const cellRoute = (c: Cell): Params => ({
  run: c.run,
  model: brief(c.model),
  set: c.set,
  task: c.task,
  split: c.split,
  prompt: c.variant,
  shots: c.shots,
  scoring: c.scoring,
  ...(c.perturb !== "none" && { perturb: c.perturb }),
});
export function routedCell() {
  const r = route();
  const model = [...models.values()].find((x) => String(x.run) === r.get("run") && brief(x.name) === r.get("model"));
  const [scoring, perturb] = [r.get("scoring") ?? "generate", r.get("perturb") ?? "none"];
  const rest = ["set", "task", "split", "prompt", "shots"].map((name) => r.get(name));
  return cellIndex.get(mapKey(model?.id, ...rest, scoring, perturb));
}

// ---- the view
const OF_OVERVIEW = (Object.keys(CHOICES) as Choice[]).filter((name) => !OF_ITEMS.includes(name));
/** Choices whose values are ids of models. In the address a model is the index of its run and its name, shortened if it is long. */
const OF_MODELS: Choice[] = ["picked", "statusModel"];
function modelKey(id: string) {
  const model = models.get(id);
  return model ? `${model.run}:${brief(model.name)}` : "";
}
const idOf = (key: string) => [...models.keys()].find((id) => modelKey(id) === key) ?? "";
/** The state of the page when its address names no choice. */
let usual: State = state;

/** Set the first state: each choice's first value, or for a setting that no cell of the page has at this value, one that cells have. */
export function startState() {
  for (const name of ["variant", "shots", "scoring", "perturb", "split"] as const) {
    const there: unknown[] = distinct(name);
    if (there.length && !there.includes(state[name])) Object.assign(state, { [name]: there[0] });
  }
  const metricOf = (choices: boolean) =>
    data.tasks.find((x) => isOfFirstBenchmark(x) && isChoice(x) === choices)?.metrics[0] ?? "";
  Object.assign(state, { metric: metricOf(false), metricChoice: metricOf(true) });
  state.adapters = ![...models.values()].some((m) => !m.adapter && !m.baseline);
  usual = structuredClone(state);
  readView();
}

type Value = State[Choice];
/** A value in the notation of the address. */
export function writtenAs(value: Value): string {
  if (Array.isArray(value)) return value.map(encodeURIComponent).join(",");
  if (typeof value === "boolean") return String(Number(value));
  return value && typeof value === "object" ? (value.down ? "-" : "") + value.key : String(value);
}
/** The value that a text of the address stands for; it has the type of `first`. */
export function readAs(first: Value, text: string): Value {
  if (Array.isArray(first)) {
    try {
      return text.split(",").filter(Boolean).map(decodeURIComponent);
    } catch {
      return first;
    }
  }
  if (typeof first === "boolean") return text === "1";
  if (typeof first === "number") return Number(text);
  return typeof first === "object" ? { key: text.replace(/^-/, ""), down: text.startsWith("-") } : text;
}
function written(name: Choice, value: Value): string {
  if (!OF_MODELS.includes(name)) return writtenAs(value);
  return writtenAs(Array.isArray(value) ? value.map(modelKey) : modelKey(String(value)));
}
function read(name: Choice, text: string): Value {
  const value = readAs(usual[name], text);
  if (!OF_MODELS.includes(name)) return value;
  return Array.isArray(value) ? value.map(idOf).filter(Boolean) : idOf(String(value));
}
/** The values that this page offers for a choice. Sections check the remaining choices themselves. */
const OFFERED: { [K in Choice]?: () => (string | number)[] } = {
  variant: () => distinct("variant"),
  shots: () => distinct("shots"),
  scoring: () => distinct("scoring"),
  perturb: () => distinct("perturb"),
  split: () => distinct("split"),
  onlyBenchmark: () => ["", ...benchmarksHere().map((b) => b.name)],
  onlySet: () => ["", ...allSets()],
  onlyTasks: () => everyTask.map((x) => x.name),
  tags: () => [...models.values()].flatMap((m) => m.tags),
  size: () => ["", "?", ...SIZES.map(([name]) => name)],
  sort: () => ["", ...data.tasks.map((x) => x.name)],
};
/** Whether the page offers a value for a choice; an address that was copied from another page may have others. */
export function isKnown(name: Choice, value: Value) {
  const offered: unknown[] | undefined = OFFERED[name]?.();
  const asked = name === "sort" ? (value as Sort).key.split("@")[0] : value;
  return !offered || [asked].flat().every((x) => offered.includes(x));
}
/** Choices that differ from their first values, by their names in the address. */
function chosen(names: Choice[]): Params {
  const other = names.filter((name) => writtenAs(state[name]) !== writtenAs(usual[name]));
  return Object.fromEntries(other.map((name) => [CHOICES[name][0], written(name, state[name])]));
}
/** Set the choices that the address can have: the choices of a cell's items if it names a cell, else the choices of the overview. */
export function readView() {
  const r = route();
  if (location.hash.length > 1 && !location.hash.includes("=")) return; // a link to a section of the page
  for (const name of r.has("model") ? OF_ITEMS : OF_OVERVIEW) {
    const text = r.get(CHOICES[name][0]);
    const value = text === null ? usual[name] : read(name, text);
    Object.assign(state, { [name]: structuredClone(isKnown(name, value) ? value : usual[name]) });
  }
}
/** Write the choices into the address, as a new step of the browser's history if `step` is true. */
export function writeView(step: boolean) {
  const r = route();
  const ofItems = (key: string) => OF_ITEMS.some((x) => CHOICES[x][0] === key);
  const open = r.has("model") && Object.fromEntries([...r].filter(([key]) => !ofItems(key) && key !== "lang"));
  const text = hashOf(open ? { ...open, ...chosen(OF_ITEMS) } : chosen(OF_OVERVIEW));
  if (location.hash === text || (!location.hash && text === "#")) return;
  if (step) history.pushState(null, "", text);
  else history.replaceState(null, "", text);
}
