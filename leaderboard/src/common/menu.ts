// Menus that open below their labels.
import { h, type Kid, type Props } from "./dom.ts";

type OnMenu<E> = E & { currentTarget: HTMLDetailsElement };

/** Close an open menu when Escape is pressed in it, and focus its label. */
export function closeByEscape(event: OnMenu<KeyboardEvent>) {
  const box = event.currentTarget;
  if (event.key !== "Escape" || !box.open) return;
  event.stopPropagation();
  box.open = false;
  box.querySelector("summary")?.focus();
}

/** A menu that opens below its label. Escape, a click elsewhere or moving the focus elsewhere closes it. */
export function menu(label: string, words: string, kids: Kid, props: Props<HTMLDetailsElement> = {}) {
  const onfocusout = ({ currentTarget: box, relatedTarget }: OnMenu<FocusEvent>) => {
    if (relatedTarget && !box.contains(relatedTarget as Node)) box.open = false;
  };
  return h(
    "details",
    { class: "menu unsaved", onfocusout, onkeydown: closeByEscape, ...props },
    h("summary", { "aria-label": words }, label),
    h("div", { class: "menubox", role: "group", "aria-label": words }, kids),
  );
}

/** Close open menus when the person presses elsewhere. */
export const watchMenus = () =>
  addEventListener("pointerdown", (e) => {
    for (const box of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
      if (!box.contains(e.target as Node)) box.open = false;
  });
