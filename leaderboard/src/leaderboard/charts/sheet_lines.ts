// Lines of a sheet: its values with their intervals over positions, side by side or on a scale.
import { h, para } from "../../common/dom.ts";
import { isNumber, type Maybe, NAMES, num, pct, sumOf } from "../../common/numbers.ts";
import { plain, shortened, textWidth } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellOfAbout, modelId, models } from "../data.ts";
import { unansweredNote } from "../details.ts";
import { setLabel } from "../names.ts";
import { type Block, blocksOf } from "../tables/blocks.ts";
import { asValue, between, cellText, digitsOf, headingWords, inWords, isFigure, titleOf } from "../tables/figures.ts";
import type { About, Sheet, SheetColumn, SheetRow } from "../types.ts";
import {
  type Anchor,
  labelledTicks,
  offsetOf,
  PLOT,
  type PlotArea,
  QUARTERS,
  type Range,
  rangeOf,
  scale,
} from "./axis.ts";
import { dashOf, HOLLOW, LOOKS } from "./glyphs.ts";
import { endNode, nameHeights, PLOT_WITH_NAMES } from "./line_ends.ts";
import { labelOf, legendSample, lookOf, nameOf, pickedOf } from "./looks.ts";
import { chanceLine, type LinePoint, label, line, Points, upAxis } from "./marks.ts";

/** A line of a panel. `key`: its name, which is that of its model, set or perturbation. */
export interface SheetLine {
  key: string;
  model?: string;
  look: number;
  points: LinePoint[];
  /** `text`: the figure at the line's end; `weight`: lines with large weights get their names first; `faint`: whether the
   *  change is not significant (undefined: it is not tested). */
  end?: { text: string; weight: number; faint?: boolean };
}
export interface LinePanel {
  title: string;
  small: string;
  /** The positions along the axis: names, or numbers on a scale. */
  positions: string[];
  /** The column whose numbers are the positions; undefined: the positions are words that stand side by side. */
  across?: SheetColumn;
  joined: boolean;
  diagonal: boolean;
  /** The vertical range that all panels share, if lines have figures at their ends; undefined: a range from 0. */
  range?: Range;
  /** Words below the positions on the axis: numbers of items. */
  counts: string[];
  /** Dotted levels: [first position, last position, value]. */
  levels: [number, number, number][];
  lines: SheetLine[];
}

/** Charts of more models than this draw only the lines of highlighted models, or of the best. */
export const MOST_LINES = 6;

/** The panels of sheets of one name: one for each of their blocks. */
export function panelsOf(sheets: Sheet[]): LinePanel[] {
  const panels = sheets.flatMap((sheet) => {
    const all = blocksOf(sheet.rows);
    const apart = all.filter((block) => block.apart).flatMap((block) => block.rows);
    return all.filter((block) => !block.apart).map((block) => panelOf(sheet, block, apart));
  });
  if (sheets[0]?.chart?.ends === undefined) return panels;
  const lines = panels.flatMap((panel) => panel.lines);
  // Wide intervals would flatten the slopes, which show the changes: the range leaves out the intervals of tested lines.
  const values = lines.flatMap(({ points, end }) =>
    points.flatMap((p) => [p.value, p.cell?.chance, ...(end?.faint === undefined ? [p.low, p.high] : [])]),
  );
  const range = rangeOf(values);
  return panels.map((panel) => ({ ...panel, range }));
}

function panelOf(sheet: Sheet, block: Block, apart: SheetRow[]): LinePanel {
  const { across, title, joined = true, diagonal = false } = sheet.chart ?? {};
  const heading = groupName(sheet, block);
  const ofChart = capital(inWords(title));
  const caption = ofChart ? { title: ofChart, small: heading } : { title: heading || titleOf(sheet), small: "" };
  const panel = { ...caption, joined, diagonal };
  return across === undefined ? overColumns(sheet, block, apart, panel) : overRows(sheet, block, apart, across, panel);
}

/** The heading of a block of rows; if it names a set, the page's name of the set. */
export function groupName(sheet: Sheet, { group }: Block): string {
  const words = group ? cellText(sheet.columns[0], group.cells[0]).text : "";
  return words && words === group?.about?.set ? setLabel(words) : words;
}

