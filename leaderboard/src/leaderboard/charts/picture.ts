// A part of the page as one SVG or PNG file that needs no other file.
import { $, button, fill, h, s } from "../../common/dom.ts";
import { save } from "../../common/files.ts";
import { t } from "../../common/words.ts";
import { fileStem } from "../data.ts";

/** Buttons that save the content of the node `id` as it looks now. */
export function savers(id: string, title: string): HTMLElement {
  const saver = (kind: string, make: (svg: string, done: (blob: Blob | null) => void) => void) => {
    const saved = (blob: Blob | null) => blob && save(`${fileStem()}-${id}.${kind}`, blob);
    const name = t("saveAs", kind.toUpperCase(), title);
    const props = { class: "small", "data-save": `${id}.${kind}`, "aria-label": name };
    return button(kind.toUpperCase(), () => make(picture($(id), title), saved), props);
  };
  const svg = saver("svg", (text, done) => done(new Blob([text], { type: "image/svg+xml" })));
  return h("span", { class: "savers" }, t("save"), svg, saver("png", drawn));
}

const FONT = ["font-size", "font-weight", "text-anchor", "paint-order"];
const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity"];
/** The styles that are written as attributes, by element; other elements have those of `PAINT`. */
const STYLE: Record<string, string[]> = { g: ["opacity"], text: [...PAINT, ...FONT], title: [] };
const USUAL: Record<string, string> = {
  stroke: "none",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  opacity: "1",
  "fill-opacity": "1",
  "font-weight": "400",
  "text-anchor": "start",
  "paint-order": "normal",
};
/** Attributes that have a meaning on the page only. */
const OF_PAGE = /^(class|role|tabindex|aria-.*|data-.*)$/;

const MARGIN = 16;
const HEADING = 34;

/** The charts in `box` and the words around them, as one SVG with all styles in it. */
function picture(box: HTMLElement, title: string): string {
  const frames = [...box.children].map((x) => x.getBoundingClientRect()); // the parts with content, without empty columns
  const [left, top] = [Math.min(...frames.map((r) => r.left)), Math.min(...frames.map((r) => r.top))];
  const [right, bottom] = [Math.max(...frames.map((r) => r.right)), Math.max(...frames.map((r) => r.bottom))];
  const [dx, dy] = [MARGIN - left, MARGIN + HEADING - top];
  const width = Math.ceil(right - left + 2 * MARGIN);
  const height = Math.ceil(bottom - top + 2 * MARGIN + HEADING);
  const charts = [...box.querySelectorAll("svg")].filter((x) => !x.parentElement?.closest("svg"));
  const look = getComputedStyle(document.body);
  const head = { x: MARGIN, y: MARGIN + 14, fill: look.color, "font-size": 15, "font-weight": 600 };
  const image = s(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": look.fontFamily },
    s("title", null, title),
    s("rect", { width, height, fill: look.backgroundColor }),
    s("text", head, title),
    words(box, dx, dy),
    charts.map((chart) => copied(chart, dx, dy)),
  );
  return new XMLSerializer().serializeToString(image);
}

/** A chart with all its styles as attributes. */
function copied(chart: SVGSVGElement, dx: number, dy: number): SVGSVGElement {
  const at = chart.getBoundingClientRect();
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const copies = copy.querySelectorAll("*");
  for (const [i, node] of chart.querySelectorAll("*").entries()) writeOut(node, copies[i]);
  for (const name of ["class", "role", "tabindex", "aria-hidden"]) copy.removeAttribute(name);
  return fill(copy, { x: at.left + dx, y: at.top + dy, width: at.width, height: at.height, overflow: "visible" }, []);
}

function writeOut(node: Element, copy: Element) {
  const style = getComputedStyle(node);
  for (const name of STYLE[node.localName] ?? PAINT) {
    const value = style.getPropertyValue(name).replace("rgba(0, 0, 0, 0)", "none"); // not every program reads rgba(0, 0, 0, 0)
    if (value === USUAL[name]) copy.removeAttribute(name);
    else copy.setAttribute(name, value);
  }
  for (const name of copy.getAttributeNames()) if (OF_PAGE.test(name)) copy.removeAttribute(name);
}

/** The text of HTML nodes as SVG: a text element for each line, at its position on the page. */
function words(box: HTMLElement, dx: number, dy: number): SVGElement[] {
  const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const pen = document.createElement("canvas").getContext("2d");
  const lines: SVGElement[] = [];
  while (walk.nextNode()) {
    const text = walk.currentNode as Text;
    const parent = text.parentElement;
    if (!parent || parent.closest("svg, .sr, .unsaved") || !parent.getClientRects().length) continue;
    const style = getComputedStyle(parent);
    const end = ["right", "end"].includes(style.textAlign);
    const ascent = pen ? ascentOf(pen, style) : 0.8;
    for (const line of linesOf(text, parent, box)) {
      const props = {
        x: (end ? line.right : line.left) + dx,
        y: line.top + ascent * (line.bottom - line.top) + dy,
        fill: style.color,
        "text-anchor": end ? "end" : "start",
        "font-size": style.fontSize,
        "font-weight": style.fontWeight,
      };
      lines.push(s("text", props, line.text));
    }
  }
  return lines;
}

/** The part of a line's height that is above the baseline, as a share from 0 to 1. */
function ascentOf(pen: CanvasRenderingContext2D, { fontWeight, fontSize, fontFamily }: CSSStyleDeclaration): number {
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = pen.measureText("x");
  return above / (above + below);
}

interface TextLine {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}
/** The lines of a text node with their positions. Letters that a narrow box cuts off are replaced by "…". */
function linesOf(node: Text, parent: Element, box: Element): TextLine[] {
  let cut = parent;
  const cuts = ({ overflow, display }: CSSStyleDeclaration) => overflow !== "visible" && display !== "inline"; // an inline box cuts nothing off
  while (cut !== box && cut.parentElement && !cuts(getComputedStyle(cut))) cut = cut.parentElement;
  const edge = cut.getBoundingClientRect();
  const lines: TextLine[] = [];
  const range = document.createRange();
  let at = 0;
  for (const char of node.data) {
    range.setStart(node, at);
    at += char.length;
    range.setEnd(node, at);
    const { left, right, top, bottom, width } = range.getBoundingClientRect();
    const last = lines.at(-1);
    const same = last && Math.abs(last.top - top) < 3;
    if (!width || (!char.trim() && !same)) continue; // blanks do not begin a line
    if (right > edge.right + 1 || bottom > edge.bottom + 4) {
      if (last && !last.text.endsWith("…")) last.text += "…";
    } else if (same) Object.assign(last, { text: last.text + char, right });
    else lines.push({ text: char, left, right, top, bottom });
  }
  return lines;
}

/** Draw an SVG into a PNG at twice its size, or at the largest size of a canvas. */
function drawn(text: string, done: (blob: Blob | null) => void) {
  const image = new Image();
  image.onload = () => {
    const size = Math.min(2, 16000 / Math.max(image.width, image.height));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width * size, image.height * size];
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(done, "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}
