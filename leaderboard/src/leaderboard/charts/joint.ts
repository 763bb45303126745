// Judge against metric: how many items have each score and each tenth.
import { h, s } from "../../common/dom.ts";
import { isNumber, num } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellIndex, models, nameNode, placeOf } from "../data.ts";
import { plus } from "../judged.ts";
import { isRaw, metricName, metricRow } from "../metrics.ts";
import { opener } from "../tables/cells.ts";

export function jointPanel(c, numbers, scale, metric) {
  const [, low, high] = c.facts.scales.find(([name]) => name === scale),
    told = numbers.joint[metric],
    label = plain(models.get(c.id).label),
    side = 26,
    tall = 20,
    left = 22;
  // A scale of many steps has its scores in tenths, too.
  const rows = Math.min(10, high - low + 1),
    band = (score) => Math.min(rows - 1, Math.floor(((score - low) * rows) / (high - low + 1))),
    counts = Array.from({ length: rows }, () => Array(10).fill(0));
  for (const [score, list] of Object.entries(told))
    list.split(" ").forEach((n, i) => {
      counts[band(Number(score))][i] += Number(n);
    });
  const most = Math.max(1, ...counts.flat()),
    named = (i) => {
      const from = low + Math.ceil((i * (high - low + 1)) / rows);
      return String(from);
    };
  const words = Object.entries(told)
      .map(([score, list]) => `${score}: ${list}`)
      .join("; "),
    x = numbers.metrics[metric];
  const plot = s(
    "svg",
    {
      class: "plot curve joint",
      viewBox: `0 0 ${left + 10 * side + 6} ${rows * tall + 32}`,
      role: "img",
      "aria-label": `${label}, ${t("jointLabel", metricName(metric))} ${words}`,
    },
    s("rect", { class: "floor", x: left, y: 0, width: 10 * side, height: rows * tall }),
    s("path", {
      class: "grid",
      d:
        Array.from({ length: 11 }, (_, i) => `M${left + i * side} 0v${rows * tall}`).join("") +
        Array.from({ length: rows + 1 }, (_, i) => `M${left} ${i * tall}h${10 * side}`).join(""),
    }),
    counts.flatMap((list, i) => {
      const y = (rows - 1 - i) * tall;
      return [
        s("text", { x: left - 6, y: y + 14, "text-anchor": "end" }, named(i)),
        list.flatMap(
          (n, j) =>
            n > 0 && [
              s("rect", {
                class: "tile",
                x: left + j * side + 0.5,
                y: y + 0.5,
                width: side - 1,
                height: tall - 1,
                opacity: (0.1 + 0.4 * (n / most)).toFixed(2),
              }),
              s("text", { class: "count", x: left + (j + 0.5) * side, y: y + 14, "text-anchor": "middle" }, num(n)),
            ],
        ),
      ];
    }),
    [0, 5, 10].map((v) =>
      s(
        "text",
        { x: left + v * side, y: rows * tall + 13, "text-anchor": v === 0 ? "start" : v === 10 ? "end" : "middle" },
        isRaw(metric) ? (v * (metricRow(metric).top ?? 1)) / 10 : v * 10,
      ),
    ),
    s(
      "text",
      { x: left + 5 * side, y: rows * tall + 28, "text-anchor": "middle" },
      metricName(metric) + (isRaw(metric) ? "" : " %"),
    ),
  );
  return h(
    "figure",
    { class: "panel", "data-joint": label },
    h(
      "figcaption",
      null,
      h("strong", null, opener(cellIndex.get(placeOf(c)), nameNode(models.get(c.id)))),
      h(
        "small",
        null,
        `ρ ${plus(x?.spearman)}`,
        isNumber(x?.spearman_low) && ` (${plus(x.spearman_low)} … ${plus(x.spearman_high)})`,
        ` · n=${num(numbers.n)}`,
      ),
    ),
    plot,
  );
}
