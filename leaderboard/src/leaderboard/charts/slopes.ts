// Slopes from not perturbed to perturbed; wordings and shots.
import { h, put, s, visible } from "../../common/dom.ts";
import { isNumber, pct, signed } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { cellIndex, data, models, nameNode, perturbation, placeOf } from "../data.ts";
import { cellAt, setNames } from "../filters.ts";
import { metricName } from "../metrics.ts";
import { perturbName, setLabel } from "../names.ts";
import { silentOf } from "../told.ts";
import { place, ROW, rangeOf } from "./axis.ts";
import { linePanel, roam } from "./lines.ts";
import { colourOf, glyph, LOOKS, lookOf, pickedOf } from "./looks.ts";

/** A panel a perturbation; all share their axis, so that slopes compare. */
export function slopePanels(rows, _task) {
  const lasting = (row, perturb) => cellAt(row.id, row.set, row.task, row.scoring, perturb);
  const chance = rows.map((r) => lasting(r, "none")?.chance).find(isNumber),
    chanceIn = (k) => (k === "circular" ? undefined : chance); // which asks for all rotations: its chance is another
  const range = rangeOf([...rows.flatMap((r) => [r.base, r.value]), chance]);
  const line = (row) => ({
    id: row.id,
    label: changeText(row),
    weight: Math.abs(row.drop) + (isSure(row) ? 1 : 0),
    faint: !isSure(row),
    dash: isSure(row) ? "" : "4 3",
    points: [
      {
        at: 0,
        value: row.base,
        cell: lasting(row, "none"),
        words: `${plain(models.get(row.id).label)}, ${t("perturbNone")}: ${pct(row.base)}`,
      },
      {
        at: 1,
        value: row.value,
        low: Math.max(0, row.base + row.low),
        high: Math.min(1, row.base + row.high),
        cell: lasting(row, row.perturb),
        words: changeWords(row),
      },
    ],
  });
  return h(
    "div",
    { class: "panels curves", id: "slopes" },
    kindsIn(rows).map((k) =>
      linePanel({
        name: k,
        caption: h(
          "figcaption",
          null,
          h("strong", null, k),
          h("small", null, perturbation(k)[inChinese() ? "zh" : "en"]),
        ),
        places: [t("perturbNone"), t("perturbedEnd")],
        lines: rows.filter((r) => r.perturb === k).map(line),
        range,
        chance: chanceIn(k),
      }),
    ),
  );
}

/** Values over the number of shots, a panel a set. */
export function shotPanels(rows) {
  const sizes = [...new Set(rows.flatMap((r) => Object.keys(r.values)))].sort((a, b) => a - b);
  const point = (row, size) => {
    const cell = cellIndex.get(placeOf({ ...row, shots: size })),
      m = cell?.metrics?.[row.metric],
      between = isNumber(m?.low) ? ` (${pct(m.low)}–${pct(m.high)})` : "";
    return {
      at: sizes.indexOf(size),
      value: row.values[size],
      low: m?.low,
      high: m?.high,
      cell,
      words: `${plain(models.get(row.id).label)}, ${t("shotsN", size)}: ${pct(row.values[size])} %${between}${silentOf(cell)}`,
    };
  };
  const line = (row) => {
    const there = sizes.filter((x) => x in row.values),
      points = there.map((x) => point(row, x)),
      gain = points.at(-1).value - points[0].value;
    return {
      id: row.id,
      label: signed(gain),
      weight: Math.abs(gain),
      faint: false,
      dash: LOOKS[lookOf(row.id)][0],
      points,
    };
  };
  const drawnRows = rows.map((r) => [r, line(r)]),
    cell = rows
      .map((r) => cellIndex.get(placeOf({ ...r, shots: Number(Object.keys(r.values)[0]) })))
      .find((c) => isNumber(c?.chance));
  const range = rangeOf([
    ...drawnRows.flatMap(([, x]) => x.points.flatMap((p) => [p.value, p.low, p.high])),
    cell?.chance,
  ]);
  return h(
    "div",
    { class: "panels curves", id: "shots-lines" },
    setNames()
      .map((set) => [set, drawnRows.filter(([r]) => r.set === set).map(([, x]) => x)])
      .filter(([, list]) => list.length)
      .map(([set, lines]) =>
        linePanel({
          name: set,
          caption: h("figcaption", null, h("strong", null, setLabel(set)), h("small", null, t("shots"))),
          places: sizes,
          lines,
          range,
          chance: cell?.chance,
        }),
      ),
  );
}

