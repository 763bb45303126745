// Words about cells whose asking stopped early.
import { num } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import type { Cell, Flag } from "./types.ts";

/** That a cell was stopped early, and after how many items. */
export const estimateFlag = ({ estimate }: Cell): Flag | null =>
  estimate ? { text: t("estimateN", num(estimate.asked), num(estimate.of)), title: estimateTold(estimate) } : null;

export function estimateTold({ asked, of, margin, reached }: NonNullable<Cell["estimate"]>): string {
  if (margin === null) return t("estimateRanked", num(asked), num(of));
  return t(reached ? "estimateTold" : "estimateOpen", num(asked), num(of), String(Math.round(10000 * margin) / 100));
}
