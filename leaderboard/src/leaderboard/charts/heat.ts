// A matrix of correlations.
import { s } from "../../common/dom.ts";
import { isNumber } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import { metricName } from "../metrics.ts";

export const coefficient = (v) =>
  isNumber(v)
    ? v
        .toFixed(2)
        .replace("-", "−")
        .replace(/^(−?)0\./, "$1.")
    : "–";

export const HEAT = { width: 44, height: 26 };

export function heatmap(names, at) {
  const wide = (text) => [...text].reduce((sum, c) => sum + (c > "\u2e80" ? 11.5 : 6.4), 0),
    longest = Math.max(...names.map((m) => wide(metricName(m))));
  const left = longest + 10,
    top = 0.71 * longest + 16,
    right = left + names.length * HEAT.width,
    bottom = top + names.length * HEAT.height;
  const x = (i) => left + i * HEAT.width,
    y = (i) => top + i * HEAT.height,
    px = (v) => v.toFixed(1);
  const cell = (a, b, i, j) => {
    const v = at(a, b);
    return s(
      "g",
      null,
      s("rect", {
        class: v < 0 ? "against" : "with",
        x: px(x(j) + 1),
        y: px(y(i) + 1),
        width: HEAT.width - 2,
        height: HEAT.height - 2,
        rx: 3,
        opacity: isNumber(v) ? (0.03 + 0.46 * v * v).toFixed(2) : 0,
      }),
      s(
        "text",
        { class: "value", x: px(x(j) + HEAT.width / 2), y: px(y(i) + 17), "text-anchor": "middle" },
        coefficient(v),
      ),
      s("title", null, `${metricName(a)} · ${metricName(b)}: ${j > i ? "ρ" : "τ"} ${coefficient(v)}`),
    );
  };
  const corner = right + 0.71 * longest + 4;
  return s(
    "svg",
    { class: "plot heat", width: px(corner), height: px(bottom + 24), "aria-hidden": "true" },
    names.map((m, i) => [
      s("text", { class: "head", x: px(left - 8), y: px(y(i) + 17), "text-anchor": "end" }, metricName(m)),
      s(
        "text",
        {
          class: "head",
          x: px(x(i) + HEAT.width / 2),
          y: px(top - 8),
          transform: `rotate(-45 ${px(x(i) + HEAT.width / 2)} ${px(top - 8)})`,
        },
        metricName(m),
      ),
    ]),
    names.map((a, i) =>
      names.map((b, j) =>
        i === j
          ? s("line", {
              class: "grid",
              x1: px(x(i) + 6),
              x2: px(x(i) + HEAT.width - 6),
              y1: px(y(i) + 5),
              y2: px(y(i) + HEAT.height - 5),
            })
          : cell(a, b, i, j),
      ),
    ),
    s("text", { x: px(right), y: px(bottom + 18), "text-anchor": "end" }, t("aboveBelow")),
  );
}
