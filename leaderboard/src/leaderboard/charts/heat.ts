// A matrix of correlations.
import { isNumber, type Maybe } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import { metricName } from "../metrics.ts";
import { label, line, mute, said, square, squares } from "./marks.ts";

const SIDE = { wide: 44, high: 26 };

export function coefficient(v: Maybe): string {
  if (!isNumber(v)) return "–";
  return v
    .toFixed(2)
    .replace("-", "−")
    .replace(/^(−?)0\./, "$1.");
}

/** `at`: ρ above the diagonal, τ below. */
export function heatmap(metrics: string[], at: (a: string, b: string) => Maybe): SVGElement {
  const names: string[] = metrics.map(metricName);
  const { x, y, right, bottom, lean, heads } = squares(names, names, SIDE);
  const one = (i: number, j: number) => {
    if (i === j) return line("grid", x(j) + 6, x(j) + SIDE.wide - 6, y(i) + 5, y(i) + SIDE.high - 5);
    const v = at(metrics[i], metrics[j]);
    const strength = Number(v ?? 0) ** 2;
    const layer: [string, string] = [
      Number(v) < 0 ? "against" : "with",
      isNumber(v) ? (0.03 + 0.46 * strength).toFixed(2) : "0",
    ];
    return said(
      `${names[i]} · ${names[j]}: ${j > i ? "ρ" : "τ"} ${coefficient(v)}`,
      square(x(j), y(i), SIDE, [layer], coefficient(v), { class: "value" }),
    );
  };
  return mute(
    "heat",
    [Math.ceil(right + lean + 4), Math.ceil(bottom + 24)],
    heads,
    names.map((_, i) => names.map((__, j) => one(i, j))),
    label(right, bottom + 18, t("aboveBelow"), "end"),
  );
}
