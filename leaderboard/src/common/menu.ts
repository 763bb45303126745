// A menu that opens below its label.
import { h, type Kid, type Props } from "./dom.ts";

type At<E> = E & { currentTarget: HTMLDetailsElement };

/** A menu that opens below its label. Escape, a click elsewhere or moving the focus elsewhere closes it. */
export function menu(label: string, words: string, kids: Kid, props: Props<HTMLDetailsElement> = {}) {
  const onfocusout = ({ currentTarget: box, relatedTarget }: At<FocusEvent>) => {
    if (relatedTarget && !box.contains(relatedTarget as Node)) box.open = false;
  };
  const onkeydown = (e: At<KeyboardEvent>) => {
    const box = e.currentTarget;
    if (e.key !== "Escape" || !box.open) return;
    e.stopPropagation();
    box.open = false;
    box.querySelector("summary")?.focus();
  };
  return h(
    "details",
    { class: "menu unsaved", onfocusout, onkeydown, ...props },
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
