// The marks that all charts are drawn of. A chart turns its data into them; what is a point is reached by keys and opens
// its evidence in every chart alike.
import { h, type Kid, put, s } from "../../common/dom.ts";
import { isNumber, type Maybe, pct } from "../../common/numbers.ts";
import { wide } from "../../common/text.ts";
import { cellRoute, go } from "../address.ts";
import { nameNode } from "../data.ts";
import type { Cell, Model } from "../types.ts";
import type { Anchor, Frame, Length } from "./axis.ts";
import { ROW } from "./axis.ts";
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
export const polyline = (cls: string, points: { x: number; y: number }[], more?: More) =>
  s("polyline", { class: cls, points: points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "), ...more });
export const path = (cls: string, d: string) => s("path", { class: cls, d });
export const tspan = (cls: string, text: string) => s("tspan", { class: cls }, text);
export const group = (cls: string, more: More | null, ...kids: Kid[]) => s("g", { class: cls, ...more }, ...kids);
/** Marks with a text under the pointer. */
export const said = (words: string, ...marks: Kid[]) => s("g", null, s("title", null, words), ...marks);

/** An interval across, with caps of so many pixels. */
export const lying = (x1: Length, x2: Length, y: number, cap = 0) =>
  group(
    "whisker",
    null,
    line("", x1, x2, y, y),
    [x1, x2].map((x) => cap > 0 && line("", x, x, y - cap, y + cap)),
  );
/** An interval upright. */
export function upright(x: number, y1: number, y2: number, cap = 0): SVGElement {
  const caps = cap > 0 ? [y1, y2].map((y) => `M${x - cap} ${y}h${2 * cap}`) : [];
  return path("whisker", [`M${x} ${y1}V${y2}`, ...caps].join(""));
}

// ---- axes
/** The level of guessing, where it is known. */
export const chanceLine = ({ ground, up }: Frame, chance: Maybe): Kid =>
  isNumber(chance) && line("chance dotted", ground.left, ground.right, up(chance), up(chance));
/** Values from the bottom to the top: a line of the grid and a label each. */
export const upAxis = ({ ground, up }: Frame, ticks: number[], text: (value: number) => Kid): Kid =>
  ticks.map((v) => [
    line("grid", ground.left, ground.right, up(v), up(v)),
    label(ground.left - 5, up(v) + 4, text(v), "end"),
  ]);
/** Values across a chart of rows: lines of the grid, and labels below them that do not leave it. */
export function rowAxis(grid: Length[], labels: [Length, Kid][], height: number): Kid {
  const anchors = labels.map((_, i): Anchor => (i === 0 ? "start" : i === labels.length - 1 ? "end" : "middle"));
  return [
    grid.map((x) => line("grid", x, x, 0, height)),
    labels.map(([x, text], i) => label(x, height + 15, text, anchors[i])),
  ];
}
/** An interval in words, where there is one. */
export const between = (m: { low?: Maybe; high?: Maybe } | undefined) =>
  isNumber(m?.low) ? ` (${pct(m.low)}–${pct(m.high)})` : "";

// ---- squares
export interface Side {
  wide: number;
  high: number;
}
/** Places for squares in rows and columns, and their names: at the left, and leaning above. `corner` is what the rows' names
 *  are; from the n-th column on, squares stand a little apart. */
export function squares(rows: string[], columns: string[], side: Side, corner = "", n = Infinity) {
  const longest = (names: string[]) => 1.04 * Math.max(0, ...names.map(wide));
  const [left, lean] = [12 + longest([corner, ...rows]), 0.72 * longest(columns)];
  const top = 20 + lean;
  const x = (column: number) => left + column * side.wide + (column >= n ? 8 : 0);
  const y = (row: number) => top + row * side.high;
  const leaning = (name: string, i: number) => {
    const foot = `translate(${(x(i) + side.wide / 2 - 2).toFixed(1)} ${(top - 6).toFixed(1)})`;
    return s("text", { class: "head", transform: `${foot} rotate(-45)` }, name);
  };
  const heads = [
    rows.map((name, i) => label(left - 8, y(i) + side.high / 2 + 4, name, "end", { class: "head" })),
    columns.map(leaning),
    corner && label(left - 8, top - 6, corner, "end", { class: "corner" }),
  ];
  return { x, y, top, lean, right: x(columns.length), bottom: y(rows.length), heads };
}
/** One of them: rectangles of these classes and opacities, and a figure in the middle. */
export const square = (
  x: number,
  y: number,
  side: Side,
  layers: [cls: string, opacity?: string][],
  figure: Kid,
  more?: More,
) => [
  layers.map(([cls, opacity]) => bar(cls, x + 1, y + 1, side.wide - 2, side.high - 2, { rx: 3, opacity })),
  label(x + side.wide / 2, y + side.high / 2 + 4, figure, "middle", more),
];

// ---- charts
/** Pixels of the chart's own, or as wide as there is room. */
export type Size = [width: number | "100%", height: number];
const plot = (cls: string, [width, height]: Size) => ({
  class: `plot ${cls}`.trim(),
  width,
  height,
  viewBox: width === "100%" ? undefined : `0 0 ${width} ${height}`,
});
/** A chart as an image of which the words tell what it shows. */
export const image = (cls: string, size: Size, words: string, ...kids: Kid[]) =>
  s("svg", { ...plot(cls, size), role: "img", "aria-label": words }, ...kids);
/** A chart beside its numbers. */
export const mute = (cls: string, size: Size, ...kids: Kid[]) =>
  s("svg", { ...plot(cls, size), "aria-hidden": "true" }, ...kids);

// ---- panels
/** The frame of a chart. */
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
/** A chart of rows beside their names. */
export interface Rows {
  models: Model[];
  /** The distance of the first row from the top, in pixels. */
  head?: number;
  /** The content below the last name. */
  last?: Kid;
}
function named({ models, head = 0, last }: Rows, chart: SVGElement): HTMLElement {
  const name = (m: Model) => h("div", { class: m.baseline && "muted" }, nameNode(m));
  const names = h("div", { class: "names" }, models.map(name), last);
  if (head) names.style.paddingTop = `${head}px`;
  return h("div", { class: "plotrow" }, names, chart);
}
export const rowAt = (i: number) => i * ROW + ROW / 2;

// ---- points
export interface Point {
  x: Length;
  y: number;
  /** Said below the chart, to readers of the screen and under the pointer. */
  words: string;
  /** The cell that it opens. */
  cell?: Cell;
  /** The action of a press, instead of opening the cell. */
  act?: () => void;
  /** Its line, and its place on it: the keys up and down go to the same place of the next line. */
  line?: string;
  at?: Maybe | string;
  /** The distance from its middle within which the pointer finds it. */
  reach?: number;
  cls?: string;
  more?: More;
}
/** The action of a press on a point. */
const actOf = ({ act, cell }: Pick<Point, "act" | "cell">) => act ?? (cell && (() => go(cellRoute(cell))));
/** A point of a line by its values: where it stands across and up. */
export interface LinePoint extends Pick<Point, "words" | "cell" | "cls" | "more"> {
  at: number;
  value: Maybe;
  low?: Maybe;
  high?: Maybe;
  /** It is not joined to the others. */
  alone?: boolean;
}
export interface Series {
  line: string;
  look: number;
  cls?: string;
  more: More;
  points: LinePoint[];
  dash?: string;
  /** The offset of its points. */
  shift?: number;
  /** Half the width of intervals' caps; the markers' size, and how far the pointer finds them. */
  cap?: number;
  r?: number;
  reach?: number;
  /** Drawn below and above it; `over` is told and opened where the line is under the pointer. */
  below?: Kid;
  above?: Kid;
  over?: LinePoint;
}
export interface Chart extends Panel {
  cls: string;
  size: Size;
  /** The description of the chart, for readers who do not see it. */
  words: string;
  rows?: Rows;
  notes?: Kid;
}

/** The points of one chart, and where they are told: one stop of the Tab key; arrows go on from there, left and right from
 *  point to point, up and down from line to line. */
export class Points {
  private all: { point: Point; node: SVGElement }[] = [];
  private readout = h("p", { class: "note readout unsaved", "aria-hidden": "true" }, "\u00a0");

  /** Attributes that describe a point and open it, for nodes that keys do not reach. */
  tells(point: Pick<Point, "words" | "cell" | "act">) {
    return { onmouseenter: () => put(this.readout, point.words), onclick: actOf(point) };
  }
  /** A point, its mark drawn around a place in pixels. */
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
      ...this.tells(point),
      ...more,
    };
    const marks = (px: number, py: number) => [dot("hit", px, py, reach), mark(px, py), s("title", null, words)];
    // A mark's corners are pixels: where its place is a share of the width, it stands in an SVG of its own.
    const inside = { x, y, overflow: "visible", ...props };
    const node: SVGElement = typeof x === "number" ? s("g", props, marks(x, y)) : s("svg", inside, marks(0, 0));
    this.all.push({ point, node });
    return node;
  }
  /** A line of points with their intervals. */
  series({ across, up }: Frame, one: Series): SVGElement {
    const { line, look, cls = "", more, points, dash, shift = 0, cap, r, reach, below, above, over } = one;
    const placed = points.map((p) => ({ ...p, x: across(p.at) + shift, y: up(Number(p.value)), line, reach }));
    const joined = placed.filter((p) => !p.alone);
    const tracks = joined.length > 1 && [
      polyline("path", joined, { "stroke-dasharray": dash }),
      over && polyline("over", joined, this.tells(over)),
    ];
    const drawn = placed.map((p) => {
      const interval = isNumber(p.low) && isNumber(p.high) && upright(p.x, up(p.low), up(p.high), cap);
      return this.point(p, (x, y) => [interval, glyph(look, x, y, r)]);
    });
    return group(`series ${colourOf(look)} ${cls}`.trim(), more, below, tracks, drawn, above);
  }
  panel({ cls, size, words, rows, notes, ...around }: Chart, ...kids: Kid[]): HTMLElement {
    const chart = s("svg", { ...plot(cls, size), role: "group", "aria-label": words }, ...kids);
    return panel(around, rows ? named(rows, chart) : chart, this.readout, notes);
  }

  private focused(here: number) {
    for (const [i, { node }] of this.all.entries()) node.setAttribute("tabindex", i === here ? "0" : "-1");
    put(this.readout, this.all[here].point.words);
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
