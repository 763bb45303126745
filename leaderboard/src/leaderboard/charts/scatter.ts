// Judge against metric: a point a cell.
import { h, put, s } from "../../common/dom.ts";
import { isNumber, pct } from "../../common/numbers.ts";
import { plain, shortened, wide } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { models } from "../data.ts";
import { setNames } from "../filters.ts";
import { plus, points } from "../judged.ts";
import { figure, isRaw, metricName, span } from "../metrics.ts";
import { setLabel, taskName } from "../names.ts";
import { roam } from "./lines.ts";
import { colourOf, glyph, lookOf, pickedOf } from "./looks.ts";

export const GROUND = { width: 380, left: 30, right: 368, top: 12, bottom: 238 };

export function scatterPanel(task, spots, { metric, range, low, high, over }) {
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
