// Judge against metric: means of cells, and items.
import { h, put, s } from "../../common/dom.ts";
import { isNumber, num, pct } from "../../common/numbers.ts";
import { plain, shortened, wide } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { rangeOf } from "../charts/axis.ts";
import { roam } from "../charts/lines.ts";
import { colourOf, glyph, lookOf, pickedOf } from "../charts/looks.ts";
import { cellIndex, models, nameNode, placeOf } from "../data.ts";
import { plus, points } from "../judged.ts";
import { figure, isRaw, metricName, metricRow, span } from "../metrics.ts";
import { opener } from "../tables/sheet.ts";
import { setLabel, setNames, taskName, tasks } from "../view.ts";

const GROUND = { width: 380, left: 30, right: 368, top: 12, bottom: 238 };

/** A panel a task: a marker a model and set (EASY small, HARD large), the metric across, the judge's mean up. */
export function scatterPanels(cells, scale, metric, over) {
  const [, low, high] = cells[0].facts.scales.find(([name]) => name === scale);
  const spots = cells
    .map((c) => ({ c, mean: c.scales[scale], cell: cellIndex.get(placeOf(c)) }))
    .map((p) => ({ ...p, m: p.cell?.metrics?.[metric] }))
    .filter((p) => isNumber(p.mean.value) && isNumber(p.m?.value));
  if (!spots.length) return null;
  const range = rangeOf(
    spots.flatMap(({ m }) => [m.value, m.low, m.high]),
    metricRow(metric)?.top ?? 1,
  );
  return h(
    "div",
    { class: "panels", id: "judge-scatter" },
    tasks
      .map((x) => [x, spots.filter((p) => p.c.task === x.name)])
      .filter(([, list]) => list.length)
      .map(([task, list]) =>
        scatterPanel(task, list, { metric, range, low, high, over: over.filter((r) => r.task === task.name) }),
      ),
  );
}

