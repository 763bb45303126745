// Texts of data and models: long texts shortened, spans highlighted, dialogues as bubbles.
import { button, h, type Kid, setChildren } from "./dom.ts";
import { num } from "./numbers.ts";
import { langOf, splitTurn } from "./text.ts";
import { t } from "./words.ts";

const LONGEST_WHOLE = 50000; // the length of the longest text that is drawn whole, in UTF-16 units
const SHOWN = 5000; // the length of the part that is drawn of a longer text

/** Draw a text with `draw`. Of a very long one, which would halt the browser, draw the beginning and a button that draws the rest. */
function inTwoParts(text: string, draw: (part: string) => Kid): Kid {
  if (text.length <= LONGEST_WHOLE) return draw(text);
  const at = Number(text.codePointAt(SHOWN - 1)) > 0xffff ? SHOWN + 1 : SHOWN;
  const rest = () => {
    gap.removeAttribute("class");
    setChildren(gap, draw(text.slice(at)));
  };
  const all = button(t("showAll", num(text.length)), rest, { class: "small" });
  const gap = h("span", { class: "gap" }, t("leftOut", num(text.length - at)), " ", all);
  return [draw(text.slice(0, at)), gap];
}

/** An element with a text of the data. */
export const dataNode = <K extends keyof HTMLElementTagNameMap>(tag: K, cls: string, text: string) =>
  h(tag, { class: `data ${cls}`.trim(), lang: langOf(text) }, inTwoParts(text, String));

/** A text in which every `[MASK]` and every occurrence of `spans` is highlighted. `cls`: the CSS class of the spans. */
export const emphasised = (text: string, spans: readonly string[], cls: string) =>
  inTwoParts(text, (part) => highlightSpans(part, spans, cls));

function highlightSpans(text: string, spans: readonly string[], cls: string): Kid {
  const wanted = ["[MASK]", ...spans].filter(Boolean);
  const nodes: Kid[] = [];
  for (let rest = text; rest; ) {
    const found = wanted
      .map((w): [number, string] => [rest.indexOf(w), w])
      .filter(([at]) => at >= 0)
      .sort((a, b) => a[0] - b[0]);
    if (!found.length) {
      nodes.push(rest);
      break;
    }
    const [at, first] = found[0];
    nodes.push(rest.slice(0, at), h("mark", { class: first === "[MASK]" ? "mask" : cls }, first));
    rest = rest.slice(at + first.length);
  }
  return nodes;
}

/** A dialogue as bubbles, the first speaker's on the left; `spans` are highlighted as gold. */
export function chat(turns: readonly string[], spans: readonly string[] = []) {
  const first = splitTurn(turns[0] ?? "").speaker;
  return h(
    "ol",
    { class: "chat" },
    turns.map((turn) => {
      const { speaker, text } = splitTurn(turn);
      return h(
        "li",
        { class: speaker === first ? "left" : "right" },
        h("span", { class: "who" }, speaker),
        h("span", { class: "data bubble", lang: langOf(text) }, emphasised(text, spans, "goldspan")),
      );
    }),
  );
}