/** A row a model: a dot a wording, a line from the worst to the best, a stroke at their mean. A panel a set. */
export function wordingPanels(rows) {
  const names = [...new Set(rows.flatMap((r) => Object.keys(r.values)))].sort(),
    lookFor = (name) => names.indexOf(name) % LOOKS.length;
  const range = rangeOf(rows.flatMap((r) => Object.values(r.values))),
    share = (v) => (v - range.low) / (range.high - range.low);
  const key = h(
    "p",
    { class: "legend" },
    names.map((name) =>
      h(
        "span",
        null,
        s(
          "svg",
          { class: `plot ${colourOf(lookFor(name))}`, width: 16, height: 14, "aria-hidden": "true" },
          glyph(lookFor(name), 7, 7, 4.5),
        ),
        visible(name),
      ),
    ),
  );
  return h(
    "div",
    { id: "wording-spread" },
    key,
    h(
      "div",
      { class: "panels spreadpanels" },
      setNames()
        .map((set) => [set, rows.filter((r) => r.set === set)])
        .filter(([, list]) => list.length)
        .map(([set, list]) =>
          wordingPanel(
            set,
            [...list].sort((a, b) => b.spread - a.spread),
            { range, share, lookFor },
          ),
        ),
    ),
  );
}

export function wordingPanel(set, rows, { range, share, lookFor }) {
  const height = rows.length * ROW,
    readout = h("p", { class: "note readout unsaved", "aria-hidden": "true" }, "\u00a0"),
    picked = pickedOf(rows.map((r) => r.id));
  const one = (row, i) => {
    const y = i * ROW + ROW / 2,
      all = Object.entries(row.values),
      values = all.map(([, v]) => v),
      label = plain(models.get(row.id).label);
    const spot = ([name, v]) => {
      const cell = cellIndex.get(placeOf({ ...row, variant: name })),
        words = `${label}, ${plain(name)}: ${pct(v)} %${silentOf(cell)}`,
        tell = () => {
          put(readout, words);
        },
        open = cell && (() => go(cellRoute(cell)));
      // A glyph stands in an SVG of its own: its corners are pixels, its place is a share of the width.
      return s(
        "svg",
        {
          x: place(share(v)),
          y,
          overflow: "visible",
          class: `spot ${colourOf(lookFor(name))}`,
          tabindex: -1,
          role: cell ? "button" : "img",
          "aria-label": words,
          onmouseenter: tell,
          onfocus: tell,
          onclick: open,
          onkeydown:
            open &&
            ((e) => {
              if (e.key === "Enter" || e.key === " ") {
                e.preventDefault();
                open();
              }
            }),
        },
        s("circle", { class: "hit", cx: 0, cy: 0, r: 9 }),
        glyph(lookFor(name), 0, 0, 4.5),
        s("title", null, words),
      );
    };
    const [low, high, middle] = [Math.min(...values), Math.max(...values), row.mean].map((v) => place(share(v)));
    return s(
      "g",
      { class: `spreadrow${picked.length && !picked.includes(row.id) ? " dim" : ""}`, "data-model": label },
      s("line", { class: "spread", x1: low, x2: high, y1: y, y2: y }),
      s("line", { class: "meanmark", x1: middle, x2: middle, y1: y - 8, y2: y + 8 }),
      all.map(spot),
    );
  };
  const plot = s(
    "svg",
    {
      class: "plot spreads",
      width: "100%",
      height: height + 20,
      role: "group",
      "aria-label": `${t("wordings")}, ${setLabel(set)}. ${t("linesLabel", rows.length)}`,
      onkeydown: roam,
    },
    range.ticks.map((v) => s("line", { class: "grid", x1: place(share(v)), x2: place(share(v)), y1: 0, y2: height })),
    range.ticks.map((v, i) =>
      s(
        "text",
        {
          x: place(share(v)),
          y: height + 15,
          "text-anchor": i === 0 ? "start" : i === range.ticks.length - 1 ? "end" : "middle",
        },
        pct(v, 0),
      ),
    ),
    rows.map(one),
  );
  plot.querySelector(".spot")?.setAttribute("tabindex", 0);
  return h(
    "figure",
    { class: "panel", "data-panel": set },
    h("figcaption", null, h("strong", null, setLabel(set)), h("small", null, `${metricName(rows[0].metric)} %`)),
    h(
      "div",
      { class: "plotrow" },
      h(
        "div",
        { class: "names" },
        rows.map((r) => h("div", null, nameNode(models.get(r.id)))),
      ),
      plot,
    ),
    readout,
  );
}

export const isSure = (row) => row.p_holm < 0.05;

export const changeText = (row) => signed(row.drop) + (isSure(row) ? " *" : "");

/** Perturbations in the order of all, of those in `rows`. */
export const kindsIn = (rows) => data.perturbations.map((x) => x.name).filter((k) => rows.some((r) => r.perturb === k));

export const changeWords = (row) =>
  `${plain(models.get(row.id).label)}, ${perturbName(row.perturb)}: ${pct(row.base)} → ${pct(row.value)}, ${signed(row.drop)} (${signed(row.low)} … ${signed(row.high)}), Holm p ${row.p_holm.toFixed(3)}`;
