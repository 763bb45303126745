// Controls of sections: each shows one choice of the state and changes it.
import { checkbox, h, labelledSelect, withFocusKey } from "../common/dom.ts";
import { choose } from "./actions.ts";
import { type ChoiceOf, state } from "./state.ts";

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A labelled select for a choice. `value`: the shown value; it differs from the chosen one if `values` lacks the chosen one. */
export const picker = <V extends string | number>(
  name: ChoiceOf<V>,
  label: string,
  values: readonly (V | [string, V[]])[],
  value: V,
  words?: (value: V) => string,
) =>
  withFocusKey(
    dashed(name),
    labelledSelect(label, values, value, (picked) => choose(name, picked), words),
  );

let typing: ReturnType<typeof setTimeout> | undefined;

/** A search field that calls `search` when the person pauses, but not while an input method composes a word: a redraw would cancel
 *  the word. */
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
  withFocusKey(
    dashed(name),
    checkbox(label, state[name], (on) => choose(name, on)),
  );
