// Lines of a sheet: its values with their intervals over places, side by side or on a scale.
import { h } from "../../common/dom.ts";
import { isNumber, type Maybe, num, pct, sumOf } from "../../common/numbers.ts";
import { plain, shortened, wide } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellOfAbout, models } from "../data.ts";
import { type Block, blocksOf } from "../tables/blocks.ts";
import { asValue, between, cellText, digitsOf, inWords, isFigure, titleOf } from "../tables/figures.ts";
import type { About, Sheet, SheetColumn, SheetRow } from "../types.ts";
import { labelled, offsetOf, PLOT, QUARTERS, scale } from "./axis.ts";
import { dashOf, LOOKS } from "./glyphs.ts";
import { labelOf, lookOf, nameOf, pickedOf, sample } from "./looks.ts";
import { chanceLine, type LinePoint, label, line, Points, upAxis } from "./marks.ts";

/** A line of a panel: of a model, or of what its name says. */
export interface SheetLine {
  key: string;
  model?: string;
  look: number;
  points: LinePoint[];
}
export interface LinePanel {
  title: string;
  small: string;
  /** The places by their names, or by their numbers on a scale. */
  places: string[];
  /** The scale of the places and its name; none where they stand side by side. */
  across?: SheetColumn;
  joined: boolean;
  diagonal: boolean;
  /** The words below the places: numbers of items. */
  counts: string[];
  /** Dotted levels: [first place, last place, value]. */
  levels: [number, number, number][];
  lines: SheetLine[];
}

/** Models that are drawn where there are more: those picked, or the best. */
export const MOST_LINES = 6;

/** The panels of a sheet: one for each of its blocks. */
export function panelsOf(sheet: Sheet): LinePanel[] {
  const all = blocksOf(sheet.rows);
  const apart = all.filter((block) => block.apart).flatMap((block) => block.rows);
  return all.filter((block) => !block.apart).map((block) => panelOf(sheet, block, apart));
}

function panelOf(sheet: Sheet, block: Block, apart: SheetRow[]): LinePanel {
  const { across, title, joined = true, diagonal = false } = sheet.chart ?? {};
  const heading = block.group ? cellText(sheet.columns[0], block.group.cells[0]).text : "";
  const panel = { title: capital(inWords(title) || titleOf(sheet)), small: heading, joined, diagonal };
  return across === undefined ? overColumns(sheet, block, apart, panel) : overRows(sheet, block, apart, across, panel);
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

type Caption = Pick<LinePanel, "title" | "small" | "joined" | "diagonal">;

/** A line a row; the columns of figures are the places. */
function overColumns(sheet: Sheet, { group, rows }: Block, apart: SheetRow[], caption: Caption): LinePanel {
  const at = figures(sheet).filter((n) => rows.some((row) => isNumber(asValue(row.cells[n]).value)));
  const places = at.map((n) => inWords(sheet.columns[n].heading));
  const lines = rows.map((row, i): SheetLine => {
    const named = nameIn(sheet, row, [0]);
    const points = at.flatMap((n, place) => pointOf(sheet, row, n, place, `${named.key}, ${places[place]}`));
    return { ...named, look: lookIn(named.model, i), points };
  });
  const counts = at.map((n) => cellText({ heading: "" }, group?.cells[n]).text);
  const levels = apart.flatMap((row) =>
    at.flatMap((n, place): LinePanel["levels"] => {
      const { value } = asValue(row.cells[n]);
      return isNumber(value) ? [[place - 0.4, place + 0.4, value]] : [];
    }),
  );
  return { ...caption, places, counts, levels, lines };
}

/** A line for the rows that agree in what identifies them, and for each column of values; column `across` has the places. */
function overRows(sheet: Sheet, { rows }: Block, apart: SheetRow[], across: number, caption: Caption): LinePanel {
  const up = sheet.chart?.up?.length ? sheet.chart.up : figures(sheet).filter((n) => n !== across);
  // A column with one value for all rows, such as what is picked, tells no lines apart.
  const differs = (n: number) => new Set(rows.map((row) => cellText(sheet.columns[n], row.cells[n]).text)).size > 1;
  const keys = sheet.columns.flatMap(({ key }, n) =>
    n !== across && (n === 0 || key) && (differs(n) || (n === 0 && up.length === 1)) ? [n] : [],
  );
  const column = sheet.columns[across];
  const value = (row: SheetRow) => asValue(row.cells[across]).value;
  const word = (row: SheetRow) => cellText(column, row.cells[across]).text;
  const isScale = rows.every((row) => isNumber(value(row)));
  const places = isScale
    ? [...new Set(rows.map((row) => Number(value(row))))].sort((a, b) => a - b).map(String)
    : [...new Set(rows.map((row) => word(row)))];
  const counted = sheet.columns.flatMap(({ kind, key }, n) => (kind === "count" && !key && n !== across ? [n] : []));
  const found = new Map<string, SheetLine>();
  for (const row of rows) {
    const named = nameIn(sheet, row, keys);
    const more = counted.map(
      (n) => `${inWords(sheet.columns[n].heading)} ${cellText(sheet.columns[n], row.cells[n]).text}`,
    );
    for (const n of up) {
      const heading = up.length > 1 || !named.key ? inWords(sheet.columns[n].heading) : "";
      const key = [named.key, heading].filter(Boolean).join(" · ");
      const look = up.length > 1 ? up.indexOf(n) % LOOKS.length : lookIn(named.model, found.size);
      const one = found.get(key) ?? { key, model: up.length > 1 ? undefined : named.model, look, points: [] };
      found.set(key, one);
      const at = isScale ? Number(value(row)) : places.indexOf(word(row));
      const words = [key, `${inWords(column.heading)} ${word(row)}${unit(column)}`].join(", ");
      one.points.push(...pointOf(sheet, row, n, at, words, more));
    }
  }
  const ends = isScale ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] : [-0.5, places.length - 0.5];
  const values = apart.flatMap((row) => up.map((n) => asValue(row.cells[n]).value)).filter(isNumber);
  const levels = [...new Set(values)].map((v): [number, number, number] => [ends[0], ends[1], v]);
  const small = caption.small || (up.length === 1 ? headingWords(sheet.columns[up[0]]) : "");
  const drawn = { ...caption, small, places, counts: [], levels, lines: [...found.values()] };
  return isScale ? { ...drawn, across: column } : drawn;
}