/** The heading of a column; if it names a set, the page's name of the set. */
const columnName = ({ heading, about }: SheetColumn) =>
  about?.set !== undefined && about.set === heading ? setLabel(about.set) : inWords(heading);

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

type Caption = Pick<LinePanel, "title" | "small" | "joined" | "diagonal">;

/** The panel of a block in which each row is a line; the columns of figures are the positions. */
function overColumns(sheet: Sheet, { group, rows }: Block, apart: SheetRow[], caption: Caption): LinePanel {
  const at = (sheet.chart?.up ?? figureColumns(sheet)).filter((n) =>
    rows.some((row) => isNumber(asValue(row.cells[n]).value)),
  );
  const positions = at.map((n) => inWords(sheet.columns[n].heading));
  const lines = rows.map((row, i): SheetLine => {
    const named = nameIn(sheet, row, [0]);
    const points = at.flatMap((n, position) =>
      pointOf(
        sheet,
        row,
        n,
        position,
        `${named.key}, ${positions[position]}`,
        n === at[at.length - 1] ? changeIn(sheet, row) : [],
      ),
    );
    return { ...named, look: lookIn(named.model, i), points, end: endOf(sheet, row) };
  });
  const counts = at.map((n) => cellText({ heading: "" }, group?.cells[n]).text);
  const levels = apart.flatMap((row) =>
    at.flatMap((n, position): LinePanel["levels"] => {
      const { value } = asValue(row.cells[n]);
      return isNumber(value) ? [[position - 0.4, position + 0.4, value]] : [];
    }),
  );
  return { ...caption, positions, counts, levels, lines };
}

/** The figure at the end of a row's line. */
function endOf(sheet: Sheet, row: SheetRow): SheetLine["end"] {
  const ends = sheet.chart?.ends;
  if (ends === undefined) return undefined;
  const { value, tone, asides = [] } = asValue(row.cells[ends]);
  const text = cellText(sheet.columns[ends], row.cells[ends]).text + asides.join("");
  const faint = tone === "quiet" ? true : tone === "strong" ? false : undefined;
  return { text, weight: Math.abs(Number(value)) + (tone === "strong" ? 1 : 0), faint };
}

/** The change of a row in words, with its p-value. */
function changeIn({ columns, chart }: Sheet, row: SheetRow): string[] {
  const ends = chart?.ends;
  if (ends === undefined) return [];
  const shown = [columns[ends], ...columns.filter(({ kind }) => kind === "p")];
  return shown.map((column) => {
    const cell = row.cells[columns.indexOf(column)];
    const interval = between(column, asValue(cell), digitsOf(column));
    const words = [column.kind === "p" && inWords(column.below), inWords(column.heading), cellText(column, cell).text];
    return words.filter(Boolean).join(" ") + (interval && ` (${interval})`);
  });
}

/** The panel of a block in which rows are points. Rows with the same words in their key columns form a line, or one for each of
 *  several columns of values; column `across` has the positions. */
