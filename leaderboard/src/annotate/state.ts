// The page's data, and what of a dialogue a person is at.
import type { Field, PageData, Span } from "./types.ts";

export let data: PageData;
export function load(content: PageData) {
  data = content;
}

/** The state of a person who has just come to a dialogue. */
export const arrival = {
  of: -1, // place of the chosen annotation
  field: "" as Field | "", // the one that keys and picked spans go to
  turn: 0, // of the dialogue, which keys go to
  cursor: null as Span | null, // what keys have selected in it
  returning: false, // an inspector is asked for the reason
};
export const state = { ...arrival };
