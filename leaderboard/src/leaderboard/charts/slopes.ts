// Lines from the unperturbed to the perturbed value, and lines over numbers of shots.
import { h } from "../../common/dom.ts";
import { isNumber, pct, pWords, signed } from "../../common/numbers.ts";
import { inChinese, t } from "../../common/words.ts";
import type { Drop, ShotValues } from "../../types/results.ts";
import { cellIndex, data, perturbation, placeOf } from "../data.ts";
import { cellAt, setNames } from "../filters.ts";
import { perturbName, setLabel } from "../names.ts";
import { unansweredNote, type WithModel } from "../result_rows.ts";
import { rangeOf } from "./axis.ts";
import { dashOf } from "./glyphs.ts";
import { type Line, linePanel } from "./lines.ts";
import { labelOf, lookOf } from "./looks.ts";
import { between } from "./marks.ts";

export type Change = WithModel<Drop>;
export type Shots = WithModel<ShotValues>;

export const isSure = (row: Change) => Number(row.p_holm ?? 1) < 0.05;
const changeText = (row: Change) => signed(row.drop) + (isSure(row) ? " *" : "");
/** The perturbations of `rows`, in the order of the page. */
export const kindsIn = (rows: Change[]): string[] =>
  data.perturbations.map((x) => x.name).filter((k) => rows.some((r) => r.perturb === k));
/** The corrected p-value and the number of rows of the correction. */
export const holmWords = (row: Change) =>
  `Holm p ${isNumber(row.p_holm) ? pWords(row.p_holm) : "–"}${row.family ? ` (${t("overRows", row.family)})` : ""}`;
export const changeWords = (row: Change) =>
  `${labelOf(row.id)}, ${perturbName(row.perturb)}: ${pct(row.base)} → ${pct(row.value)}, ${signed(row.drop)} (${signed(row.low)} … ${signed(row.high)}), ${holmWords(row)}`;

/** A panel for each perturbation. All have the same axis, so that slopes can be compared. */
export function slopePanels(rows: Change[]): HTMLElement {
  const cellOf = (row: Change, perturb: string) => cellAt(row.id, row.set, row.task, row.scoring, perturb);
  const chance = rows.map((r) => cellOf(r, "none")?.chance).find(isNumber);
  const range = rangeOf([...rows.flatMap((r) => [r.base, r.value]), chance]);
  const line = (row: Change): Line => {
    const [base, drop] = [Number(row.base), Number(row.drop)];
    const interval = { low: Math.max(0, base + Number(row.low)), high: Math.min(1, base + Number(row.high)) };
    const before = `${labelOf(row.id)}, ${t("perturbNone")}: ${pct(base)}`;
    return {
      id: row.id,
      label: changeText(row),
      weight: Math.abs(drop) + (isSure(row) ? 1 : 0),
      faint: !isSure(row),
      dash: isSure(row) ? "" : "4 3",
      points: [
        { at: 0, value: base, cell: cellOf(row, "none"), words: before },
        { at: 1, value: Number(row.value), ...interval, cell: cellOf(row, row.perturb), words: changeWords(row) },
      ],
    };
  };
  const panel = (kind: string) =>
    linePanel({
      name: kind,
      title: kind,
      small: perturbation(kind)[inChinese() ? "zh" : "en"],
      places: [t("perturbNone"), t("perturbedEnd")],
      lines: rows.filter((r) => r.perturb === kind).map(line),
      range,
      chance: ["circular", "shuffle5"].includes(kind) ? null : chance, // right only in all orders: another level of chance
    });
  return h("div", { class: "panels curves", id: "slopes" }, kindsIn(rows).map(panel));
}

/** Values over the number of shots: a panel for each set. */
export function shotPanels(rows: Shots[]): HTMLElement {
  const sizes = [...new Set(rows.flatMap((r) => Object.keys(r.values)))].map(Number).sort((a, b) => a - b);
  const cellOf = (row: Shots, shots: number) => cellIndex.get(placeOf({ ...row, shots }));
  const point = (row: Shots, size: number) => {
    const cell = cellOf(row, size);
    const m = cell?.metrics?.[row.metric];
    const words = `${labelOf(row.id)}, ${t("shotsN", size)}: ${pct(row.values[size])} %${between(m)}${unansweredNote(cell)}`;
    return { at: sizes.indexOf(size), value: row.values[size], low: m?.low, high: m?.high, cell, words };
  };
  const line = (row: Shots): Line => {
    const points = sizes.filter((x) => x in row.values).map((x) => point(row, x));
    const gain = points[points.length - 1].value - points[0].value;
    const dash = dashOf(lookOf(row.id));
    return { id: row.id, label: signed(gain), weight: Math.abs(gain), faint: false, dash, points };
  };
  const drawn = rows.map((row) => ({ set: row.set, line: line(row) }));
  const chance = rows.map((r) => cellOf(r, Number(Object.keys(r.values)[0]))?.chance).find(isNumber);
  const range = rangeOf([...drawn.flatMap((x) => x.line.points.flatMap((p) => [p.value, p.low, p.high])), chance]);
  const panel = (set: string) => {
    const lines = drawn.filter((x) => x.set === set).map((x) => x.line);
    if (!lines.length) return null;
    const places = sizes.map(String);
    return linePanel({ name: set, title: setLabel(set), small: t("shots"), places, lines, range, chance });
  };
  return h("div", { class: "panels curves", id: "shots-lines" }, setNames().map(panel));
}
