// Judges and their opinions on cells in view.
import { isNumber, type Maybe, twoDigits } from "../common/numbers.ts";
import { data, mapKey, modelId } from "./data.ts";

export const judgedCells = () =>
  data.runs.flatMap((run, i) =>
    (run.judged?.cells ?? []).map((c) => ({ ...c, scales: c.scales ?? {}, run: i, id: modelId(i, c.model) })),
  );
export type JudgedCell = ReturnType<typeof judgedCells>[number];

export const signedValue = (v: Maybe) => (isNumber(v) && v >= 0 ? "+" : "") + twoDigits(v);

/** The key of a judge's scores by one scale of a rubric. */
export const whoOf = (c: { judge: string; rubric: string }, scale: string) => mapKey(c.judge, c.rubric, scale);

export function whoName(who: string) {
  const [judge, rubric, scale] = who.split("\t");
  return `${judge} · ${rubric}${scale === "score" ? "" : ` · ${scale}`}`;
}
