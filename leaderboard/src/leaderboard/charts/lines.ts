// A chart of lines, one a model, over a few places: from not perturbed to perturbed, over numbers of shots.
import { h, put, s } from "../../common/dom.ts";
import { isNumber, pct } from "../../common/numbers.ts";
import { plain, shortened, wide } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { models } from "../data.ts";
import { apart } from "./axis.ts";
import { colourOf, glyph, lookOf, pickedOf } from "./looks.ts";

const FRAME = { width: 380, left: 30, right: 214, top: 10, bottom: 238, gap: 13, labels: 9 };

/** Lines that are named at their ends: all if they are few, else those picked and the heaviest. */
function namedLines(lines) {
  const picked = pickedOf(lines.map((x) => x.id));
  const rest = picked.length ? [] : [...lines].sort((a, b) => b.weight - a.weight).map((x) => x.id);
  return new Set([...picked, ...rest].slice(0, Math.max(picked.length, FRAME.labels)));
}

/** `lines`: [{id, label, weight, faint, dash, points: [{at, value, low, high, cell, words}]}], `at` counting `places`, their names.
 *  The end of a line opens its last point's evidence; every point has its own. */
export function linePanel({ name, caption, places, lines, range, chance }) {
  const { left, right, top, bottom } = FRAME,
    end = (x) => x.points.at(-1),
    picked = pickedOf(lines.map((x) => x.id)),
    named = namedLines(lines);
  const across = (at) => left + 10 + (at / Math.max(1, places.length - 1)) * (right - left - 20);
  const up = (v) =>
    bottom - ((Math.min(range.high, Math.max(range.low, v)) - range.low) / (range.high - range.low)) * (bottom - top);
  const readout = h("p", { class: "note readout unsaved", "aria-hidden": "true" }, "\u00a0");
  const labelled = lines.filter((x) => named.has(x.id)),
    ys = apart(
      labelled.map((x) => up(end(x).value)),
      FRAME.gap,
      top + 2,
      bottom - 2,
    ),
    labelAt = new Map(labelled.map((x, i) => [x.id, ys[i]]));
  const rank = (x) => (picked.includes(x.id) ? 2 : x.faint ? 0 : 1),
    order = [...lines].sort((a, b) => rank(a) - rank(b));
  const shift = (x) => (lines.indexOf(x) - (lines.length - 1) / 2) * Math.min(3, 12 / lines.length);
  const grid = (cls, x1, y1, x2, y2) => s("line", { class: cls, x1, x2, y1, y2 });
  const plot = s(
    "svg",
    {
      class: "plot curve lines",
      viewBox: `0 0 ${FRAME.width} ${bottom + 24}`,
      role: "group",
      "aria-label": `${name}. ${t("linesLabel", lines.length)}`,
      onkeydown: roam,
    },
    range.ticks.map((v) => [
      grid("grid", left, up(v), right, up(v)),
      s("text", { x: left - 5, y: up(v) + 4, "text-anchor": "end" }, pct(v, 0)),
    ]),
    places.map((x, i) => [
      grid("grid upright", across(i), top, across(i), bottom),
      s(
        "text",
        { x: across(i), y: bottom + 17, "text-anchor": places.length === 2 ? ["start", "end"][i] : "middle" },
        plain(x),
      ),
    ]),
    isNumber(chance) && grid("chance dotted", left, up(chance), right, up(chance)),
    order.map((x) =>
      lineOf(x, {
        across,
        up,
        shift: shift(x),
        readout,
        labelAt: labelAt.get(x.id),
        dim: picked.length > 0 && !picked.includes(x.id),
      }),
    ),
    isNumber(chance) &&
      s(
        "text",
        { class: "chancename", x: (left + right) / 2, y: up(chance) - 4, "text-anchor": "middle" },
        t("chance"),
      ),
  );
  plot.querySelectorAll(".spot").forEach((spot, i) => spot.setAttribute("tabindex", i === 0 ? 0 : -1));
  return h("figure", { class: "panel", "data-panel": name }, caption, plot, readout);
}

/** One stop of the tab key for a chart; arrows go from point to point. */
export function roam(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key],
    spots = [...event.currentTarget.querySelectorAll(".spot")],
    at = spots.indexOf(document.activeElement);
  if (!step || at < 0) return;
  event.preventDefault();
  const next = spots[(at + step + spots.length) % spots.length];
  spots[at].setAttribute("tabindex", -1);
  next.setAttribute("tabindex", 0);
  next.focus();
}

function lineOf(line, { across, up, shift, readout, labelAt, dim }) {
  const look = lookOf(line.id),
    model = models.get(line.id),
    last = line.points.at(-1),
    x = (p) => across(p.at) + shift,
    y = (p) => up(p.value),
    path = line.points.map((p) => `${x(p).toFixed(1)},${y(p).toFixed(1)}`).join(" ");
  const open = (p) => p.cell && (() => go(cellRoute(p.cell))),
    tell = (p) => () => {
      put(readout, p.words);
    };
  const whisker = (p) =>
    isNumber(p.low) &&
    s("path", {
      class: "whisker",
      d: `M${x(p)} ${up(p.low)}V${up(p.high)}M${x(p) - 2} ${up(p.low)}h4M${x(p) - 2} ${up(p.high)}h4`,
    });
  const spot = (p) =>
    s(
      "g",
      {
        class: "spot",
        role: p.cell ? "button" : "img",
        "aria-label": p.words,
        onmouseenter: tell(p),
        onfocus: tell(p),
        onclick: open(p),
        onkeydown:
          open(p) &&
          ((e) => {
            if (e.key === "Enter" || e.key === " ") {
              e.preventDefault();
              open(p)();
            }
          }),
      },
      s("circle", { class: "hit", cx: x(p), cy: y(p), r: 8 }),
      glyph(look, x(p), y(p), 4),
      s("title", null, p.words),
    );
  const at = labelAt ?? up(last.value),
    from = FRAME.right + 2;
  return s(
    "g",
    {
      class: ["series", colourOf(look), line.faint && "faint", dim && "dim", labelAt === undefined && "unnamed"]
        .filter(Boolean)
        .join(" "),
      "data-model": plain(model.label),
    },
    line.points.length > 1 && [
      s("polyline", { class: "path", "stroke-dasharray": line.dash, points: path }),
      s("polyline", { class: "over", points: path, onmouseenter: tell(last), onclick: open(last) }),
    ],
    line.points.map(whisker),
    line.points.map(spot),
    s(
      "g",
      { class: `end${labelAt === undefined ? " quiet" : ""}` },
      s("path", { class: "lead", d: `M${from} ${up(last.value)}L${from + 8} ${at}` }),
      s(
        "text",
        { x: from + 11, y: at + 4, onmouseenter: tell(last), onclick: open(last) },
        shortened(model.label, FRAME.width - from - 22 - wide(line.label)),
        s("tspan", { class: "amount" }, ` ${line.label}`),
      ),
    ),
  );
}
