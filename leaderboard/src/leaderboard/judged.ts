// Judges and their opinions on cells in view.
import { isNumber } from "../common/numbers.ts";
import { plain } from "../common/text.ts";
import { address, data } from "./data.ts";

export const judgedCells = () =>
  data.runs.flatMap((run, i) => (run.judged?.cells ?? []).map((c) => ({ ...c, run: i, id: `${i}\t${c.model}` })));

export const judgedControls = () =>
  data.runs.flatMap((run, i) =>
    Object.entries(run.judged?.controls ?? {}).flatMap(([control, rows]) =>
      rows.map((row) => ({ ...row, control, run: i })),
    ),
  );

export const points = (v) => (isNumber(v) ? v.toFixed(2).replace("-", "−") : "–"),
  plus = (v) => (isNumber(v) ? (v < 0 ? "" : "+") + points(v) : "–");

export const whoOf = (c, scale) => address(c.judge, c.rubric, scale);

export const whoName = (who) => {
  const [judge, rubric, scale] = who.split("\t");
  return `${plain(judge)} · ${plain(rubric)}${scale === "score" ? "" : ` · ${plain(scale)}`}`;
};
