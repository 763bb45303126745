// The marks that all charts consist of. In every chart, keys move between points, and a press opens a point's evidence.
import { div, h, type Kid, s, setChildren } from "../../common/dom.ts";
import { isNumber, type Maybe } from "../../common/numbers.ts";
import { textWidth } from "../../common/text.ts";
import { cellRoute, go } from "../address.ts";
import { nameNode } from "../data.ts";
import type { Cell, Model } from "../types.ts";
import { type Anchor, type Axes, type Box, type Length, type PlotArea, ROW, roomBeside } from "./axis.ts";
import { colourOf, glyph } from "./glyphs.ts";

type More = Record<string, string | number | undefined | (() => void)>;

// ---- marks
export const line = (cls: string, x1: Length, x2: Length, y1: number, y2: number, more?: More) =>
  s("line", { class: cls, x1, x2, y1, y2, ...more });
export const label = (x: Length, y: number, text: Kid, anchor: Anchor = "start", more?: More) =>
  s("text", { x, y, "text-anchor": anchor, ...more }, text);
export const bar = (cls: string, x: Length, y: number, width: Length, height: number, more?: More) =>
  s("rect", { class: cls, x, y, width, height, ...more });
export const dot = (cls: string, x: Length, y: number, r: number) => s("circle", { class: cls, cx: x, cy: y, r });
const polyline = (cls: string, points: { x: number; y: number }[], more?: More) =>
  s("polyline", { class: cls, points: points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "), ...more });
export const path = (cls: string, d: string) => s("path", { class: cls, d });
export const tspan = (cls: string, text: string) => s("tspan", { class: cls }, text);
export const group = (cls: string, more: More | null, ...kids: Kid[]) => s("g", { class: cls, ...more }, ...kids);
/** Marks with a tooltip. */
export const withTooltip = (words: string, ...marks: Kid[]) => s("g", null, s("title", null, words), ...marks);

/** A horizontal interval. `cap`: half the length of the caps at its ends, in pixels. */
export const horizontalInterval = (x1: Length, x2: Length, y: number, cap = 0) =>
  group(
    "whisker",
    null,
    line("", x1, x2, y, y),
    [x1, x2].map((x) => cap > 0 && line("", x, x, y - cap, y + cap)),
  );
/** A vertical interval. `cap`: half the length of the caps at its ends, in pixels. */
function verticalInterval(x: number, y1: number, y2: number, cap = 0): SVGElement {
  const caps = cap > 0 ? [y1, y2].map((y) => `M${x - cap} ${y}h${2 * cap}`) : [];
  return path("whisker", [`M${x} ${y1}V${y2}`, ...caps].join(""));
}

// ---- axes
/** The line at the level of chance; nothing if the level is not known. */
export const chanceLine = ({ ground, up }: Axes, chance: Maybe): Kid =>
  isNumber(chance) && line("chance dotted", ground.left, ground.right, up(chance), up(chance));
/** A vertical axis: a grid line and a label for each tick. */
export const upAxis = ({ ground, up }: Axes, ticks: number[], text: (value: number) => Kid): Kid =>
  ticks.map((v) => [
    line("grid", ground.left, ground.right, up(v), up(v)),
    label(ground.left - 5, up(v) + 4, text(v), "end"),
  ]);
/** The horizontal axis of a chart of rows: grid lines, and labels below that stay inside the chart. */
export function rowAxis(grid: Length[], labels: [Length, Kid][], height: number): Kid {
  const anchors = labels.map((_, i): Anchor => (i === 0 ? "start" : i === labels.length - 1 ? "end" : "middle"));
  return [
    grid.map((x) => line("grid", x, x, 0, height)),
    labels.map(([x, text], i) => label(x, height + 15, text, anchors[i])),
  ];
}

// ---- names
interface Naming<P> {
  /** A point's position, and the radius of its marker. */
  at: (point: P) => [x: number, y: number, r: number];
  name: (point: P) => string;
  /** Points with the same key get one name. */
  key: (point: P) => unknown;
  /** Points with a large weight get their names before the others. */
  weight: (point: P) => number;
  ground: PlotArea;
  /** Boxes that names must not cover, beside those of the markers. */
  full?: Box[];
}
/** The names beside the points of a scatter plot, where there is room. */
export function namesBeside<P>(points: P[], { at, name, key, weight, ground, full = [] }: Naming<P>) {
  const taken = [...full, ...points.map(at).map(([x, y, r]): Box => [x - r - 1, y - r - 1, x + r + 1, y + r + 1])];
  const nodes = new Map<P, SVGElement>();
  const named = new Set<unknown>();
  for (const point of [...points].sort((a, b) => weight(b) - weight(a))) {
    if (named.has(key(point))) continue;
    const [x, y] = at(point);
    const free = roomBeside(x, y, name(point), taken, ground);
    if (!free) continue;
    named.add(key(point));
    nodes.set(point, label(free.x, free.y, name(point), free.anchor, { class: "dotname" }));
  }
  return nodes;
}

// ---- squares
export interface SquareSize {
  wide: number;
  high: number;
}
/** The layout of a matrix of squares, with the names of rows at the left and of columns above. `corner`: the heading of the rows'
 *  names. A small gap separates the first `n` columns from the others. */
export function squares(rows: string[], columns: string[], size: SquareSize, corner = "", n = Infinity) {
  const longest = (names: string[]) => 1.04 * Math.max(0, ...names.map(textWidth));
  const [left, lean] = [12 + longest([corner, ...rows]), 0.72 * longest(columns)];
  const top = 20 + lean;
  const x = (column: number) => left + column * size.wide + (column >= n ? 8 : 0);
  const y = (row: number) => top + row * size.high;
  const leaning = (name: string, i: number) => {
    const foot = `translate(${(x(i) + size.wide / 2 - 2).toFixed(1)} ${(top - 6).toFixed(1)})`;
    return s("text", { class: "head", transform: `${foot} rotate(-45)` }, name);
  };
  const heads = [
    rows.map((name, i) => label(left - 8, y(i) + size.high / 2 + 4, name, "end", { class: "head" })),
    columns.map(leaning),
    corner && label(left - 8, top - 6, corner, "end", { class: "corner" }),
  ];
  return { x, y, top, lean, right: x(columns.length), bottom: y(rows.length), heads };
}
/** One square of a matrix: rectangles of these classes and opacities, and a figure in the middle. */
export const square = (
  x: number,
  y: number,
  size: SquareSize,
  layers: [cls: string, opacity?: string][],
  figure: Kid,
  more?: More,
) => [
  layers.map(([cls, opacity]) => bar(cls, x + 1, y + 1, size.wide - 2, size.high - 2, { rx: 3, opacity })),
  label(x + size.wide / 2, y + size.high / 2 + 4, figure, "middle", more),
];

// ---- charts
/** The size of a chart in pixels; "100%": as wide as its box. */
export type Size = [width: number | "100%", height: number];
const plot = (cls: string, [width, height]: Size) => ({
  class: `plot ${cls}`.trim(),
  width,
  height,
  viewBox: width === "100%" ? undefined : `0 0 ${width} ${height}`,
});
/** A chart as an image; `words` describe it for screen readers. */
export const image = (cls: string, size: Size, words: string, ...kids: Kid[]) =>
  s("svg", { ...plot(cls, size), role: "img", "aria-label": words }, ...kids);
/** A chart that screen readers skip, since its numbers stand beside it. */
export const decorativeChart = (cls: string, size: Size, ...kids: Kid[]) =>
  s("svg", { ...plot(cls, size), "aria-hidden": "true" }, ...kids);

// ---- panels
/** The caption and the data attributes of a chart. */
export interface Panel {
  /** The panel's subject, as data attributes. */
  data: Record<string, string>;
  title: Kid;
  small: Kid;
}
export const panel = ({ data, title, small }: Panel, ...kids: Kid[]): HTMLElement =>
  h(
    "figure",
    { class: "panel", ...data },
    h("figcaption", null, h("strong", null, title), small !== null && h("small", null, small)),
    ...kids,
  );
/** A box of panels; `savers` (picture.ts) finds it by its id. */
export const panels = (id: string, all: Kid, cls = "") => h("div", { class: `panels ${cls}`.trim(), id }, all);
/** The names at the left of a chart with a row for each model. */
export interface RowNames {
  models: Model[];
  /** The distance of the first row from the top, in pixels. */
  head?: number;
  /** Content below the last name. */
  last?: Kid;
}
function withNames({ models, head = 0, last }: RowNames, chart: SVGElement): HTMLElement {
  const name = (m: Model) => h("div", { class: m.baseline && "muted" }, nameNode(m));
  const names = div("names", models.map(name), last);
  if (head) names.style.paddingTop = `${head}px`;
  return div("plotrow", names, chart);
}
export const rowMiddle = (i: number) => i * ROW + ROW / 2;

// ---- points
export interface Point {
  x: Length;
  y: number;
  /** The description of the point: below the chart, for screen readers and as a tooltip. */
  words: string;
  /** The cell that the point opens. */
  cell?: Cell;
  /** The action of a press, instead of opening the cell. */
  act?: () => void;
  /** The point's line and its position on the line: the keys up and down go to the same position of the next line. */
  line?: string;
  at?: Maybe | string;
  /** The distance in pixels within which the pointer finds the point. */
  reach?: number;
  cls?: string;
  more?: More;
}
/** The action of a press on a point. */
const actOf = ({ act, cell }: Pick<Point, "act" | "cell">) => act ?? (cell && (() => go(cellRoute(cell))));
/** A point of a line. `at` is its horizontal value, `value` its vertical one. */
export interface LinePoint extends Pick<Point, "words" | "cell" | "cls" | "more"> {
  at: number;
  value: Maybe;
  low?: Maybe;
  high?: Maybe;
  /** Whether no line joins the point to the others. */
  alone?: boolean;
}
export interface Series {
  line: string;
  look: number;
  cls?: string;
  more: More;
  points: LinePoint[];
  dash?: string;
  /** The horizontal offset of the line's points in pixels. */
  shift?: number;
  /** In pixels: half the length of the intervals' caps, the markers' radius, the distance within which the pointer finds a point. */
  cap?: number;
  r?: number;
  reach?: number;
  /** Content drawn below and above the line; the point that the pointer anywhere on the line describes and opens. */
  below?: Kid;
  above?: Kid;
  over?: LinePoint;
}
export interface ChartPanel extends Panel {
  cls: string;
  size: Size;
  /** The description of the chart for screen readers. */
  words: string;
  rows?: RowNames;
  notes?: Kid;
}

/** The points of one chart, and the line of text that describes the current point. Tab stops once at the chart; the arrow keys move
 *  left and right from point to point, up and down from line to line. */
export class Points {
  private all: { point: Point; node: SVGElement }[] = [];
  private readout = h("p", { class: "note readout unsaved", "aria-hidden": "true" }, "\u00a0");

  /** Listeners that describe a point under the pointer and open it on a press, for marks that the keyboard does not reach. */
  pointerProps(point: Pick<Point, "words" | "cell" | "act">) {
    return { onmouseenter: () => setChildren(this.readout, point.words), onclick: actOf(point) };
  }
  /** Draw a point; `mark` draws it around a position in pixels. */
  point(point: Point, mark: (x: number, y: number) => Kid): SVGElement {
    const { x, y, words, reach = 9, cls = "", more } = point;
    const here = this.all.length;
    const props = {
      class: `spot ${cls}`.trim(),
      role: actOf(point) ? "button" : "img",
      tabindex: here === 0 ? 0 : -1,
      "aria-label": words,
      onfocus: () => this.focused(here),
      onkeydown: (event: KeyboardEvent) => this.pressed(event, here),
      ...this.pointerProps(point),
      ...more,
    };
    const marks = (px: number, py: number) => [dot("hit", px, py, reach), mark(px, py), s("title", null, words)];
    // A mark's corners are in pixels: a mark whose position is a share of the width is drawn in an SVG of its own.
    const inside = { x, y, overflow: "visible", ...props };
    const node: SVGElement = typeof x === "number" ? s("g", props, marks(x, y)) : s("svg", inside, marks(0, 0));
    this.all.push({ point, node });
    return node;
  }
  /** Draw a line of points with their intervals. */
  series({ across, up }: Axes, one: Series): SVGElement {
    const { line, look, cls = "", more, points, dash, shift = 0, cap, r, reach, below, above, over } = one;
    const placed = points.map((p) => ({ ...p, x: across(p.at) + shift, y: up(Number(p.value)), line, reach }));
    const joined = placed.filter((p) => !p.alone);
    const tracks = joined.length > 1 && [
      polyline("path", joined, { "stroke-dasharray": dash }),
      over && polyline("over", joined, this.pointerProps(over)),
    ];
    const drawn = placed.map((p) => {
      const interval = isNumber(p.low) && isNumber(p.high) && verticalInterval(p.x, up(p.low), up(p.high), cap);
      return this.point(p, (x, y) => [interval, glyph(look, x, y, r)]);
    });
    return group(`series ${colourOf(look)} ${cls}`.trim(), more, below, tracks, drawn, above);
  }
  panel({ cls, size, words, rows, notes, ...around }: ChartPanel, ...kids: Kid[]): HTMLElement {
    const chart = s("svg", { ...plot(cls, size), role: "group", "aria-label": words }, ...kids);
    return panel(around, rows ? withNames(rows, chart) : chart, this.readout, notes);
  }

  private focused(here: number) {
    for (const [i, { node }] of this.all.entries()) node.setAttribute("tabindex", i === here ? "0" : "-1");
    setChildren(this.readout, this.all[here].point.words);
  }
  private pressed(event: KeyboardEvent, here: number) {
    const act = actOf(this.all[here].point);
    const opens = act && (event.key === "Enter" || event.key === " ");
    const next = this.next(event.key, here);
    if (!opens && next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== undefined) this.all[next].node.focus();
    else act?.();
  }
  private next(key: string, here: number): number | undefined {
    const { length } = this.all;
    if (key === "ArrowRight") return (here + 1) % length;
    if (key === "ArrowLeft") return (here + length - 1) % length;
    if (key !== "ArrowDown" && key !== "ArrowUp") return undefined;
    const lines = [...new Set(this.all.map((x) => x.point.line))];
    const { line, at } = this.all[here].point;
    const next = lines[(lines.indexOf(line) + (key === "ArrowDown" ? 1 : -1) + lines.length) % lines.length];
    const there = (same: boolean) => this.all.findIndex(({ point: p }) => p.line === next && (!same || p.at === at));
    return there(true) < 0 ? there(false) : there(true);
  }
}