function overRows(sheet: Sheet, { rows }: Block, apart: SheetRow[], across: number, caption: Caption): LinePanel {
  const up = sheet.chart?.up?.length ? sheet.chart.up : figureColumns(sheet).filter((n) => n !== across);
  // A column with the same value in all rows, such as that of a picker, does not distinguish lines.
  const differs = (n: number) => new Set(rows.map((row) => cellText(sheet.columns[n], row.cells[n]).text)).size > 1;
  const keys = sheet.columns.flatMap(({ key }, n) =>
    n !== across && (n === 0 || key) && (differs(n) || (n === 0 && up.length === 1)) ? [n] : [],
  );
  const column = sheet.columns[across];
  const value = (row: SheetRow) => asValue(row.cells[across]).value;
  const word = (row: SheetRow) => cellText(column, row.cells[across]).text;
  const isScale = rows.every((row) => isNumber(value(row)));
  const positions = isScale
    ? [...new Set(rows.map((row) => Number(value(row))))].sort((a, b) => a - b).map(String)
    : [...new Set(rows.map((row) => word(row)))];
  const counted = sheet.columns.flatMap(({ kind, key }, n) => (kind === "count" && !key && n !== across ? [n] : []));
  const lines = new Map<string, SheetLine>();
  for (const row of rows) {
    const named = nameIn(sheet, row, keys);
    const more = counted.map(
      (n) => `${inWords(sheet.columns[n].heading)} ${cellText(sheet.columns[n], row.cells[n]).text}`,
    );
    for (const n of up) {
      const heading = up.length > 1 || !named.key ? columnName(sheet.columns[n]) : "";
      const key = [named.key, heading].filter(Boolean).join(" · ");
      const look = up.length > 1 || !named.key ? columnLook(sheet, up, n) : lookIn(named.model, lines.size);
      const one = lines.get(key) ?? { key, model: up.length > 1 ? undefined : named.model, look, points: [] };
      lines.set(key, one);
      const at = isScale ? Number(value(row)) : positions.indexOf(word(row));
      const words = [key, `${inWords(column.heading)} ${word(row)}${unitOf(column)}`].join(", ");
      one.points.push(...pointOf(sheet, row, n, at, words, more));
    }
  }
  const ends = isScale ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] : [-0.5, positions.length - 0.5];
  const values = apart.flatMap((row) => up.map((n) => asValue(row.cells[n]).value)).filter(isNumber);
  const levels = [...new Set(values)].map((v): [number, number, number] => [ends[0], ends[1], v]);
  const small = caption.small || (up.length === 1 ? headingWords(sheet.columns[up[0]]) : "");
  const drawn = { ...caption, small, positions, counts: [], levels, lines: [...lines.values()] };
  return isScale ? { ...drawn, across: column } : drawn;
}

const figureColumns = (sheet: Sheet) =>
  sheet.columns.flatMap((column, n) => (n > 0 && !column.key && isFigure(column) ? [n] : []));
const unitOf = ({ kind }: SheetColumn) => (kind === "percent" ? " %" : "");

/** The look of a column's line: the last set is filled and the others are hollow, as everywhere on the page. */
function columnLook({ columns }: Sheet, up: number[], n: number): number {
  const i = up.indexOf(n);
  if (columns[n].about?.set === undefined) return i % LOOKS;
  return n === up[up.length - 1] ? 0 : (HOLLOW + i) % LOOKS;
}

/** The words that identify a row, and its model if the page has it. If the first column has the positions, rows are points and may be
 *  about several models, so that the line's model is that of the sheet. */
function nameIn(sheet: Sheet, row: SheetRow, keys: number[]) {
  const across = sheet.chart?.across;
  const about: About = across === 0 ? (sheet.about ?? {}) : { ...sheet.about, ...row.about };
  const id = modelId(sheet.run, about.model);
  const model = models.has(id) ? id : undefined;
  const words = keys.map((n) => cellText(sheet.columns[n], row.cells[n]).text);
  const isModelName = model && (keys[0] === 0 ? words[0] === about.model : across === 0);
  const name = isModelName ? [labelOf(model), ...words.slice(keys[0] === 0 ? 1 : 0)] : words;
  return { key: plain(name.filter(Boolean).join(" · ")), model };
}

const lookIn = (model: string | undefined, i: number) => (model ? lookOf(model) : i % LOOKS);

function pointOf(sheet: Sheet, row: SheetRow, n: number, at: number, where: string, more: string[] = []): LinePoint[] {
  const column = sheet.columns[n];
  const value = asValue(row.cells[n]);
  if (!isNumber(value.value)) return [];
  const precise = { ...column, digits: Math.max(1, digitsOf(column)) };
  const interval = between(precise, value, digitsOf(precise));
  const figure = `${cellText(precise, value).text}${unitOf(column)}${interval && ` (${interval})`}${(value.asides ?? []).join("")}`;
  const { joined = true, before = false } = sheet.chart ?? {};
  const alone = !joined || (before && at === 0) || inWords(column.heading) === "?";
  const cell = cellOfAbout(sheet.run, { ...sheet.about, ...row.about, ...column.about });
  return [
    {
      at,
      value: value.value,
      low: value.low,
      high: value.high,
      words: [`${where}: ${figure}`, ...more].join(", ") + unansweredNote(cell),
      cell,
      alone,
    },
  ];
}

// ---- drawing
const meanOf = ({ points }: SheetLine) => sumOf(points.map((p) => Number(p.value))) / (points.length || 1);

