// Controls of sections: each shows one choice of the state and changes it.
import { check, choice, kept } from "../common/dom.ts";
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

/** A box to tick for a choice. */
export const tick = (name: ChoiceOf<boolean>, label: string) =>
  kept(
    dashed(name),
    check(label, state[name], (on) => choose(name, on)),
  );
