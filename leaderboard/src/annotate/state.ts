// The page's data, and the state of work on the dialogue on screen.
import type { Field, PageData, Span } from "./types.ts";

export let data: PageData;
export function load(content: PageData) {
  data = content;
}

/** The state when a dialogue has just been opened. */
export const firstState = {
  of: -1, // index of the chosen annotation; -1: none
  field: "" as Field | "", // the active field, which takes keys and selected spans
  turn: 0, // index of the turn that takes keys
  cursor: null as Span | null, // the selection in that turn, made by keys
  returning: false, // the page asks an inspector for the reason of a return
};
export const state = { ...firstState };