function scatterPanel(task, spots, { metric, range, low, high, over }) {
  const { left, right, top, bottom } = GROUND,
    sets = setNames(),
    picked = pickedOf(spots.map((p) => p.c.id));
  const across = (v) => left + 8 + ((v - range.low) / (range.high - range.low)) * (right - left - 16),
    up = (v) => bottom - 8 - ((v - low) / (high - low)) * (bottom - top - 16);
  const readout = h("p", { class: "note readout unsaved", "aria-hidden": "true" }, "\u00a0"),
    taken = [];
  const line = (cls, x1, y1, x2, y2) => s("line", { class: cls, x1, x2, y1, y2 });
  const size = (p) => (p.c.set === sets.at(-1) ? 5.5 : 3.5),
    at = (p) => [across(p.m.value), up(p.mean.value)];
  spots.forEach((p) => {
    const [x, y] = at(p),
      r = size(p) + 1;
    taken.push([x - r, y - r, x + r, y + r]);
  });
  /** A name beside its marker where nothing else stands, or none. */
  const named = (p) => {
    const [x, y] = at(p),
      text = shortened(models.get(p.c.id).label, 130),
      long = wide(text);
    for (const [x1, anchor, down] of [
      [x + 9, "start", 4],
      [x - 9, "end", 4],
      [x, "middle", -10],
      [x, "middle", 17],
    ]) {
      const from = anchor === "start" ? x1 : anchor === "end" ? x1 - long : x1 - long / 2,
        box = [from, y + down - 10, from + long, y + down + 2];
      if (
        box[0] < left ||
        box[2] > right ||
        box[1] < top ||
        box[3] > bottom ||
        taken.some((b) => b[0] < box[2] && b[2] > box[0] && b[1] < box[3] && b[3] > box[1])
      )
        continue;
      taken.push(box);
      return s("text", { class: "dotname", x: x1, y: y + down, "text-anchor": anchor }, text);
    }
    return null;
  };
  const wish = (p) => (picked.includes(p.c.id) ? 2 : 0) + (p.c.set === sets.at(-1) ? 1 : 0),
    done = new Set(),
    names = new Map();
  for (const p of [...spots].sort((a, b) => wish(b) - wish(a)))
    if (!done.has(p.c.id)) {
      const node = named(p);
      if (node) {
        done.add(p.c.id);
        names.set(p, node);
      }
    }
  const dot = (p) => {
    const [x, y] = at(p),
      look = lookOf(p.c.id),
      words = `${plain(models.get(p.c.id).label)}, ${setLabel(p.c.set)}${p.c.perturb === "none" ? "" : `, ${p.c.perturb}`}: ${t("judge")} ${points(p.mean.value)}${isNumber(p.mean.low) ? ` (${points(p.mean.low)}–${points(p.mean.high)})` : ""}, ${metricName(metric)} ${figure(metric, p.m.value)}${span(metric, p.m.low, p.m.high, 1).replace(/.+/, " ($&)")}`;
    const tell = () => {
        put(readout, words);
      },
      open = () => go(cellRoute(p.cell));
    const cross = [
      isNumber(p.mean.low) && `M${x} ${up(p.mean.low)}V${up(p.mean.high)}`,
      isNumber(p.m.low) && `M${across(p.m.low)} ${y}H${across(p.m.high)}`,
    ]
      .filter(Boolean)
      .join("");
    return s(
      "g",
      {
        class: `series ${colourOf(look)}${picked.length && !picked.includes(p.c.id) ? " dim" : ""}`,
        "data-model": plain(models.get(p.c.id).label),
      },
      cross && s("path", { class: "whisker", d: cross }),
      names.get(p),
      s(
        "g",
        {
          class: "spot",
          role: "button",
          "aria-label": words,
          onmouseenter: tell,
          onfocus: tell,
          onclick: open,
          onkeydown: (e) => {
            if (e.key === "Enter" || e.key === " ") {
              e.preventDefault();
              open();
            }
          },
        },
        s("circle", { class: "hit", cx: x, cy: y, r: 9 }),
        glyph(look, x, y, size(p)),
        s("title", null, words),
      ),
    );
  };
  const shown = Array.from({ length: high - low + 1 }, (_, i) => low + i).filter(
    (v) => high - low <= 10 || (v - low) % 10 === 0,
  );
  const plot = s(
    "svg",
    {
      class: "plot curve scatter",
      viewBox: `0 0 ${GROUND.width} ${bottom + 36}`,
      role: "group",
      "aria-label": `${taskName(task)}: ${t("judgeMean")}, ${metricName(metric)}. ${t("linesLabel", new Set(spots.map((p) => p.c.id)).size)}`,
      onkeydown: roam,
    },
    shown.map((v) => [
      line("grid", left, up(v), right, up(v)),
      s("text", { x: left - 5, y: up(v) + 4, "text-anchor": "end" }, v),
    ]),
    range.ticks.map((v) => [
      line("grid", across(v), top, across(v), bottom),
      s("text", { x: across(v), y: bottom + 14, "text-anchor": "middle" }, isRaw(metric) ? +v.toFixed(2) : pct(v, 0)),
    ]),
    s(
      "text",
      { x: (left + right) / 2, y: bottom + 31, "text-anchor": "middle" },
      metricName(metric) + (isRaw(metric) ? "" : " %"),
    ),
    spots.map(dot),
  );
  plot.querySelectorAll(".spot").forEach((spot, i) => spot.setAttribute("tabindex", i === 0 ? 0 : -1));
  const rhos = over
    .filter((r) => isNumber(r.metrics[metric]?.spearman))
    .map((r) => `${setLabel(r.set)} ρ ${plus(r.metrics[metric].spearman)}`);
  return h(
    "figure",
    { class: "panel", "data-task": task.name },
    h(
      "figcaption",
      null,
      h("strong", null, taskName(task)),
      rhos.length > 0 && h("small", null, `${t("overModels", over[0].models)}: ${rhos.join(" · ")}`),
    ),
    plot,
    readout,
  );
}

/** A panel a model: how many items have each score and each tenth of the metric. */
export function jointPanels(cells, scale, metric) {
  const there = cells.filter((c) => c.scales[scale].joint?.[metric]),
    picked = pickedOf(there.map((c) => c.id)),
    shown = picked.length ? there.filter((c) => picked.includes(c.id)) : there;
  if (!there.length) return h("p", { class: "notice" }, t("jointNone"));
  return h(
    "div",
    { class: "panels joints", id: "judge-joint" },
    shown.map((c) => jointPanel(c, c.scales[scale], scale, metric)),
  );
}

function jointPanel(c, numbers, scale, metric) {
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