/** The keys of the lines to draw: all if they are few or named at their ends, else those of highlighted models, else the best, models
 *  before baselines. */
export function linesShown(panels: LinePanel[]): Set<string> {
  const all = [...new Map(panels.flatMap(({ lines }) => lines.map((one) => [one.key, one] as const))).values()];
  const ids = [...new Set(all.flatMap((one) => one.model ?? []))];
  const picked = pickedOf(ids);
  const isBaseline = ({ model }: SheetLine) => Number(Boolean(model && models.get(model)?.baseline));
  const before = (a: SheetLine, b: SheetLine) =>
    isBaseline(a) - isBaseline(b) || meanOf(b) - meanOf(a) || NAMES.compare(a.key, b.key);
  const best = [...all].sort(before).slice(0, MOST_LINES);
  const shown =
    ids.length <= MOST_LINES ? all : picked.length ? all.filter((x) => picked.includes(x.model ?? "")) : best;
  return new Set((all.some(({ end }) => end) ? all : shown).map((one) => one.key));
}

/** A legend with the names of the lines. */
export const lineLegend = (panels: LinePanel[], shown: Set<string>): HTMLElement => {
  const all = new Map(panels.flatMap(({ lines }) => lines.map((one) => [one.key, one] as const)));
  const name = ({ key, model }: SheetLine) => (model && key === labelOf(model) ? nameOf(model) : key);
  const lines = [...all.values()].filter(({ key }) => shown.has(key));
  return para(
    "legend",
    lines.map((one) => h("span", null, legendSample(one.look), " ", name(one))),
  );
};

/** The upper end of an axis of shares that begins at 0. */
const shareEnd = (values: Maybe[]) =>
  [0.2, 0.4, 0.6, 0.8].find((x) => x >= Math.max(0, ...values.filter(isNumber))) ?? 1;

/** The horizontal axis: the scale of positions, the distance between two, the nodes of the labels, the chart's height with them. */
function axisOf(panel: LinePanel) {
  const { positions, across, counts } = panel;
  if (panel.range) {
    const { left, right, top, bottom } = PLOT_WITH_NAMES;
    const at = scale(0, Math.max(1, positions.length - 1), left + 10, right - 10);
    const anchors: Anchor[] = positions.length === 2 ? ["start", "end"] : positions.map(() => "middle");
    const nodes = positions.map((name, i) => [
      line("grid upright", at(i), at(i), top, bottom),
      label(at(i), bottom + 17, name, anchors[i]),
    ]);
    return { at, step: 20, nodes, height: bottom + 24 };
  }
  const { left, right, bottom } = PLOT;
  if (across) {
    const numbers = positions.map(Number);
    const [low, high] = across.range ?? [0, Math.max(...numbers)];
    const at = scale(low, high, left + 8, right - 8);
    const marks = across.range ? QUARTERS.map((share) => low + share * (high - low)) : numbers;
    const named = across.range ? marks : labelledTicks(marks, at);
    const text = (v: number) => (across.kind === "percent" ? pct(v, 0) : num(v));
    const nodes = [
      marks.map((v) => line("grid", at(v), at(v), bottom, bottom + 4)),
      named.map((v) => label(at(v), bottom + 17, text(v), "middle")),
      label((left + right) / 2, bottom + 33, headingWords(across), "middle"),
    ];
    return { at, step: 10, nodes, height: bottom + 40 };
  }
  const step = (right - left) / positions.length;
  const at = (position: number) => left + step * (position + 0.5);
  const leaning = positions.some((name) => textWidth(name) > step - 4);
  const counted = counts.some(Boolean);
  const y = bottom + 16;
  const low = leaning ? y + (counted ? 14 : 0) : y;
  const name = (text: string, x: number) =>
    leaning
      ? label(x + 4, low, shortened(text, 105), "end", { transform: `rotate(-35 ${x + 4} ${low})` })
      : label(x, low, text, "middle");
  const countY = leaning ? y : y + 15;
  const nodes = [
    positions.map((text, i) => [
      name(text, at(i)),
      counted && label(at(i), countY, counts[i], "middle", { class: "count" }),
    ]),
    counted && label(left - 5, countY, "n", "end"),
  ];
  return { at, step, nodes, height: leaning ? bottom + 96 : counted ? bottom + 36 : bottom + 24 };
}

