// Draws the cells of a sheet.
import { button, copyButton, div, forScreenReaders, h, type Kid, type Props } from "../../common/dom.ts";
import { isNumber } from "../../common/numbers.ts";
import { dataNode } from "../../common/passage.ts";
import { t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { bars, histogram, strip } from "../charts/strips.ts";
import { statusBar } from "../details.ts";
import { state } from "../state.ts";
import type { Cell, Flag, SheetCell, SheetColumn, SheetValue } from "../types.ts";
import type { Rank } from "./blocks.ts";
import {
  asFlag,
  asValue,
  between,
  cellText,
  digitsOf,
  inWords,
  isRightAligned,
  numberIn,
  shortLetters,
} from "./figures.ts";

const figureButton = (text: Kid, act: () => void, more: Props<HTMLButtonElement>) =>
  button(h("span", { class: "num" }, text), act, { class: "cell", ...more });

/** A button with a figure that opens its cell's evidence; the figure alone if there is no cell. */
export const evidenceButton = (cell: Cell | null | undefined, text: Kid, more: Props<HTMLButtonElement> = {}) =>
  cell ? figureButton(text, () => go(cellRoute(cell)), more) : text;

/** A warning below a value. */
export function flagNode(flag: Flag): Node {
  const text = inWords(flag.text);
  const bar = flag.statuses && statusBar(flag.statuses);
  return h("span", { class: `flag${flag.grave ? " bad" : ""}`, title: flag.title }, bar, flag.grave && "! ", text);
}

/** The facts about a cell that its drawing depends on. */
export interface CellContext {
  column: SheetColumn;
  rank: Rank;
  /** The cell whose evidence the value opens. */
  evidence: Cell | null | undefined;
  /** The row's and the column's names, for screen readers. */
  names: string;
}

function spokenLabel({ column, rank, names }: CellContext, x: SheetValue, text: string): string {
  const interval = between(column, x, digitsOf(column));
  const more = [interval && `${t("interval")} ${interval}`, rank && t(rank), x.letters && t("groupIs", x.letters)];
  return [`${names}: ${text}`, ...more].filter(Boolean).join(", ");
}

const TONES: Record<string, ["strong" | "span", string?]> = {
  strong: ["strong"],
  quiet: ["span", "muted"],
  faint: ["span", "zero"],
  warn: ["span", "warn"],
  grave: ["span", "grave"],
};

/** The value itself: a button if it unfolds parts or opens evidence. */
function figureNode(context: CellContext, x: SheetValue, text: string): Kid {
  const { column, rank, evidence } = context;
  const words = isRightAligned(column) ? text : x.name ? nameOf(text) : dataNode("span", "", text);
  const [tag, look] = x.tone ? TONES[x.tone] : [];
  const toned = tag ? h(tag, { class: look }, words) : words;
  const signed = x.sign ? [toned, h("span", { class: "sign" }, ` ${x.sign}`)] : toned;
  if (x.unfolds) {
    const { key, box, act } = x.unfolds;
    return figureButton(signed, act, {
      class: `cell ${rank}`,
      "aria-label": spokenLabel(context, x, text),
      "aria-expanded": String(state.parts === key),
      "aria-controls": box,
      "data-parts": key,
      title: x.title,
    });
  }
  if (evidence && (isNumber(x.value) || x.cell)) {
    const label = spokenLabel(context, x, text + (x.sign ? ` ${x.sign}` : ""));
    return evidenceButton(evidence, signed, { class: `cell ${rank}`, "aria-label": label, title: x.title ?? label });
  }
  const plainly = column.interval !== "aligned" || x.value === "";
  return plainly
    ? signed
    : h("span", { class: `num ${rank}${isNumber(x.value) ? "" : " none"}`, title: x.title }, signed);
}

export const nameOf = (name: string): Node => h("span", { class: "data name", title: name }, name);

/** The nodes of a cell: the value, its group's letters, its interval, remarks, warnings. */
function valueNodes(context: CellContext, x: SheetValue, given: SheetCell): Kid {
  const { column } = context;
  const { text, beside } = cellText(column, given);
  const { letters, asides = [], parts = [] } = x;
  const flags = (x.flags ?? []).map(asFlag);
  const brief = column.interval === "aligned" ? flags.filter((flag) => flag.brief) : [];
  const ground = {
    class: `letters${x.alike ? " alike" : ""}`,
    "aria-hidden": "true",
    title: t("groupIs", letters ?? ""),
  };
  return [
    figureNode(context, x, text),
    letters && h("span", ground, shortLetters(letters)),
    column.interval === "aligned"
      ? x.value !== "" && h("span", { class: "ci" }, brief.map(briefNode), beside)
      : beside && h("small", null, ` ${beside}`),
    asides.map((aside) => h("small", null, ` ${aside.trim()}`)),
    parts.length > 0 &&
      h(
        "small",
        { class: "seeds" },
        parts.map(({ name, value }) => partNode(column, name, value)),
      ),
    flags.filter((flag) => !brief.includes(flag)).map(flagNode),
  ];
}

/** A warning as a sign before an interval; a tooltip explains it, and screen readers read its text. */
const briefNode = ({ brief, text, title }: Flag): Node =>
  h(
    "span",
    { class: "brief", title },
    h("span", { "aria-hidden": "true" }, `${brief} `),
    forScreenReaders(`${inWords(text)}, `),
  );

function partNode(column: SheetColumn, name: string, value: SheetValue): Node {
  const { text } = cellText(column, value);
  return h("span", null, `${name} `, evidenceButton(value.cell, text, { "aria-label": `${name}: ${text}` }));
}

/** A column's kind -> the function that draws its cells; `valueNodes` draws those of all other kinds. */
const DRAW: Record<string, (cell: SheetCell) => Kid> = {
  histogram: (cell) => [histogram((cell ?? {}) as Record<string, number>)],
  bar: (cell) => [bars(numberIn(cell), null)],
  bars: (cell) => [bars(numberIn(cell), asValue(cell).base)],
  statuses: (cell) => [asValue(cell).cell].map((x) => x && statusBar(x)),
  code: (cell) => [codeNode(String(asValue(cell).value ?? ""))],
};

const codeNode = (text: string): Node => div("sig", dataNode("code", "", text || "–"), copyButton(text));

export function cellNodes(context: CellContext, cell: SheetCell | undefined): Kid {
  if (cell === null || cell === undefined) return [];
  const draw = DRAW[context.column.kind ?? "text"];
  return draw ? draw(cell) : valueNodes(context, asValue(cell), cell);
}

/** A value on a line between the smallest and the largest possible one, with its earlier value and its interval. */
export function rangeNode({ range }: SheetColumn, cell: SheetCell | undefined): Node | false | null | undefined {
  const x = asValue(cell);
  if (!range || !isNumber(x.value)) return null;
  const [low, high] = range;
  const at = (v: number) => (v - low) / (high - low);
  const end = (v: number | null | undefined) => (isNumber(v) ? at(v) : null);
  return strip(at(x.value), end(x.base), { low: end(x.low), high: end(x.high) });
}

/** The first cell of a row, which names the row and opens its evidence. */
export function headingNodes(column: SheetColumn, cell: SheetCell | undefined, open: (() => void) | null): Kid {
  const x = asValue(cell);
  const { asides = [], flags = [], value, name } = x;
  const { text } = cellText(column, cell);
  const words = name
    ? nameOf(text)
    : typeof value === "string" && !isRightAligned(column)
      ? dataNode("span", "", text)
      : text;
  const target = x.cell ? () => go(cellRoute(x.cell as Cell)) : open;
  return [
    target ? button(words, target, { class: "link" }) : words,
    asides.map((aside) => h("small", null, ` ${aside.trim()}`)),
    flags.map((flag) => flagNode(asFlag(flag))),
  ];
}

/** A heading's warning: a sign with its full text as a tooltip. */
export const headingFlag = ({ text, title }: Flag): Node =>
  h("span", { class: "warn", title }, inWords(text), title && forScreenReaders(title));
