// What report.py packed, prepared: models, tasks, benchmarks, cells, and where each is found.
import { h, visible } from "../common/dom.ts";
import { NAMES } from "../common/numbers.ts";
import { brief, plain } from "../common/text.ts";
import { NO_ANSWER, STATUSES } from "./statuses.ts";

export const nameNode = (model) => h("span", { class: "data name", title: plain(model.label) }, visible(model.label));

export let metricRows = new Map(); // name -> what report.py packed of a metric, in the order of the choice

export let data, models, everyTask, cellIndex, heldTasks;

export function prepare(content) {
  data = content;
  metricRows = new Map(data.metrics.map((m) => [m.name, m]));
  const used = new Set(data.cells.map((c) => c.task));
  everyTask = data.tasks.filter((x) => (used.size ? used.has(x.name) : x.benchmark === data.benchmarks[0].name));
  models = new Map();
  for (const [number, cell] of data.cells.entries()) {
    cell.number = number;
    cell.id = `${cell.run}\t${cell.model}`;
    cell.scoring ??= "generate"; // runs of before there were others
    cell.perturb ??= "none";
    if (!models.has(cell.id))
      models.set(cell.id, {
        id: cell.id,
        run: cell.run,
        name: cell.model,
        baseline: isBaseline(cell),
        adapter: Boolean(cell.facts?.trained),
        tags: cell.facts?.tags ?? [],
        parameters: cell.facts?.parameters,
      });
  }
  models = new Map([...models].sort(([, a], [, b]) => a.run - b.run || NAMES.compare(a.name, b.name))); // -25 before -100
  labelModels();
  cellIndex = new Map(data.cells.map((c) => [placeOf(c), c]));
  heldTasks = new Set(data.cells.filter((c) => c.scoring === "constrained").map((c) => c.task));
  prepareBenchmarks();
}

export const adapters = () => [...models.values()].filter((m) => m.adapter);

const isBaseline = (cell) => cell.facts?.backend === "baseline" || Boolean(cell.facts?.tags?.includes("baseline"));

export const address = (...parts) => parts.join("\t");

export const placeOf = (c) => address(c.id, c.set, c.task, c.split, c.variant, c.shots, c.scoring, c.perturb);

export const isChoice = (task) => task.kind === "choice";

export const perturbation = (name) =>
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

const values = new Map(); // of what cells are told apart by: they do not change

export const distinct = (name) =>
  values.get(name) ??
  values
    .set(
      name,
      [...new Set(data.cells.map((c) => c[name]))].sort((a, b) => (a > b ? 1 : a < b ? -1 : 0)),
    )
    .get(name);

export const taskOf = (name) =>
  data.tasks.find((x) => x.name === name) ?? { name, zh: name, en: name, kind: "text", metrics: [] };

export const scoreOf = (cell, metric) => cell?.metrics?.[metric]?.value ?? null;

export function counts(cell) {
  if (cell.counted) return cell.counted;
  const all = Object.fromEntries(STATUSES.map((x) => [x, cell.status?.[x] ?? 0]));
  all.missing = cell.missing ?? 0;
  all.none = NO_ANSWER.reduce((sum, x) => sum + all[x], 0);
  cell.counted = all;
  return all;
}

export const FIRST = "corecode"; // its two metrics, for choices and for texts, are chosen for all its tasks at once; it cries EASY and HARD

export let setsThere, meanIndex; // benchmark -> its sets on this page, in its order; place -> entry of "means"

export const benchmarkOf = (task) => data.benchmarks.find((b) => b.name === task.benchmark) ?? data.benchmarks[0];

export const benchmarksHere = () => data.benchmarks.filter((b) => everyTask.some((x) => benchmarkOf(x) === b));

export const manyBenchmarks = () => benchmarksHere().length > 1;

function prepareBenchmarks() {
  const found = new Map(data.benchmarks.map((b) => [b, new Set()]));
  for (const c of data.cells) found.get(benchmarkOf(taskOf(c.task))).add(c.set);
  setsThere = new Map(
    [...found].map(([b, there]) => [
      b.name,
      [...b.sets.filter((x) => there.has(x)), ...[...there].filter((x) => !b.sets.includes(x)).sort()],
    ]),
  );
  meanIndex = new Map(
    data.runs.flatMap((run, i) => (run.means ?? []).map((x) => [meanPlace({ ...x, id: `${i}\t${x.model}` }), x])),
  );
}

export const meanPlace = (x) => address(x.id, x.task, x.split, x.variant, x.shots, x.scoring, x.perturb);

export const alone = () => !manyBenchmarks() && everyTask.some(shared);

/** What the names of files that the page saves begin with. */
export const fileStem = () => (manyBenchmarks() ? "evalsuite" : (benchmarksHere()[0] ?? data.benchmarks[0]).name);

export const shared = (task) => benchmarkOf(task).name === FIRST;
