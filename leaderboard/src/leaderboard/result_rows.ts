// Rows of the lists in results.json that are in view.
import { num } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import type { Robustness } from "../types/results.ts";
import { cellIndex, counts, data, models, placeOf, taskOf } from "./data.ts";
import { inSight, onPage, perturbOf, scoringOf, setNames } from "./filters.ts";
import { tasks } from "./metric_choice.ts";
import { state } from "./state.ts";
import type { Cell, Model, Place, Run } from "./types.ts";

/** The rows of a list in results.json for models on this page, from all runs, each with its model's id. */
export function resultRows<K extends keyof Robustness>(name: K): WithModel<Robustness[K][number]>[] {
  return data.runs.flatMap((run, i) => ofModels<Robustness[K][number]>(run.robustness?.[name] ?? [], i));
}

/** A row of a list in results.json, with its model's id. */
export type WithModel<Row> = Row & { id: string };
function ofModels<Row extends { model: string }>(rows: Row[], run: number): WithModel<Row>[] {
  const named = rows.map((row) => ({ ...row, id: `${run}\t${row.model}` }));
  return named.filter((row) => {
    const model = models.get(row.id);
    return model && inSight(model);
  });
}

type Row = Partial<Place> & Pick<Place, "set" | "task" | "scoring">;
export const asChosen = (row: Row, except?: "variant" | "shots") =>
  onPage(row) &&
  (["split", "variant", "shots"] as const).every((k) => k === except || row[k] === state[k]) &&
  row.scoring === scoringOf(taskOf(row.task));

export const grouped = <R extends { id: string }>(rows: R[]) =>
  [...models.values()]
    .map((m): [Model, R[]] => [m, rows.filter((r) => r.id === m.id)])
    .filter(([, list]) => list.length);

/** The entries of a list in results.json for models on this page under the chosen settings, each with its model's id. */
export function resultEntries<K extends "breakdowns" | "confusions">(name: K) {
  type Row = NonNullable<Run[K]>[number];
  return data.runs.flatMap((run, i) => {
    const rows = ((run[name] ?? []) as Row[]).filter((r) => asChosen(r) && r.perturb === perturbOf(taskOf(r.task)));
    return ofModels<Row>(rows, i);
  });
}

/** Rows of known facts against right answers, for the chosen settings. */
export const memoryRows = () =>
  data.runs.flatMap((run, i) =>
    ofModels(
      (run.memory?.tasks ?? []).filter((r) => asChosen(r)),
      i,
    ),
  );

/** The wished task and set if `rows` has them, else the first task and its last set. */
export function taskAndSet<R extends { task: string; set: string }>(rows: R[], wishTask: string, wishSet: string) {
  const all = tasks.filter((x) => rows.some((r) => r.task === x.name));
  const task = all.find((x) => x.name === wishTask) ?? all[0];
  const sets = setNames().filter((x) => rows.some((r) => r.task === task.name && r.set === x));
  const set = sets.includes(wishSet) ? wishSet : sets[sets.length - 1];
  return { all, task, sets, set, mine: rows.filter((r) => r.task === task.name && r.set === set) };
}

/** A note on the number of replies without an answer, which may be the reason of a score of 0. */
export const unansweredNote = (cell: Cell | undefined) =>
  cell && counts(cell).none > 0
    ? ` · ${num(counts(cell).none)}/${num(cell.items - (cell.missing ?? 0))} ${t("noAnswer")}`
    : "";

export const cellOf = (row: Place & { run: number }, model: string) =>
  cellIndex.get(placeOf({ ...row, id: `${row.run}\t${model}` }));
