// A sheet as a scatter plot: a column of counts or shares across, a column of scores up, and a line through each model's points. Rows
// without a count are drawn at the left edge.
import { isNumber, num, pct } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import { cellOfAbout, modelId } from "../data.ts";
import { unansweredNote } from "../details.ts";
import { setLabel } from "../names.ts";
import { blocksOf } from "../tables/blocks.ts";
import { asFlag, asValue, between, cellText, digitsOf, headingWords, inWords, titleOf } from "../tables/figures.ts";
import type { Cell, Sheet, SheetRow } from "../types.ts";
import { type AxisScale, type Box, countRange, logScale, QUARTERS, rangeOf, scale } from "./axis.ts";
import { labelOf, lookOf, pickedOf } from "./looks.ts";
import { chanceLine, label, line, namesBeside, Points, upAxis } from "./marks.ts";
import { groupName } from "./sheet_lines.ts";

const GROUND = { width: 440, left: 32, right: 428, top: 12, bottom: 268 };
/** The position of points without a count, and the start of the axis for the others. */
const [EDGE, START] = [GROUND.left + 14, GROUND.left + 40];

/** The horizontal scale of counts, linear or logarithmic (`isLog`). If `edge` is true, there is room for 0 at the left edge. */
export function countAxis(values: number[], edge: boolean): { across: AxisScale; ticks: number[]; isLog: boolean } {
  const { low, high, ticks, isLog } = countRange(values.filter((v) => v > 0));
  const from = edge ? START : GROUND.left + 10;
  const across = (isLog ? logScale : scale)(low, high, from, GROUND.right - 10);
  return { across: (v) => (v > 0 || !edge ? across(v) : EDGE), ticks: isLog || !edge ? ticks : ticks.slice(1), isLog };
}

/** The horizontal scale of shares, from 0 to 1 in every panel, so that panels can be compared. */
const shareAxis = () => ({ across: scale(0, 1, GROUND.left + 10, GROUND.right - 10), ticks: QUARTERS, isLog: false });

interface ScatterPoint {
  id: string;
  /** The point's position across; null: at the edge. */
  count: number | null;
  value: number;
  low?: number | null;
  high?: number | null;
  /** The settings in which it differs from other points. */
  way: string;
  words: string;
  cell?: Cell;
  isEstimate: boolean;
}

function spotsOf(sheet: Sheet): ScatterPoint[] {
  const { across = 0, up = [] } = sheet.chart ?? {};
  const [counts, scores] = [sheet.columns[across], sheet.columns[up[0]]];
  const keys = sheet.columns.flatMap(({ key }, n) => (key ? [n] : []));
  const text = (row: SheetRow, n: number) => cellText(sheet.columns[n], row.cells[n]).text;
  const named = (row: SheetRow, n: number) => {
    const { kind, heading } = sheet.columns[n];
    return kind === "count" ? `${text(row, n)} ${inWords(heading)}` : text(row, n);
  };
  const differing = keys.filter((n) => new Set(sheet.rows.map((row) => text(row, n))).size > 1);
  return sheet.rows.flatMap((row) => {
    const score = asValue(row.cells[up[0]]);
    const { value: count } = asValue(row.cells[across]);
    if (!isNumber(score.value)) return [];
    const id = modelId(sheet.run, row.about?.model);
    const cell = cellOfAbout(sheet.run, { ...sheet.about, ...row.about });
    const interval = between(scores, score, digitsOf(scores));
    const flags = (score.flags ?? []).map((flag) => ` · ${inWords(asFlag(flag).text)}`).join("");
    const figure = `${text(row, up[0])} ${inWords(scores.below)}${interval && ` (${interval})`}${flags}`;
    const share = counts.kind === "percent" ? " %" : "";
    const written = isNumber(count)
      ? `${inWords(counts.heading)} ${text(row, across)}${share}`
      : t("nothingWrittenShort");
    return {
      id,
      count: isNumber(count) ? count : null,
      value: score.value,
      low: score.low,
      high: score.high,
      way: differing.map((n) => named(row, n)).join(" "),
      words: `${[labelOf(id), keys.map((n) => named(row, n)).join(" ")].filter(Boolean).join(", ")}: ${figure}, ${written}${unansweredNote(cell)}`,
      cell,
      isEstimate: flags !== "",
    };
  });
}

