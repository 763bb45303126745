// Lines over groups of items, with bars of how many items each has.
import { h, put, s } from "../../common/dom.ts";
import { isNumber, num, pct } from "../../common/numbers.ts";
import { plain, shortened } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { published } from "../columns.ts";
import { cellIndex, isChoice, models, nameNode, placeOf } from "../data.ts";
import { metricName } from "../metrics.ts";
import { state } from "../state.ts";
import { PLOT } from "./axis.ts";
import { glyph, LOOKS } from "./looks.ts";

export const sample = (look) =>
  s(
    "svg",
    { class: `plot curve swatch c${look % 6}`, width: 28, height: 14, "aria-hidden": "true" },
    s("line", { class: "path", x1: 1, x2: 27, y1: 7, y2: 7, "stroke-dasharray": LOOKS[look][0] }),
    glyph(look, 14, 7),
  );

/** For who saves the charts, and reads them without the boxes above. */
export const lineLegend = (lines) =>
  h(
    "p",
    { class: "legend" },
    lines.map(({ row, look }) => h("span", null, sample(look), " ", nameNode(models.get(row.id)))),
  );

/** Where the axis of values ends: above all that is drawn of groups of some size. */
export function valueEnd(lines, by, chance) {
  const most = Math.max(
    chance ?? 0,
    ...lines.flatMap(({ row }) => (row[by] ?? []).map((b) => (b.n < 10 ? b.value : b.interval[1]))),
  );
  return [0.2, 0.4, 0.6, 0.8].find((x) => x >= most) ?? 1;
}

export function binPanel(by, title, task, lines) {
  const rows = lines.map((x) => x.row),
    bins = binsOf(rows, by),
    unknown = rows.some((r) => (r[by] ?? []).some((b) => b.low === null));
  const columns = [...bins, ...(unknown ? [{ low: null, high: null }] : [])],
    wide = (PLOT.right - PLOT.left) / (columns.length + (unknown ? 0.35 : 0));
  const across = (b) => PLOT.left + wide * (columns.findIndex(binLike(b)) + 0.5 + (b.low === null ? 0.35 : 0));
  const chance = isChoice(task) && state.perturb !== "circular" ? cellIndex.get(placeOf(rows[0] ?? {}))?.chance : null;
  const end = valueEnd(lines, by, chance),
    up = (v) => PLOT.bottom - (Math.min(v, end) / end) * (PLOT.bottom - PLOT.top),
    metric = rows[0]?.metric;
  const readout = h("p", { class: "note readout unsaved", "aria-hidden": "true" }, "\u00a0");
  const line = (cls, x1, y1, x2, y2) => s("line", { class: cls, x1, x2, y1, y2 });
  const howMany = (b) => {
    const all = rows.map((r) => r[by]?.find(binLike(b))?.n).filter(isNumber);
    return Math.max(...all) === Math.min(...all) ? num(all[0]) : `≤${num(Math.max(...all))}`;
  };
  // Names are long: they lean, below the counts.
  const names = by === "groups",
    nameAt = (b) =>
      names
        ? s(
            "text",
            {
              x: across(b) + 4,
              y: PLOT.bottom + 30,
              "text-anchor": "end",
              transform: `rotate(-35 ${across(b) + 4} ${PLOT.bottom + 30})`,
            },
            shortened(binName(b), 105),
          )
        : s("text", { x: across(b), y: PLOT.bottom + 16, "text-anchor": "middle" }, binName(b));
  const summary = lines
    .map(
      ({ row }) =>
        `${plain(models.get(row.id).label)}: ${(row[by] ?? []).map((b) => `${binName(b)} ${pct(b.value)}`).join(", ")}`,
    )
    .join("; ");
  const plot = s(
    "svg",
    {
      class: "plot curve",
      viewBox: `0 0 ${PLOT.width} ${PLOT.bottom + (names ? 96 : 36)}`,
      role: "group",
      "aria-label": `${title}, ${metricName(metric)} %. ${summary}`,
      onkeydown: (e) => stepAmong(e, plot),
    },
    [0, 0.25, 0.5, 0.75, 1].map((v) => [
      line("grid", PLOT.left, up(v * end), PLOT.right, up(v * end)),
      s("text", { x: PLOT.left - 5, y: up(v * end) + 4, "text-anchor": "end" }, pct(v * end, 0)),
    ]),
    unknown &&
      bins.length > 0 &&
      line("chance", across({ low: null }) - 0.67 * wide, PLOT.top, across({ low: null }) - 0.67 * wide, PLOT.bottom),
    columns.map((b) => [
      nameAt(b),
      s(
        "text",
        { class: "count", x: across(b), y: PLOT.bottom + (names ? 16 : 31), "text-anchor": "middle" },
        howMany(b),
      ),
    ]),
    s("text", { x: PLOT.left - 5, y: PLOT.bottom + (names ? 16 : 31), "text-anchor": "end" }, "n"),
    isNumber(chance) &&
      (by === "options"
        ? bins.map((b) =>
            line("chance dotted", across(b) - 0.4 * wide, up(1 / b.low), across(b) + 0.4 * wide, up(1 / b.low)),
          )
        : line("chance dotted", PLOT.left, up(chance), PLOT.right, up(chance))),
    lines.map((one, i) =>
      binLine(one, by, (i - (lines.length - 1) / 2) * Math.min(5, (0.6 * wide) / lines.length), across, up, readout),
    ),
  );
  plot.querySelector(".spot")?.setAttribute("tabindex", 0); // one stop for the Tab key; arrows go on from there
  return h(
    "figure",
    { class: "panel", "data-by": by },
    h(
      "figcaption",
      null,
      h("strong", null, title),
      h(
        "small",
        null,
        `${metricName(metric)} %`,
        isNumber(chance) && by !== "options" && ` · ${t("chanceIs", pct(chance))}`,
      ),
    ),
    plot,
    readout,
  );
}

