// Words about estimated cells, in which only some items were asked.
import { num, pct } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import type { Cell, Flag } from "./types.ts";

type EstimateFacts = NonNullable<Cell["estimate"]>;

/** A flag for an estimated figure: the number of items asked, out of all. */
export const estimateFlag = ({ estimate }: Cell): Flag | null =>
  estimate ? { text: t("estimateN", num(estimate.asked), num(estimate.of)), title: estimateSentence(estimate) } : null;

/** The words beside an estimated figure in a chart, which has no room for flags. */
export const estimateWords = (cells: (Cell | undefined)[]): string => {
  const flags = cells.flatMap((cell) => (cell && estimateFlag(cell)) ?? []);
  return flags.length ? ` · ${flags.length === 1 ? flags[0].text : "≈"}` : "";
};

export function estimateSentence(estimate: EstimateFacts): string {
  const [asked, of] = [num(estimate.asked), num(estimate.of)];
  if (estimate.method === "subset") return t("estimateSubset", asked, of);
  if (estimate.method === "anchors") {
    const caution = estimate.beyond || (estimate.otherwise ?? []).length > 0 ? t("estimateCaution") : "";
    return t("estimateAnchors", asked, of, num(estimate.models ?? 0), pct(estimate.error ?? 0)) + caution;
  }
  if (!estimate.margin) return t("estimateRanked", asked, of);
  return t(
    estimate.reached ? "estimateTold" : "estimateOpen",
    asked,
    of,
    String(Math.round(10000 * estimate.margin) / 100),
  );
}
