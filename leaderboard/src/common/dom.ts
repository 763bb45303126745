// DOM helpers. They write no HTML: a text of the data becomes a text node, whatever is in it.
import { codePoint, HIDDEN, plain } from "./text.ts";
import { sentences, t } from "./words.ts";

/** A node's child; false, null and undefined are left out. */
export type Kid = Node | string | number | false | null | undefined | Kid[];
export type Kids = Kid[];

type Events = HTMLElementEventMap;
type Attribute = string | number | boolean | null | undefined;
/** Attributes of a node, and listeners (`on…`), which get the node as `currentTarget`. */
export type Props<N extends Element = Element> = {
  [E in keyof Events as `on${E}`]?: ((event: Events[E] & { currentTarget: N }) => void) | false;
} & { [name: string]: Attribute | ((event: never) => void) };

type Html = HTMLElementTagNameMap;
type Svg = SVGElementTagNameMap;

/** The node with an id; null if the page has none. */
export const byId = <N extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as N | null;

/** The node with an id. Throws if the page has none. */
export function $<N extends HTMLElement = HTMLElement>(id: string): N {
  const node = byId<N>(id);
  if (!node) throw Error(`#${id}`);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** Attributes that people read or hear. */
const SPOKEN = /^(aria-label|title|placeholder|label)$/;

/** Give a node its attributes (`on…`: a listener) and children; strings become text nodes. Hidden characters become marks in every
 *  text and attribute that people read, so that callers need not think of them. */
export function fill<N extends Element>(node: N, props: Props<N> | null, kids: Kids): N {
  for (const [name, value] of Object.entries(props ?? {})) {
    const isState = name === "aria-pressed"; // it is "true" or "false"; other attributes that are false are left out
    if (value === undefined || value === null || (value === false && !isState)) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value as EventListener);
    else if (value === true && !isState) node.setAttribute(name, "");
    else node.setAttribute(name, SPOKEN.test(name) ? plain(String(value)) : String(value));
  }
  append(node, kids, node.namespaceURI === SVG || node.localName === "option" ? plain : visible);
  return node;
}

function append(node: Element, kids: Kids, texts: (text: string) => string | (Node | string)[]) {
  for (const kid of kids) {
    if (Array.isArray(kid)) append(node, kid, texts);
    else if (typeof kid === "string" && HIDDEN.test(kid)) node.append(...[texts(kid)].flat());
    else if (kid !== null && kid !== undefined && kid !== false) node.append(kid instanceof Node ? kid : String(kid));
  }
}

/** An HTML element. */
export const h = <K extends keyof Html>(tag: K, props?: Props<Html[K]> | null, ...kids: Kids): Html[K] =>
  fill(document.createElement(tag), props ?? null, kids);

/** An SVG element. */
export const s = <K extends keyof Svg>(tag: K, props?: Props<Svg[K]> | null, ...kids: Kids): Svg[K] =>
  fill(document.createElementNS(SVG, tag), props ?? null, kids);

export const para = (cls: string, ...kids: Kids) => h("p", { class: cls }, ...kids);

export const div = (cls: string, ...kids: Kids) => h("div", { class: cls }, ...kids);

/** A note in small print, made of sentences; false, null and undefined are left out. */
export const note = (...all: Parameters<typeof sentences>) => para("note", sentences(...all));

/** A section of a page; its kids begin with its heading. */
export const section = (id: string, ...kids: Kids) => h("section", { class: "block", id }, ...kids);

/** A fold: `summary` is always visible, `kids` only while the fold is open. */
export const fold = (summary: Kid, ...kids: Kids) => h("details", null, h("summary", null, summary), ...kids);

/** Replace a node's children. */
export function setChildren<N extends Element>(node: N, ...kids: Kids): N {
  node.replaceChildren();
  return fill(node, null, kids);
}

export const button = (
  label: Kid,
  onclick: (event: MouseEvent & { currentTarget: HTMLButtonElement }) => void,
  props?: Props<HTMLButtonElement>,
) => h("button", { type: "button", onclick, ...props }, label);

export const forScreenReaders = (text: string) => h("span", { class: "sr" }, text);

/** A select with a label. `values`: its values, or groups of them as [heading, values]. */
export function labelledSelect<V extends string | number>(
  label: string,
  values: readonly (V | [string, V[]])[],
  value: V,
  onpick: (value: string) => void,
  name: (value: V) => string = String,
) {
  const option = (v: V) => h("option", { value: v, selected: v === value }, name(v));
  const options = values.map((v) => (Array.isArray(v) ? h("optgroup", { label: v[0] }, v[1].map(option)) : option(v)));
  return h(
    "label",
    { class: "field" },
    h("span", null, label),
    h("select", { onchange: (e) => onpick(e.currentTarget.value) }, options),
  );
}

export const checkbox = (label: string, on: boolean, onpick: (on: boolean) => void) =>
  h(
    "label",
    { class: "check" },
    h("input", { type: "checkbox", checked: on, onchange: (e) => onpick(e.currentTarget.checked) }),
    label,
  );

/** A row of buttons, one for each [value, label] of `values`; the button of `value` looks pressed. */
export const buttonRow = <V extends string>(
  label: string,
  values: [V, string][],
  value: V,
  onpick: (value: V) => void,
) =>
  h(
    "div",
    { class: "seg", role: "group", "aria-label": label },
    values.map(([v, text]) => button(text, () => onpick(v), { "aria-pressed": v === value, "data-value": v })),
  );

/** A button that copies `text`, or the text that `text` returns when the button is pressed. */
export function copyButton(text: string | (() => string), label?: string, name = t("copy")) {
  const copy = async (node: HTMLButtonElement) => {
    const content = typeof text === "function" ? text() : text;
    try {
      await navigator.clipboard.writeText(content);
    } catch {
      copyBySelection(content);
    }
    node.textContent = t("copied");
    setTimeout(() => {
      node.textContent = name;
    }, 1500);
  };
  return button(name, (e) => copy(e.currentTarget), { class: "small", "aria-label": label });
}

/** Copy a text by selecting it: some browsers give pages from file:// no clipboard. */
function copyBySelection(text: string) {
  const area = h("textarea", { class: "sr" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** Make long texts that scroll reachable by keyboard, in every browser. */
export function makeReachable(box: Element) {
  for (const x of box.querySelectorAll<HTMLElement>("pre, .reply, .notice"))
    if (x.scrollHeight > x.clientHeight + 1 && x.clientHeight) x.tabIndex = 0;
}

/** Call `makeReachable` on each fold that opens: in a closed fold, texts have no height, and whether they scroll is not known. */
export const watchFolds = () => addEventListener("toggle", (e) => setTimeout(makeReachable, 0, e.target), true);

/** Nodes for `text`; hidden characters are drawn as marks. */
function visible(text: string): (Node | string)[] {
  if (!HIDDEN.test(text)) return text === "" ? [] : [text];
  const nodes: (Node | string)[] = [];
  let words = "";
  for (const char of text) {
    if (!HIDDEN.test(char)) {
      words += char;
      continue;
    }
    if (words) nodes.push(words);
    words = "";
    nodes.push(h("span", { class: "ctl" }, codePoint(char)));
  }
  if (words) nodes.push(words);
  return nodes;
}

/** Give a node a key. When its section is redrawn while the node has the focus, the new node with this key gets it. */
export function withFocusKey<N extends HTMLElement>(key: string, node: N): N {
  node.dataset.keep = key;
  return node;
}
