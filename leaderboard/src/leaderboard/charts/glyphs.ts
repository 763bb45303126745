// The looks of lines and points: a colour, a marker and a dash each, so that they differ also for people who see no colours.
import { s } from "../../common/dom.ts";

/** Corners of each marker around its middle: x, y, x, y … */
const CORNERS = {
  square: [-1, -1, 1, -1, 1, 1, -1, 1],
  triangle: [0, -1.25, 1.15, 0.9, -1.15, 0.9],
  diamond: [0, -1.35, 1.2, 0, 0, 1.35, -1.2, 0],
};

const MARKS: [shape: "circle" | keyof typeof CORNERS, hollow?: boolean][] = [
  ["circle"],
  ["square"],
  ["triangle"],
  ["diamond"],
  ["square", true],
  ["triangle", true],
  ["circle", true],
  ["diamond", true],
];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "5 2 1 2 1 2", "4 5", "6 3", "1 2"];
/** The number of colours c0, c1 … in page.css: eight models differ by colour alone, also to colour-blind readers. */
const COLOURS = 8;

/** The number of looks. Looks of the same colour have different markers. */
export const LOOKS = COLOURS * MARKS.length;
const roundOf = (look: number) => Math.floor(look / COLOURS);
export const markOf = (look: number) => MARKS[(look + 3 * roundOf(look)) % MARKS.length];
/** The hollow counterpart of the first look: the same colour and shape. */
export const HOLLOW = 2 * COLOURS;

export const colourOf = (look: number) => `c${look % COLOURS}`;
export const dashOf = (look: number) => DASHES[(look + 3 * roundOf(look)) % DASHES.length];
/** Draw the marker of a look. */
export function glyph(look: number, x: number, y: number, r = 4.5): SVGElement {
  const [shape, hollow] = markOf(look);
  const cls = hollow ? "mark hollow" : "mark";
  if (shape === "circle") return s("circle", { class: cls, cx: x, cy: y, r });
  const corners = CORNERS[shape].map((v, i) => ((i % 2 ? y : x) + 0.9 * r * v).toFixed(1));
  return s("polygon", { class: cls, points: corners.join(" ").replace(/(\S+) (\S+)/g, "$1,$2") });
}
