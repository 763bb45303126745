// Differences between wordings: a row for each model with a dot for each wording, a line from worst to best and a stroke at the mean.
import { h, visible } from "../../common/dom.ts";
import { pct } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import type { Wordings } from "../../types/results.ts";
import { cellIndex, modelOf, placeOf } from "../data.ts";
import { setNames } from "../filters.ts";
import { metricName } from "../metrics.ts";
import { setLabel } from "../names.ts";
import { unansweredNote, type WithModel } from "../result_rows.ts";
import { type Range, ROW, rangeOf, shares } from "./axis.ts";
import { colourOf, glyph, LOOKS } from "./glyphs.ts";
import { labelOf, markSample, pickedOf } from "./looks.ts";
import { group, line, Points, rowAt, rowAxis } from "./marks.ts";

export type Worded = WithModel<Wordings>;

/** A panel for each set; all have the same axis. */
export function wordingPanels(rows: Worded[]): HTMLElement {
  const names = [...new Set(rows.flatMap((r) => Object.keys(r.values)))].sort();
  const looks = new Map(names.map((name, i) => [name, i % LOOKS.length]));
  const range = rangeOf(rows.flatMap((r) => Object.values(r.values)));
  const panels = setNames().map((set) => {
    const list = rows.filter((r) => r.set === set).sort((a, b) => b.spread - a.spread);
    return list.length > 0 && wordingPanel(set, list, range, looks);
  });
  const key = [...looks].map(([name, look]) => h("span", null, markSample(look, 16), visible(name)));
  return h(
    "div",
    { id: "wording-spread" },
    h("p", { class: "legend" }, key),
    h("div", { class: "panels spreadpanels" }, panels),
  );
}

function wordingPanel(set: string, rows: Worded[], range: Range, looks: Map<string, number>): HTMLElement {
  const across = shares(range.low, range.high);
  const labels = range.ticks.map((v): [string, string] => [across(v), pct(v, 0)]);
  const height = rows.length * ROW;
  const picked = pickedOf(rows.map((r) => r.id));
  const points = new Points();
  const one = (row: Worded, i: number) => {
    const y = rowAt(i);
    const spot = ([name, v]: [string, number]) => {
      const look = looks.get(name) ?? 0;
      const cell = cellIndex.get(placeOf({ ...row, variant: name }));
      const words = `${labelOf(row.id)}, ${plain(name)}: ${pct(v)} %${unansweredNote(cell)}`;
      const point = { x: across(v), y, words, cell, line: row.id, at: name, cls: colourOf(look) };
      return points.point(point, (px, py) => glyph(look, px, py));
    };
    const values = Object.values(row.values);
    const middle = across(row.mean);
    return group(
      picked.length && !picked.includes(row.id) ? "spreadrow dim" : "spreadrow",
      { "data-model": labelOf(row.id) },
      line("spread", across(Math.min(...values)), across(Math.max(...values)), y, y),
      line("meanmark", middle, middle, y - 8, y + 8),
      Object.entries(row.values).map(spot),
    );
  };
  return points.panel(
    {
      data: { "data-panel": set },
      title: setLabel(set),
      small: `${metricName(rows[0].metric)} %`,
      cls: "spreads",
      size: ["100%", height + 20],
      words: `${t("wordings")}, ${setLabel(set)}. ${t("linesLabel", rows.length)}`,
      rows: { models: rows.map((r) => modelOf(r.id)) },
    },
    rowAxis(range.ticks.map(across), labels, height),
    rows.map(one),
  );
}
