// A panel for each ability, with a row for each model: its mean and the mean's interval.
import { isNumber, pct } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import type { GroupColumn, GroupScore } from "../../types/results.ts";
import { state } from "../state.ts";
import { inWords } from "../tables/figures.ts";
import type { Model } from "../types.ts";
import { QUARTERS, ROW, shareScale } from "./axis.ts";
import { dot, group, horizontalInterval, line, Points, rowAxis, rowMiddle } from "./marks.ts";

export interface AbilityRow {
  model: Model;
  score: GroupScore | undefined;
  /** Whether the mean contains an estimate. */
  estimated: boolean;
  /** Unfolds the parts of the mean. */
  act: () => void;
}

export function abilityPanel(column: GroupColumn, rows: AbilityRow[]): HTMLElement {
  const across = shareScale(0, 1);
  const height = rows.length * ROW;
  const chance = rows.map(({ score }) => score?.chance).find(isNumber);
  const title = inWords(column);
  const points = new Points();
  const describe = ({ model, score, estimated }: AbilityRow) => {
    const interval = isNumber(score?.low) ? ` (${pct(score.low)}–${pct(score.high)})` : "";
    return `${model.label} ${pct(score?.value)}${interval}${estimated ? " · ≈" : ""}`;
  };
  const row = (one: AbilityRow, i: number) => {
    const { model, score, estimated, act } = one;
    if (!isNumber(score?.value)) return null;
    const [y, x] = [rowMiddle(i), across(score.value)];
    const words = describe(one);
    const point = { x, y, words, act, line: model.id, at: column.name };
    return group(
      model.baseline ? "base" : "own",
      null,
      state.intervals &&
        isNumber(score.low) &&
        isNumber(score.high) &&
        horizontalInterval(across(score.low), across(score.high), y, 2.5),
      points.point(point, (px, py) => dot(`dot full${estimated ? " partly" : ""}`, px, py, 4.5)),
    );
  };
  return points.panel(
    {
      data: { "data-ability": column.name },
      title,
      small: isNumber(chance) ? t("chanceIs", pct(chance)) : null,
      cls: "",
      size: ["100%", height + 20],
      words: `${title}: ${rows.map(describe).join("; ")}`,
      rows: { models: rows.map(({ model }) => model) },
    },
    rowAxis(
      QUARTERS.map(across),
      [0, 0.5, 1].map((v) => [across(v), pct(v, 0)]),
      height,
    ),
    isNumber(chance) && line("chance", across(chance), across(chance), 0, height),
    rows.map(row),
  );
}