/** A panel for each block of rows. */
export const scatterPanels = (sheet: Sheet): HTMLElement[] =>
  blocksOf(sheet.rows).map((block) => scatterPanel({ ...sheet, rows: block.rows }, groupName(sheet, block)));

function scatterPanel(sheet: Sheet, group: string): HTMLElement {
  const { left, right, top, bottom, width } = GROUND;
  const { across: countColumn = 0, up: [scoreColumn] = [0] } = sheet.chart ?? {};
  const [counts, scores] = [sheet.columns[countColumn], sheet.columns[scoreColumn]];
  const spots = spotsOf(sheet);
  const edge = spots.some(({ count }) => count === null);
  const at = ({ count }: ScatterPoint) => count ?? 0;
  const isShare = counts.kind === "percent";
  const { across, ticks, isLog } = isShare ? shareAxis() : countAxis(spots.map(at), edge);
  const chances = [...new Set(spots.map(({ cell }) => cell?.chance))].filter(isNumber);
  const chance = chances.length === 1 ? chances[0] : null;
  const range = rangeOf(
    [chance, ...spots.flatMap((p) => [p.value, p.low, p.high])],
    scores.kind === "percent" ? 1 : Infinity,
  );
  const up = scale(range.low, range.high, bottom, top);
  const frame = { ground: GROUND, across, up };
  const ids = [...new Set(spots.map(({ id }) => id))];
  const picked = pickedOf(ids);
  const guess: Box[] = isNumber(chance) ? [[right - 70, up(chance) - 15, right, up(chance)]] : [];
  const names = namesBeside(spots, {
    at: (p) => [across(at(p)), up(p.value), 4],
    name: (p) => p.way || labelOf(p.id),
    key: (p) => p,
    weight: (p) => Number(picked.includes(p.id)),
    ground: { ...GROUND, bottom: GROUND.bottom + 2 },
    full: guess,
  });
  const points = new Points();
  const one = (id: string) => {
    const mine = spots.filter((p) => p.id === id).sort((a, b) => at(a) - at(b));
    return points.series(frame, {
      line: id,
      look: lookOf(id),
      cls: picked.length && !picked.includes(id) ? "dim" : "",
      more: { "data-model": labelOf(id) },
      points: mine.map((p) => ({ ...p, at: at(p), alone: p.count === null, cls: p.isEstimate ? "partly" : "" })),
      cap: 2,
      above: mine.map((p) => names.get(p)),
    });
  };
  const title = group || `${inWords(sheet.chart?.title)} · ${setLabel(sheet.about?.set ?? null)}`;
  return points.panel(
    {
      data: { "data-panel": group || sheet.name },
      title,
      small: headingWords(scores),
      cls: "curve scatter",
      size: [width, bottom + 38],
      words: `${titleOf(sheet)}. ${t("linesLabel", ids.length)}`,
    },
    upAxis(frame, range.ticks, (v) => (scores.kind === "percent" ? Math.round(100 * v) : +v.toFixed(2))),
    edge && [
      line("grid upright", (EDGE + START) / 2, (EDGE + START) / 2, top, bottom),
      label(EDGE, bottom + 17, "0", "middle"),
    ],
    ticks.map((v) => [
      line("grid", across(v), across(v), bottom, bottom + 4),
      label(across(v), bottom + 17, isShare ? pct(v, 0) : num(v), "middle"),
    ]),
    label((left + right) / 2, bottom + 34, headingWords(counts) + (isLog ? t("logScale") : ""), "middle"),
    chanceLine(frame, chance),
    isNumber(chance) && label(right, up(chance) - 4, t("chance"), "end", { class: "chancename" }),
    ids.map(one),
  );
}
