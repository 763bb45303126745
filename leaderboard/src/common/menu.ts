// What opens below a word.
import { h } from "./dom.ts";

/** What opens below a word: Escape, a click elsewhere or the focus gone elsewhere closes it. */
export function menu(label, words, kids, props = {}) {
  const shut = (e) => {
    if (e.relatedTarget && !e.currentTarget.contains(e.relatedTarget)) e.currentTarget.open = false;
  };
  const onEscape = (e) => {
    if (e.key === "Escape" && e.currentTarget.open) {
      e.stopPropagation();
      e.currentTarget.open = false;
      e.currentTarget.firstChild.focus();
    }
  };
  return h(
    "details",
    { class: "menu unsaved", onfocusout: shut, onkeydown: onEscape, ...props },
    h("summary", { "aria-label": words }, label),
    h("div", { class: "menubox", role: "group", "aria-label": words }, kids),
  );
}

addEventListener("pointerdown", (e) =>
  document.querySelectorAll("details.menu[open]").forEach((x) => {
    if (!x.contains(e.target)) x.open = false;
  }),
);