const figures = (sheet: Sheet) =>
  sheet.columns.flatMap((column, n) => (n > 0 && !column.key && isFigure(column) ? [n] : []));
const unit = ({ kind }: SheetColumn) => (kind === "percent" ? " %" : "");
const headingWords = (column: SheetColumn) =>
  [inWords(column.heading), inWords(column.below)].filter(Boolean).join(" ");

/** The words that identify a row, and its model where that is on the page. */
function nameIn(sheet: Sheet, row: SheetRow, keys: number[]) {
  const about: About = { ...sheet.about, ...row.about };
  const id = `${sheet.run}\t${about.model}`;
  const model = models.has(id) ? id : undefined;
  const across = sheet.chart?.across;
  const words = keys.map((n) => cellText(sheet.columns[n], row.cells[n]).text);
  const own = model && (keys[0] === 0 ? words[0] === about.model : across === 0);
  const name = own ? [labelOf(model), ...words.slice(keys[0] === 0 ? 1 : 0)] : words;
  return { key: plain(name.filter(Boolean).join(" · ")), model };
}

const lookIn = (model: string | undefined, i: number) => (model ? lookOf(model) : i % LOOKS.length);

function pointOf(sheet: Sheet, row: SheetRow, n: number, at: number, where: string, more: string[] = []): LinePoint[] {
  const column = sheet.columns[n];
  const value = asValue(row.cells[n]);
  if (!isNumber(value.value)) return [];
  const precise = { ...column, digits: Math.max(1, digitsOf(column)) };
  const interval = between(precise, value, digitsOf(precise));
  const figure = `${cellText(precise, value).text}${unit(column)}${interval && ` (${interval})`}${(value.asides ?? []).join("")}`;
  const alone = sheet.chart?.joined === false || inWords(column.heading) === "?";
  const cell = cellOfAbout(sheet.run ?? 0, { ...sheet.about, ...column.about, ...row.about });
  return [
    {
      at,
      value: value.value,
      low: value.low,
      high: value.high,
      words: [`${where}: ${figure}`, ...more].join(", "),
      cell,
      alone,
    },
  ];
}

// ---- drawing
const meanOf = ({ points }: SheetLine) => sumOf(points.map((p) => Number(p.value))) / (points.length || 1);

/** The lines drawn: all where they are few, else those of models picked, or the best, models before baselines. */
export function linesShown(panels: LinePanel[]): Set<string> {
  const all = [...new Map(panels.flatMap(({ lines }) => lines.map((one) => [one.key, one] as const))).values()];
  const ids = [...new Set(all.flatMap((one) => one.model ?? []))];
  const picked = pickedOf(ids);
  const isBaseline = ({ model }: SheetLine) => Number(Boolean(model && models.get(model)?.baseline));
  const best = [...all].sort((a, b) => isBaseline(a) - isBaseline(b) || meanOf(b) - meanOf(a)).slice(0, MOST_LINES);
  const shown =
    ids.length <= MOST_LINES ? all : picked.length ? all.filter((x) => picked.includes(x.model ?? "")) : best;
  return new Set(shown.map((one) => one.key));
}

