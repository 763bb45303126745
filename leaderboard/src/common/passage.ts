// Texts of data and models: long ones held back, spans set apart, dialogues as bubbles.
import { button, h, visible } from "./dom.ts";
import { num } from "./numbers.ts";
import { langOf } from "./text.ts";
import { t } from "./words.ts";

const MOST = 50000,
  SHOWN = 5000; // characters of a text drawn at once; and of one that has more

/** What `draw` makes of a text; of one that would halt the browser its beginning, and a button for the rest. */
function held(text, draw) {
  if (text.length <= MOST) return draw(text);
  const at = text.codePointAt(SHOWN - 1) > 0xffff ? SHOWN + 1 : SHOWN;
  const gap = h(
    "span",
    { class: "gap" },
    t("leftOut", num(text.length - at)),
    " ",
    button(t("showAll", num(text.length)), () => gap.replaceWith(...[draw(text.slice(at))].flat(3)), {
      class: "small",
    }),
  );
  return [draw(text.slice(0, at)), gap];
}

export const data$ = (tag, cls, text) =>
  h(tag, { class: `data ${cls || ""}`.trim(), lang: langOf(text) }, held(String(text), visible));

/** `text` with every `[MASK]` and every one of `spans` (of class `cls`) set apart. */
export const emphasised = (text, spans, cls) => held(text, (part) => setApart(part, spans, cls));

function setApart(text, spans, cls) {
  const wanted = ["[MASK]", ...spans].filter(Boolean);
  const nodes = [];
  for (let rest = text; rest; ) {
    const places = wanted
      .map((w) => [rest.indexOf(w), w])
      .filter(([at]) => at >= 0)
      .sort((a, b) => a[0] - b[0]);
    if (!places.length) {
      nodes.push(visible(rest));
      break;
    }
    const [at, found] = places[0];
    nodes.push(visible(rest.slice(0, at)), h("mark", { class: found === "[MASK]" ? "mask" : cls }, visible(found)));
    rest = rest.slice(at + found.length);
  }
  return nodes;
}

/** A dialogue as bubbles, what the first speaker says on the left; `spans` are set apart as gold. */
export function chat(turns, spans = []) {
  const first = /^\s*([^:：\s]{1,12})[:：]/.exec(turns[0] ?? "")?.[1];
  return h(
    "ol",
    { class: "chat" },
    turns.map((turn) => {
      const [, who, said] = /^\s*([^:：\s]{1,12})[:：]\s?([\s\S]*)$/.exec(turn) ?? [null, "", turn];
      return h(
        "li",
        { class: who === (first ?? "") ? "left" : "right" },
        h("span", { class: "who" }, visible(who)),
        h("span", { class: "data bubble", lang: langOf(said) }, emphasised(said, spans, "goldspan")),
      );
    }),
  );
}
