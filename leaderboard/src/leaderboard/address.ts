// The address of the page is its state: what has been chosen, or which cell and item is open. What is as usual is left out.
import { brief } from "../common/text.ts";
import { address, benchmarksHere, cellIndex, data, distinct, everyTask, models } from "./data.ts";
import { CHOICES, OF_ITEMS, state } from "./state.ts";
import { allSets, SIZES } from "./view.ts";

export const route = () => new URLSearchParams(location.hash.slice(1));

/** Go to a cell or an item, or with {} back to the overview as it was left. */
export function go(params, replace = false) {
  const names = params.model === undefined ? OF_OVERVIEW : OF_ITEMS;
  const text = hashOf({ ...params, ...chosen(names) });
  if (replace) location.replace(text);
  else location.hash = text;
}
function hashOf(params) {
  const lang = route().get("lang");
  return `#${new URLSearchParams({ ...(lang && { lang }), ...params })}`;
}

// ---- cells and items
export const cellRoute = (c) => ({
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
  const r = route(),
    model = [...models.values()].find((x) => String(x.run) === r.get("run") && brief(x.name) === r.get("model"));
  const [scoring, perturb] = [r.get("scoring") ?? "generate", r.get("perturb") ?? "none"];
  const rest = ["set", "task", "split", "prompt", "shots"].map((name) => r.get(name));
  return cellIndex.get(address(model?.id, ...rest, scoring, perturb));
}

// ---- the view
const OF_OVERVIEW = Object.keys(CHOICES).filter((name) => !OF_ITEMS.includes(name));
/** Choices that name models: by run and name in the address, whose names may be cut. */
const OF_MODELS = ["picked", "slicePicked", "mixModel", "statusModel"];
const modelKey = (id) => (models.has(id) ? `${models.get(id).run}:${brief(models.get(id).name)}` : "");
const modelOf = (key) => [...models.keys()].find((id) => modelKey(id) === key) ?? "";
let usual = {};

/** The settings that most of a page's cells share, and those that are usual here. */
export function startState() {
  const pick = (name) => {
    const all = distinct(name),
      wish = CHOICES[name][1];
    return all.includes(wish) || !all.length ? wish : all[0];
  };
  for (const name of ["variant", "shots", "scoring", "perturb", "split"]) state[name] = pick(name);
  state.sort.key = everyTask.find((x) => data.cells.some((c) => c.task === x.name))?.name ?? "";
  state.adapters = ![...models.values()].some((m) => !m.adapter && !m.baseline);
  usual = structuredClone(state);
  readView();
}

/** A value as the address has it; and what an address says, as a value like `first`. */
export function writtenAs(value) {
  if (Array.isArray(value)) return value.map(encodeURIComponent).join(",");
  if (typeof value === "boolean") return String(Number(value));
  return value && typeof value === "object" ? (value.down ? "-" : "") + value.key : String(value);
}
export function readAs(first, text) {
  if (Array.isArray(first) || first === null) {
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
function written(name, value) {
  if (!OF_MODELS.includes(name) || value === null) return writtenAs(value);
  return writtenAs(Array.isArray(value) ? value.map(modelKey) : modelKey(value));
}
function read(name, text) {
  const value = readAs(usual[name], text);
  if (!OF_MODELS.includes(name)) return value;
  return Array.isArray(value) ? value.map(modelOf).filter(Boolean) : modelOf(value);
}
/** An address may name what this page does not have. Sections look for themselves what there is to pick. */
function isKnown(name, value) {
  if (["variant", "shots", "scoring", "perturb", "split"].includes(name)) return distinct(name).includes(value);
  if (name === "onlyBenchmark") return value === "" || benchmarksHere().some((b) => b.name === value);
  if (name === "onlySet") return value === "" || allSets().includes(value);
  if (name === "onlyTasks") return value.every((x) => everyTask.some((y) => y.name === x));
  if (name === "tags") return value.every((x) => [...models.values()].some((m) => m.tags.includes(x)));
  if (name === "size") return ["", "?", ...SIZES.map(([x]) => x)].includes(value);
  return name !== "sort" || value.key === "" || data.tasks.some((x) => x.name === value.key.split("@")[0]);
}
/** What is not as usual, by its name in the address. */
function chosen(names) {
  const other = names.filter((name) => writtenAs(state[name]) !== writtenAs(usual[name]));
  return Object.fromEntries(other.map((name) => [CHOICES[name][0], written(name, state[name])]));
}
/** Take from the address what is chosen: of a cell's items where it names a cell, else of the overview. */
export function readView() {
  const r = route();
  if (location.hash.length > 1 && !location.hash.includes("=")) return; // a place on the page
  for (const name of r.has("model") ? OF_ITEMS : OF_OVERVIEW) {
    const key = CHOICES[name][0];
    const value = r.has(key) ? read(name, r.get(key)) : usual[name];
    state[name] = structuredClone(isKnown(name, value) ? value : usual[name]);
  }
}
/** The address follows what is chosen: by a step in the browser's history, or none. */
export function writeView(step) {
  const r = route();
  const open =
    r.has("model") &&
    Object.fromEntries([...r].filter(([key]) => !OF_ITEMS.some((x) => CHOICES[x][0] === key) && key !== "lang"));
  const text = hashOf(open ? { ...open, ...chosen(OF_ITEMS) } : chosen(OF_OVERVIEW));
  if (location.hash === text || (!location.hash && text === "#")) return;
  if (step) history.pushState(null, "", text);
  else history.replaceState(null, "", text);
}
