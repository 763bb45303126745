// Words about estimated cells, in which only some items were asked.
import { num, pct } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import type { Cell, Flag } from "./types.ts";

type Told = NonNullable<Cell["estimate"]>;

/** A flag for an estimated figure: the number of items asked, out of all. */
export const estimateFlag = ({ estimate }: Cell): Flag | null =>
  estimate ? { text: t("estimateN", num(estimate.asked), num(estimate.of)), title: estimateTold(estimate) } : null;

/** The words of a chart beside an estimated figure: charts have no room for flags. */
export const estimateWords = (cells: (Cell | undefined)[]): string => {
  const found = cells.flatMap((cell) => (cell && estimateFlag(cell)) ?? []);
  return found.length ? ` · ${found.length === 1 ? found[0].text : "≈"}` : "";
};

export function estimateTold(told: Told): string {
  const [asked, of] = [num(told.asked), num(told.of)];
  if (told.method === "subset") return t("estimateSubset", asked, of);
  if (told.method === "anchors") {
    const caution = told.beyond || (told.otherwise ?? []).length > 0 ? t("estimateCaution") : "";
    return t("estimateAnchors", asked, of, num(told.models ?? 0), pct(told.error ?? 0)) + caution;
  }
  if (!told.margin) return t("estimateRanked", asked, of);
  return t(told.reached ? "estimateTold" : "estimateOpen", asked, of, String(Math.round(10000 * told.margin) / 100));
}
