// DOM helpers. What comes from the data reaches the page as text nodes only: nothing here writes HTML.
import { HIDDEN, mark, plain } from "./text.ts";
import { t } from "./words.ts";

export const $ = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

const SPOKEN = /^(aria-label|title|placeholder|label)$/;

/** Give a node its attributes (`on…`: a listener) and children; strings become text nodes. What is read by people, of
 *  nodes and attributes, has its hidden characters made visible here, wherever it is from. */
export function fill(node, props, kids) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || (value === false && name !== "aria-pressed")) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(
        name,
        value === true && name !== "aria-pressed" ? "" : SPOKEN.test(name) ? plain(value) : String(value),
      );
  }
  const texts = node.namespaceURI === SVG || node.localName === "option" ? plain : visible;
  node.append(
    ...kids
      .flat(3)
      .filter((k) => k !== null && k !== undefined && k !== false)
      .flatMap((k) => (typeof k === "string" && HIDDEN.test(k) ? texts(k) : k)),
  );
  return node;
}

export const h = (tag, props, ...kids) => fill(document.createElement(tag), props, kids);

export const s = (tag, props, ...kids) => fill(document.createElementNS(SVG, tag), props, kids);

export const put = (node, ...kids) => {
  node.replaceChildren();
  return fill(node, null, kids);
};

export const button = (label, onclick, props) => h("button", { type: "button", onclick, ...props }, label);

export const unseen = (text) => h("span", { class: "sr" }, text);

/** A labelled select. values: the values, or groups of them as [heading, values]. */
export function choice(label, values, value, onpick, name = (v) => v) {
  const option = (v) => h("option", { value: v, selected: String(v) === String(value) }, name(v));
  const options = values.map((v) => (Array.isArray(v) ? h("optgroup", { label: v[0] }, v[1].map(option)) : option(v)));
  return h(
    "label",
    { class: "field" },
    h("span", null, label),
    h("select", { onchange: (e) => onpick(e.target.value) }, options),
  );
}

export function check(label, on, onpick) {
  return h(
    "label",
    { class: "check" },
    h("input", { type: "checkbox", checked: on, onchange: (e) => onpick(e.target.checked) }),
    label,
  );
}

/** Buttons of which one is pressed; values: [value, label]. */
export function segmented(label, values, value, onpick) {
  return h(
    "div",
    { class: "seg", role: "group", "aria-label": label },
    values.map(([v, text]) => button(text, () => onpick(v), { "aria-pressed": v === value, "data-value": v })),
  );
}

/** Copies `text`, or what it makes when called. */
export function copyButton(text, label, name = t("copy")) {
  return button(
    name,
    async (e) => {
      const node = e.currentTarget;
      const made = typeof text === "function" ? text() : text;
      try {
        await navigator.clipboard.writeText(made);
      } catch {
        copyBySelection(made);
      }
      node.textContent = t("copied");
      setTimeout(() => {
        node.textContent = name;
      }, 1500);
    },
    { class: "small", "aria-label": label },
  );
}

function copyBySelection(text) {
  // where the clipboard API is not allowed, as on some file:// pages
  const area = h("textarea", { class: "sr" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** What scrolls can be reached by keyboard, in every browser: long texts, where they are cut off. */
export function reachable(box) {
  for (const x of box.querySelectorAll("pre, .reply, .notice"))
    if (x.scrollHeight > x.clientHeight + 1 && x.clientHeight) x.tabIndex = 0;
}

addEventListener("toggle", (e) => setTimeout(reachable, 0, e.target), true); // what was folded has no height until now

/** Nodes for `text`, marks set apart from the words. */
export function visible(text) {
  if (!HIDDEN.test(text)) return text === "" ? [] : [String(text)];
  const nodes = [];
  let words = "";
  for (const char of String(text)) {
    if (!HIDDEN.test(char)) {
      words += char;
      continue;
    }
    if (words) nodes.push(words);
    words = "";
    nodes.push(h("span", { class: "ctl" }, mark(char)));
  }
  if (words) nodes.push(words);
  return nodes;
}

export const kept = (key, node) => {
  node.dataset.keep = key;
  return node;
};
