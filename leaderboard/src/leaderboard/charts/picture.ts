// A piece of the page as one SVG or PNG that stands alone.
import { $, button, fill, h, s } from "../../common/dom.ts";
import { save } from "../../common/files.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { fileStem } from "../data.ts";

/** Buttons that save what `id` holds, as it looks now. */
export function savers(id, title) {
  const name = `${fileStem()}-${id}`,
    words = (kind) => ({
      class: "small",
      "data-save": `${id}.${kind}`,
      "aria-label": t("saveAs", kind.toUpperCase(), plain(title)),
    });
  return h(
    "span",
    { class: "savers" },
    t("save"),
    button(
      "SVG",
      () => save(`${name}.svg`, new Blob([picture($(id), title)], { type: "image/svg+xml" })),
      words("svg"),
    ),
    button("PNG", () => drawn(picture($(id), title), (blob) => save(`${name}.png`, blob)), words("png")),
  );
}

const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity"],
  FONT = ["font-size", "font-weight", "text-anchor", "paint-order"];

const USUAL = {
  stroke: "none",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  opacity: "1",
  "fill-opacity": "1",
  "font-weight": "400",
  "text-anchor": "start",
  "paint-order": "normal",
};

const MARGIN = 16,
  HEADING = 34;

/** The charts in `box` and the words around them. It stands alone: all styles are written out, nothing is fetched. */
function picture(box, title) {
  const frame = extent(box),
    look = getComputedStyle(document.body);
  const width = Math.ceil(frame.right - frame.left + 2 * MARGIN),
    height = Math.ceil(frame.bottom - frame.top + 2 * MARGIN + HEADING);
  const dx = MARGIN - frame.left,
    dy = MARGIN + HEADING - frame.top;
  const charts = [...box.querySelectorAll("svg")]
    .filter((x) => !x.parentElement.closest("svg"))
    .map((chart) => {
      const at = chart.getBoundingClientRect(),
        copy = chart.cloneNode(true),
        copies = copy.querySelectorAll("*");
      chart.querySelectorAll("*").forEach((node, i) => writeOut(node, copies[i]));
      for (const name of ["class", "role", "tabindex", "aria-hidden"]) copy.removeAttribute(name);
      return fill(
        copy,
        { x: at.left + dx, y: at.top + dy, width: at.width, height: at.height, overflow: "visible" },
        [],
      );
    });
  const image = s(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": look.fontFamily },
    s("title", null, plain(title)),
    s("rect", { width, height, fill: look.backgroundColor }),
    s("text", { x: MARGIN, y: MARGIN + 14, fill: look.color, "font-size": 15, "font-weight": 600 }, plain(title)),
    words(box, dx, dy),
    charts,
  );
  return new XMLSerializer().serializeToString(image);
}

/** Where the box has anything: not its empty columns. */
function extent(box) {
  const all = [...box.children].map((x) => x.getBoundingClientRect()),
    edge = (side, of) => of(...all.map((r) => r[side]));
  return {
    left: edge("left", Math.min),
    top: edge("top", Math.min),
    right: edge("right", Math.max),
    bottom: edge("bottom", Math.max),
  };
}

function writeOut(node, copy) {
  const style = getComputedStyle(node);
  const names =
    node.localName === "g"
      ? ["opacity"]
      : node.localName === "text"
        ? [...PAINT, ...FONT]
        : node.localName === "title"
          ? []
          : PAINT;
  for (const name of names) {
    const value = style.getPropertyValue(name).replace("rgba(0, 0, 0, 0)", "none"); // which not every program reads
    if (value === USUAL[name]) copy.removeAttribute(name);
    else copy.setAttribute(name, value);
  }
  for (const name of copy.getAttributeNames())
    if (/^(class|role|tabindex|aria-.*|data-.*)$/.test(name)) copy.removeAttribute(name);
}

/** The text of HTML nodes, line by line where it stands. */
function words(box, dx, dy) {
  const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT),
    pen = document.createElement("canvas").getContext("2d"),
    found = [];
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement,
      style = getComputedStyle(parent);
    if (parent.closest("svg, .sr, .unsaved") || !parent.getClientRects().length) continue;
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const m = pen.measureText("x"),
      ascent = m.fontBoundingBoxAscent / (m.fontBoundingBoxAscent + m.fontBoundingBoxDescent);
    const end = ["right", "end"].includes(style.textAlign);
    for (const line of linesOf(walk.currentNode, parent, box)) {
      found.push(
        s(
          "text",
          {
            x: (end ? line.right : line.left) + dx,
            y: line.top + ascent * (line.bottom - line.top) + dy,
            fill: style.color,
            "text-anchor": end ? "end" : "start",
            "font-size": style.fontSize,
            "font-weight": style.fontWeight,
          },
          line.text,
        ),
      );
    }
  }
  return found;
}

/** A text node's lines with their places, without what a narrow box cuts off. */
function linesOf(node, parent, box) {
  let cut = parent;
  const cuts = ({ overflow, display }) => overflow !== "visible" && display !== "inline"; // which cuts nothing off
  while (cut !== box && !cuts(getComputedStyle(cut))) cut = cut.parentElement;
  const edge = cut.getBoundingClientRect(),
    lines = [],
    range = document.createRange();
  for (let at = 0; at < node.length; ) {
    const size = String.fromCodePoint(node.data.codePointAt(at)).length;
    range.setStart(node, at);
    at += size;
    range.setEnd(node, at);
    const r = range.getBoundingClientRect(),
      last = lines.at(-1);
    if (!r.width || (!range.toString().trim() && !(last && Math.abs(last.top - r.top) < 3))) continue; // a line begins with a letter
    if (r.right > edge.right + 1 || r.bottom > edge.bottom + 4) {
      if (last && !last.text.endsWith("…")) last.text += "…";
      continue;
    }
    if (last && Math.abs(last.top - r.top) < 3) {
      last.text += range.toString();
      last.right = r.right;
    } else lines.push({ text: range.toString(), left: r.left, right: r.right, top: r.top, bottom: r.bottom });
  }
  return lines;
}

/** Draw an SVG at twice its size, or at what a canvas can hold. */
function drawn(text, done) {
  const image = new Image();
  image.onload = () => {
    const scale = Math.min(2, 16000 / Math.max(image.width, image.height)),
      canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width * scale, image.height * scale];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(done, "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}