/** The names of lines, for who saves the charts. */
export const lineLegend = (panels: LinePanel[], shown: Set<string>): HTMLElement => {
  const all = new Map(panels.flatMap(({ lines }) => lines.map((one) => [one.key, one] as const)));
  const name = ({ key, model }: SheetLine) => (model && key === labelOf(model) ? nameOf(model) : key);
  const lines = [...all.values()].filter(({ key }) => shown.has(key));
  return h(
    "p",
    { class: "legend" },
    lines.map((one) => h("span", null, sample(one.look), " ", name(one))),
  );
};

/** The end of an axis of shares that begins at 0. */
const shareEnd = (values: Maybe[]) =>
  [0.2, 0.4, 0.6, 0.8].find((x) => x >= Math.max(0, ...values.filter(isNumber))) ?? 1;

/** The scale of the places, the labels below them, and the height of the chart with these. */
function placing(panel: LinePanel) {
  const { places, across, counts } = panel;
  const { left, right, bottom } = PLOT;
  if (across) {
    const numbers = places.map(Number);
    const [low, high] = across.range ?? [0, Math.max(...numbers)];
    const at = scale(low, high, left + 8, right - 8);
    const marks = across.range ? QUARTERS.map((share) => low + share * (high - low)) : numbers;
    const named = across.range ? marks : labelled(marks, at);
    const text = (v: number) => (across.kind === "percent" ? pct(v, 0) : num(v));
    const nodes = [
      marks.map((v) => line("grid", at(v), at(v), bottom, bottom + 4)),
      named.map((v) => label(at(v), bottom + 17, text(v), "middle")),
      label((left + right) / 2, bottom + 33, `${headingWords(across)}`, "middle"),
    ];
    return { at, step: 10, nodes, height: bottom + 40 };
  }
  const step = (right - left) / places.length;
  const at = (place: number) => left + step * (place + 0.5);
  const leaning = places.some((name) => wide(name) > step - 4);
  const counted = counts.some(Boolean);
  const y = bottom + 16;
  const low = leaning ? y + (counted ? 14 : 0) : y;
  const name = (text: string, x: number) =>
    leaning
      ? label(x + 4, low, shortened(text, 105), "end", { transform: `rotate(-35 ${x + 4} ${low})` })
      : label(x, low, text, "middle");
  const countY = leaning ? y : y + 15;
  const nodes = [
    places.map((text, i) => [
      name(text, at(i)),
      counted && label(at(i), countY, counts[i], "middle", { class: "count" }),
    ]),
    counted && label(left - 5, countY, "n", "end"),
  ];
  return { at, step, nodes, height: leaning ? bottom + 96 : counted ? bottom + 36 : bottom + 24 };
}

/** A panel of the lines that are shown. */
export function linePanel(panel: LinePanel, shown: Set<string>): HTMLElement {
  const lines = panel.lines.filter(({ key }) => shown.has(key));
  const spots = lines.flatMap(({ points }) => points);
  const guess =
    panel.levels.length || panel.diagonal ? [] : [...new Set(spots.map(({ cell }) => cell?.chance))].filter(isNumber);
  const end = panel.diagonal
    ? 1
    : shareEnd([...guess, ...panel.levels.map(([, , v]) => v), ...spots.flatMap((p) => [p.value, p.high])]);
  const { at, step, nodes, height } = placing(panel);
  const frame = { ground: PLOT, across: at, up: scale(0, end, PLOT.bottom, PLOT.top) };
  const points = new Points();
  const picked = pickedOf(lines.flatMap(({ model }) => model ?? []));
  const one = ({ key, model, look, points: all }: SheetLine, i: number) =>
    points.series(frame, {
      line: key,
      look,
      cls: picked.length && !picked.includes(model ?? "") ? "dim" : "",
      more: { "data-series": key },
      points: all,
      dash: dashOf(look),
      shift: offsetOf(i, lines.length, panel.across ? 3 : 5, panel.across ? 10 : 0.6 * step),
      r: 4,
    });
  const level = ([from, to, v]: [number, number, number]) =>
    line("chance dotted", Math.max(PLOT.left, at(from)), Math.min(PLOT.right, at(to)), frame.up(v), frame.up(v));
  const told = ({ key, points: all }: SheetLine) => `${key}: ${all.map((p) => pct(p.value)).join(", ")}`;
  return points.panel(
    {
      data: { "data-panel": plain(panel.title) },
      title: panel.title,
      small: [panel.small, guess.length === 1 && t("chanceIs", pct(guess[0]))].filter(Boolean).join(" · "),
      cls: "curve",
      size: [PLOT.width, height],
      words: `${plain(panel.title)}, ${plain(panel.small)}. ${lines.map(told).join("; ")}`,
    },
    upAxis(
      frame,
      QUARTERS.map((v) => v * end),
      (v) => pct(v, 0),
    ),
    nodes,
    panel.diagonal && line("chance", at(0), at(1), frame.up(0), frame.up(1)),
    guess.length === 1 && chanceLine(frame, guess[0]),
    panel.levels.map(level),
    lines.map(one),
  );
}
