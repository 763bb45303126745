// Helpers by which sections make the rows and columns of sheets.
import { recordedFlags } from "../data.ts";
import { isLower, isRaw, isSigned } from "../metrics.ts";
import type { Model, SheetColumn, SheetValue } from "../types.ts";

/** A cell with a model's name, marked if its replies were recorded before the run. */
export const nameCell = (model: Model): SheetValue => ({
  value: model.label,
  name: true,
  ...(model.recorded ? { flags: recordedFlags(model) } : {}),
});

/** The notation of a metric's values: shares in percent, nats with a sign, other numbers unscaled. */
export function metricColumn(metric: string): Partial<SheetColumn> {
  const better = isLower(metric) ? "less" : "more";
  if (isSigned(metric)) return { kind: "number", signed: true, intervalDigits: 2, better };
  return isRaw(metric) ? { kind: "number", better } : { kind: "percent", better };
}
