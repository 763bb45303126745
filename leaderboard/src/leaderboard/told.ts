// Rows of the lists in results.json that are in view.
import { num } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import { cellIndex, counts, data, models, placeOf, taskOf } from "./data.ts";
import { state } from "./state.ts";
import { inSight, onPage, perturbOf, scoringOf, setNames, tasks } from "./view.ts";

/** Rows of one of the lists in results.json, over all runs, of models on this page; each gets its model's id. */
export function told(name) {
  return data.runs
    .flatMap((run, i) => (run.robustness?.[name] ?? []).map((row) => ({ ...row, id: `${i}\t${row.model}` })))
    .filter((row) => models.has(row.id) && inSight(models.get(row.id)));
}

export const asChosen = (row, except) =>
  onPage(row) &&
  ["split", "variant", "shots"].every((k) => k === except || row[k] === state[k]) &&
  row.scoring === scoringOf(taskOf(row.task));

export const grouped = (rows) =>
  [...models.values()].map((m) => [m, rows.filter((r) => r.id === m.id)]).filter(([, list]) => list.length);

/** Entries of a list in results.json, over all runs, of models on this page as they are asked now; each gets its model's id. */
export function toldOf(name) {
  return data.runs
    .flatMap((run, i) =>
      (run[name] ?? [])
        .filter((r) => asChosen(r) && r.perturb === perturbOf(taskOf(r.task)))
        .map((r) => ({ ...r, id: `${i}\t${r.model}` })),
    )
    .filter((r) => models.has(r.id) && inSight(models.get(r.id)));
}

/** Which of `rows` the task and set chosen are, or the first task and the last set that there are. */
export function taskAndSet(rows, wishTask, wishSet) {
  const all = tasks.filter((x) => rows.some((r) => r.task === x.name)),
    task = all.find((x) => x.name === wishTask) ?? all[0];
  const sets = setNames().filter((x) => rows.some((r) => r.task === task.name && r.set === x)),
    set = sets.includes(wishSet) ? wishSet : sets.at(-1);
  return { all, task, sets, set, mine: rows.filter((r) => r.task === task.name && r.set === set) };
}

/** How many replies held no answer, where there were any: a score of 0 may be that. */
export const silentOf = (cell) =>
  cell && counts(cell).none > 0 ? ` · ${num(counts(cell).none)}/${num(cell.items)} ${t("noAnswer")}` : "";

export const total = (list) => list.reduce((a, b) => a + b, 0);

export const cellOf = (row, model) => cellIndex.get(placeOf({ ...row, id: `${row.run}\t${model}` }));