/** The vertical range of a panel: the shared one, or from 0 to a round share above all values. */
function rangeIn({ range, diagonal, levels }: LinePanel, spots: LinePoint[], guess: number[]): Range {
  if (range) return range;
  const values = spots.flatMap((p) => [p.value, p.high]);
  const high = diagonal ? 1 : shareEnd([...guess, ...levels.map(([, , v]) => v), ...values]);
  return { low: 0, high, ticks: QUARTERS.map((v) => v * high) };
}

/** A panel with the lines whose keys are in `shown`. */
export function linePanel(panel: LinePanel, shown: Set<string>): HTMLElement {
  const lines = panel.lines.filter(({ key }) => shown.has(key));
  const spots = lines.flatMap(({ points }) => points);
  const guess =
    panel.levels.length || panel.diagonal ? [] : [...new Set(spots.map(({ cell }) => cell?.chance))].filter(isNumber);
  const range = rangeIn(panel, spots, guess);
  const { at, step, nodes, height } = axisOf(panel);
  const ground = panel.range ? PLOT_WITH_NAMES : PLOT;
  const frame = { ground, across: at, up: scale(range.low, range.high, ground.bottom, ground.top) };
  const points = new Points();
  const picked = pickedOf(lines.flatMap(({ model }) => model ?? []));
  const names = panel.range && nameHeights(lines, picked, frame.up);
  const isDim = ({ model }: SheetLine) => picked.length > 0 && !picked.includes(model ?? "");
  const one = (drawn: SheetLine, i: number) => {
    const { key, look, points: all, end } = drawn;
    const base = all.find((p) => p.alone && p.at === 0 && panel.across)?.value;
    const states = [isDim(drawn) && "dim", end?.faint && "faint", names && !names.has(key) && "unnamed"];
    return points.series(frame, {
      line: key,
      look,
      cls: states.filter(Boolean).join(" "),
      more: { "data-series": key },
      points: all,
      dash: end?.faint === undefined ? dashOf(look) : end.faint ? "4 3" : "",
      shift: offsetOf(i, lines.length, panel.across || end ? 3 : 5, panel.across ? 10 : 0.6 * step),
      cap: end ? 2 : panel.across && 3,
      r: 4,
      over: end && all[all.length - 1],
      below: isNumber(base) && line("baseline", ground.left, ground.right, frame.up(base), frame.up(base)),
      above: names && endNode(drawn, frame.up, names.get(key), points),
    });
  };
  const level = ([from, to, v]: [number, number, number]) =>
    line("chance dotted", Math.max(ground.left, at(from)), Math.min(ground.right, at(to)), frame.up(v), frame.up(v));
  const describe = ({ key, points: all }: SheetLine) => `${key}: ${all.map((p) => pct(p.value)).join(", ")}`;
  // The line drawn last is in front: faint lines are drawn first, highlighted ones last.
  const rank = (x: SheetLine) => (picked.includes(x.model ?? "") ? 2 : x.end?.faint ? 0 : 1);
  const order = lines.map((x, i) => ({ x, i })).sort((a, b) => rank(a.x) - rank(b.x));
  return points.panel(
    {
      data: { "data-panel": plain(panel.title) },
      title: panel.title,
      small: [panel.small, guess.length === 1 && !names && t("chanceIs", pct(guess[0]))].filter(Boolean).join(" · "),
      cls: names ? "curve lines" : "curve",
      size: [ground.width, height],
      words: `${panel.title}, ${panel.small}. ${names ? t("linesLabel", lines.length) : lines.map(describe).join("; ")}`,
    },
    upAxis(frame, range.ticks, (v) => pct(v, 0)),
    nodes,
    panel.diagonal && line("chance", at(0), at(1), frame.up(0), frame.up(1)),
    guess.length === 1 && chanceLine(frame, guess[0]),
    panel.levels.map(level),
    order.map(({ x, i }) => one(x, i)),
    guess.length === 1 && names && chanceName(frame.up(guess[0]) - 4, ground),
  );
}

const chanceName = (y: number, { left, right }: PlotArea) =>
  label((left + right) / 2, y, t("chance"), "middle", { class: "chancename" });
