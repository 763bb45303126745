// The fields of an annotation: which one is at work, and what is picked for it.
import { $, byId } from "../common/dom.ts";
import { byHand, change, chosen, edit, FIELDS } from "./rows.ts";
import { dimensions, domainsOf, slotsOf } from "./rules.ts";
import { draw, state } from "./state.ts";

export const MENUS = {
  dimension: () => dimensions(),
  domain: () => domainsOf(chosen()),
  slot: () => slotsOf(chosen()),
};

export const KEYS = {
  dimension: "d",
  instance: "i",
  domain: "o",
  slot: "s",
  value: "v",
  evidence: "e",
  phrase: "p",
  conflict1: "c",
  conflict2: "m",
};

/** Make a field the one that keys and picked spans go to. */
export function activate(field) {
  state.field = field;
  draw();
  if (field in MENUS) byId(`step-${field}`)?.focus();
  else if (field === "evidence" || field === "phrase")
    (document.querySelector(`[data-turn="${state.turn ?? 0}"]`) ?? $("turns")).focus();
  else byId(`in-${field}`)?.focus();
}

export const follow = (field) => {
  const next = FIELDS[FIELDS.indexOf(field) + 1];
  if (next) activate(next);
  else {
    state.field = "";
    draw();
    $("add").focus();
  }
};

/** An entry of a menu. Where there is one only below it, that is chosen, too. */
export function pick(field, entry) {
  const k = chosen();
  change(() => {
    Object.assign(k, { [field]: entry.zh }, byHand(k));
    for (const below of ["domain", "slot"]) {
      const known = MENUS[below]();
      if (!known.some((x) => x.zh === k[below])) k[below] = known.length === 1 ? known[0].zh : "";
    }
  });
  activate(FIELDS.slice(FIELDS.indexOf(field) + 1).find((x) => !["domain", "slot"].includes(x) || !k[x]));
}

/** A span of the dialogue goes to the field at work. */
export function take(text) {
  const field = state.field,
    k = chosen();
  if (!k || !text) return;
  if (field === "evidence") {
    if (!k.evidence.includes(text)) edit("evidence", [...k.evidence, text]);
    draw();
    document.querySelector(`[data-turn="${state.turn ?? 0}"]`)?.focus();
  } else if (["instance", "value", "phrase"].includes(field)) {
    edit(field, text);
    follow(field);
  }
  state.cursor = null;
  getSelection().removeAllRanges();
}
