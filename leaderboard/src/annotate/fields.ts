// The fields of an annotation: which one is at work, and what is picked for it.
import { $, byId } from "../common/dom.ts";
import { draw } from "../common/work/work.ts";
import { chosen, edit } from "./rows.ts";
import { isMenu, MENUS, type Menu } from "./rules.ts";
import { state } from "./state.ts";
import type { Entry, Field } from "./types.ts";

/** The fields in the order of work, and their keys. */
export const KEYS: Record<Field, string> = {
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
export const FIELDS = Object.keys(KEYS) as Field[];

/** Make a field the one that keys and picked spans go to. */
export function activate(field: Field) {
  state.field = field;
  draw();
  if (isMenu(field)) $(`step-${field}`).focus();
  else if (field === "evidence" || field === "phrase") $(`turn-${state.turn}`).focus();
  else $(`in-${field}`).focus();
}

export function follow(field: Field) {
  const next = FIELDS[FIELDS.indexOf(field) + 1];
  if (next) {
    activate(next);
    return;
  }
  state.field = "";
  draw();
  $("add").focus();
}

/** An entry of a menu. What was chosen below it stays only if it is there, too; where there is one only, that is chosen. */
export function pick(field: Menu, entry: Entry) {
  const before = chosen();
  if (!before) return;
  const k = { ...before, [field]: entry.zh };
  for (const below of ["domain", "slot"] as const) {
    const known = MENUS[below](k).map((x) => x.zh);
    if (!known.includes(k[below])) k[below] = known.length === 1 ? known[0] : "";
  }
  edit({ [field]: k[field], domain: k.domain, slot: k.slot });
  const later = FIELDS.slice(FIELDS.indexOf(field) + 1);
  activate(later.find((x) => !isMenu(x) || !k[x]) ?? "value");
}

/** A span of the dialogue goes to the field at work. */
export function take(text: string) {
  const { field } = state,
    k = chosen();
  if (!k || !text) return;
  state.cursor = null;
  if (field === "evidence") {
    if (!k.evidence.includes(text)) edit({ evidence: [...k.evidence, text] });
    draw();
    byId(`turn-${state.turn}`)?.focus();
  } else if (field === "instance" || field === "value" || field === "phrase") {
    edit({ [field]: text });
    follow(field);
  }
  getSelection()?.removeAllRanges();
}
