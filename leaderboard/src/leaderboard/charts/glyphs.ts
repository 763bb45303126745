// Dashes and markers, by which lines and points differ without colour.
import { s } from "../../common/dom.ts";

/** Corners of each marker around its middle: x, y, x, y … */
const CORNERS = {
  square: [-1, -1, 1, -1, 1, 1, -1, 1],
  triangle: [0, -1.25, 1.15, 0.9, -1.15, 0.9],
  diamond: [0, -1.35, 1.2, 0, 0, 1.35, -1.2, 0],
};

export const LOOKS: [dash: string, shape: "circle" | keyof typeof CORNERS, hollow?: boolean][] = [
  ["", "circle"],
  ["7 3", "square"],
  ["2 3", "triangle"],
  ["9 3 2 3", "diamond"],
  ["5 2 1 2 1 2", "square", true],
  ["4 5", "triangle", true],
  ["6 3", "circle", true],
  ["", "diamond", true],
  ["7 3", "circle"],
  ["2 3", "square"],
  ["9 3 2 3", "triangle"],
  ["4 5", "diamond"],
  ["5 2 1 2 1 2", "square"],
  ["", "triangle"],
  ["6 3", "diamond"],
  ["2 3", "circle"],
  ["4 5", "circle", true],
  ["7 3", "circle"],
  ["", "triangle", true],
  ["9 3 2 3", "circle", true],
  ["6 3", "square", true],
  ["5 2 1 2 1 2", "triangle"],
  ["7 3", "diamond", true],
  ["", "square"],
];
const COLOURS = 6;

export const colourOf = (look: number) => `c${look % COLOURS}`;
export const dashOf = (look: number) => LOOKS[look][0];
/** Draw the marker of a look. */
export function glyph(look: number, x: number, y: number, r = 4.5): SVGElement {
  const [, shape, hollow] = LOOKS[look];
  const cls = hollow ? "mark hollow" : "mark";
  if (shape === "circle") return s("circle", { class: cls, cx: x, cy: y, r });
  const corners = CORNERS[shape].map((v, i) => ((i % 2 ? y : x) + 0.9 * r * v).toFixed(1));
  return s("polygon", { class: cls, points: corners.join(" ").replace(/(\S+) (\S+)/g, "$1,$2") });
}
