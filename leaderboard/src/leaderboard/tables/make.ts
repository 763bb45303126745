// Helpers by which sections make the rows and columns of sheets.
import { t } from "../../common/words.ts";
import { recordedFlags } from "../data.ts";
import { isLower, isRaw, isSigned } from "../metrics.ts";
import type { Model, SheetCell, SheetColumn, SheetRow, SheetValue } from "../types.ts";

/** A cell with a model's name, marked if its replies were recorded before the run. */
export const nameCell = (model: Model): SheetValue => ({
  value: model.label,
  name: true,
  ...(model.recorded ? { flags: recordedFlags(model) } : {}),
});

/** The rows of models, or of baselines, below their heading; none where there are no rows. */
export function modelRows(baseline: boolean, rows: SheetCell[][]): SheetRow[] {
  const part = baseline ? "base" : "own";
  const heading: SheetRow = { part, kind: "group", cells: [t(baseline ? "baselines" : "models")] };
  return rows.length ? [heading, ...rows.map((cells) => ({ part, cells }))] : [];
}

/** The row of the level of chance. */
export const chanceRow = (levels: (number | null)[]): SheetRow => ({
  part: "chance",
  cells: [t("chance"), ...levels.map((value) => ({ value, compares: false }))],
});

/** The notation of a metric's values: shares in percent, nats with a sign, other numbers unscaled. */
export function metricColumn(metric: string): Partial<SheetColumn> {
  const better = isLower(metric) ? "less" : "more";
  if (isSigned(metric)) return { kind: "number", signed: true, intervalDigits: 2, better };
  return isRaw(metric) ? { kind: "number", better } : { kind: "percent", better };
}