/** Arrow keys move among the points: left and right along a line, up and down to the next line. */
export function stepAmong(event, plot) {
  const spots = [...plot.querySelectorAll(".spot")],
    at = spots.indexOf(document.activeElement),
    move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (at < 0 || !event.key.startsWith("Arrow")) return;
  const lines = [...plot.querySelectorAll(".series")],
    mine = lines.indexOf(spots[at].parentNode),
    other = lines[mine + (event.key === "ArrowDown" ? 1 : -1)];
  const next = move
    ? spots[at + move]
    : other &&
      ([...other.querySelectorAll(".spot")].find((x) => x.dataset.bin === spots[at].dataset.bin) ??
        other.querySelector(".spot"));
  event.preventDefault();
  event.stopPropagation();
  if (!next) return;
  spots[at].setAttribute("tabindex", -1);
  next.setAttribute("tabindex", 0);
  next.focus();
}

/** A model's points with their whiskers, moved aside by `shift`; joined, but for that of what could not be told. */
export function binLine({ row, look }, by, shift, across, up, readout) {
  const at = (b) => across(b) + shift,
    bins = row[by] ?? [],
    joined = by === "groups" ? [] : bins.filter((b) => b.low !== null),
    cell = cellIndex.get(placeOf(row)),
    name = plain(models.get(row.id).label);
  const spot = (b) => {
    const words = `${name}, ${binName(b)}: ${pct(b.value)} % (${pct(b.interval[0])}–${pct(b.interval[1])}), ${t("nItems", num(b.n))}, ${t("dialoguesN", num(b.dialogues))}`,
      show = () => {
        put(readout, words);
      };
    const enter = () => cell && go(cellRoute(cell));
    return s(
      "g",
      {
        class: `spot${b.n < 10 ? " few" : ""}`,
        tabindex: -1,
        role: "button",
        "data-bin": binName(b),
        "aria-label": words,
        onmouseenter: show,
        onfocus: show,
        onclick: enter,
        onkeydown: (e) => {
          if (e.key === "Enter" || e.key === " ") {
            e.preventDefault();
            enter();
          }
        },
      },
      s("path", { class: "whisker", d: `M${at(b)} ${up(b.interval[0])}V${up(b.interval[1])}` }),
      s("circle", { class: "hit", cx: at(b), cy: up(b.value), r: 9 }),
      glyph(look, at(b), up(b.value), 4),
      s("title", null, words),
    );
  };
  return s(
    "g",
    { class: `series c${look % 6}`, "data-series": name },
    joined.length > 1 &&
      s("polyline", {
        class: "path",
        "stroke-dasharray": LOOKS[look][0],
        points: joined.map((b) => `${at(b).toFixed(1)},${up(b.value).toFixed(1)}`).join(" "),
      }),
    bins.map(spot),
  );
}

/** The paper's figures by group: model -> group -> value. */
export function paperGroups(rows, task, set) {
  const found = new Map();
  for (const { name } of state.published ? binsOf(rows, "groups") : []) {
    for (const [model, { value }] of published(set, task.name, rows[0].metric, name))
      found.set(model, { ...found.get(model), [name]: value });
  }
  return [...found];
}

/** Bins of numbers are told apart by their lower end, groups by their name. */
export const binKey = (b) => b.name ?? b.low,
  binLike = (b) => (x) => binKey(x) === binKey(b);

export const binName = (b) =>
  b.name !== undefined
    ? plain(b.name)
    : b.low === null
      ? "?"
      : b.high === null
        ? `${b.low}+`
        : b.low === b.high
          ? String(b.low)
          : `${b.low}–${b.high}`;

/** The bins that any of the rows has, from the lowest (groups as they stand), without that of what could not be told. */
export function binsOf(rows, by) {
  const all = new Map(
    rows
      .flatMap((r) => r[by] ?? [])
      .filter((b) => b.low !== null)
      .map((b) => [binKey(b), b]),
  );
  return by === "groups" ? [...all.values()] : [...all.values()].sort((a, b) => a.low - b.low);
}
