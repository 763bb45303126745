// Controls of sections: each shows one choice of the state and changes it.
import { check, choice, h, kept } from "../common/dom.ts";
import { choose } from "./actions.ts";
import { type ChoiceOf, state } from "./state.ts";

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A labelled select for a choice. `value`: the shown value, which differs from the chosen one if that is not offered. */
export const picker = <V extends string | number>(
  name: ChoiceOf<V>,
  label: string,
  values: readonly (V | [string, V[]])[],
  value: V,
  words?: (value: V) => string,
) =>
  kept(
    dashed(name),
    choice(label, values, value, (picked) => choose(name, picked), words),
  );

let typing: ReturnType<typeof setTimeout> | undefined;

/** A search field, which calls `search` when the person pauses. While an input method composes a word it waits: a redraw would cancel the
 *  word. */
export function searchField(id: string, words: string, value: string, search: (text: string) => void) {
  const typed = (event: Event & { currentTarget: HTMLInputElement }) => {
    const { currentTarget: box } = event;
    clearTimeout(typing);
    if ("isComposing" in event && event.isComposing) return;
    typing = setTimeout(() => search(box.value), 150);
  };
  const labels = { placeholder: words, "aria-label": words };
  return h("input", { type: "search", id, value, ...labels, oninput: typed, oncompositionend: typed });
}

/** A checkbox for a choice. */
export const tick = (name: ChoiceOf<boolean>, label: string) =>
  kept(
    dashed(name),
    check(label, state[name], (on) => choose(name, on)),
  );
