// Rows of results.json that are in view, and the cells that they are about.
import { num } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import { cellIndex, counts, data, models, placeOf, taskOf } from "./data.ts";
import { inSight, onPage, scoringOf } from "./filters.ts";
import { state } from "./state.ts";
import type { Cell, Place } from "./types.ts";

/** A row of a list in results.json, with its model's id. */
export type WithModel<Row> = Row & { id: string };

type Row = Partial<Place> & Pick<Place, "set" | "task" | "scoring">;
const isChosen = (row: Row) =>
  onPage(row) &&
  (["split", "variant", "shots"] as const).every((k) => row[k] === state[k]) &&
  row.scoring === scoringOf(taskOf(row.task));

/** Rows of known facts against right answers under the chosen settings, for models in view. */
export const memoryRows = () =>
  data.runs.flatMap((run, i) =>
    (run.memory?.tasks ?? []).filter(isChosen).flatMap((row) => {
      const id = `${i}\t${row.model}`;
      const model = models.get(id);
      return model && inSight(model) ? { ...row, id } : [];
    }),
  );

/** A note on the number of replies without an answer, which may be the reason of a score of 0. */
export const unansweredNote = (cell: Cell | undefined) =>
  cell && counts(cell).none > 0
    ? ` · ${num(counts(cell).none)}/${num(cell.items - (cell.missing ?? 0))} ${t("noAnswer")}`
    : "";

export const cellOf = (row: Place & { run: number }, model: string) =>
  cellIndex.get(placeOf({ ...row, id: `${row.run}\t${model}` }));
