// Actions of the annotator: on the fields of an annotation, then on whole annotations.

import { draw, work } from "../common/annotator/work.ts";
import { $, byId } from "../common/dom.ts";
import { t } from "../common/words.ts";
import { blank, change, changeChosen, chosen, current, edit, isInspected } from "./rows.ts";
import { isMenu, MENUS, type Menu } from "./rules.ts";
import { data, state } from "./state.ts";
import type { Field, Knowledge, MenuEntry, Reason } from "./types.ts";

/** The fields in the order in which they are filled in, each with its key on the keyboard. */
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

/** Make a field the active one: it takes keys and selected spans. */
export function activate(field: Field) {
  state.field = field;
  draw();
  if (isMenu(field)) $(`step-${field}`).focus();
  else if (field === "evidence" || field === "phrase") $(`turn-${state.turn}`).focus();
  else $(`in-${field}`).focus();
}

export function activateNext(field: Field) {
  const next = FIELDS[FIELDS.indexOf(field) + 1];
  if (next) {
    activate(next);
    return;
  }
  state.field = "";
  draw();
  $("add").focus();
}

/** Choose an entry of a menu. In the menus below, a choice that is no longer offered is replaced by the menu's only entry, or is
 *  dropped if the menu has several. */
export function pick(field: Menu, entry: MenuEntry) {
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

/** Write a selected span of the dialogue into the active field. */
export function fillField(text: string) {
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
    activateNext(field);
  }
  getSelection()?.removeAllRanges();
}

export function add() {
  change((row) => {
    row.nothing = false;
    row.annotations.push({ ...blank(), annotator: work.annotator });
  });
  state.of = current().annotations.length - 1;
  activate("dimension");
}

/** Whether the annotation may be removed. An inspector removes proposals and their own annotations, and returns all others. */
export const mayRemove = (k: Knowledge) => !data.inspect || k.proposed || k.annotator === work.annotator;

export function remove() {
  const k = chosen();
  if (!k || !mayRemove(k)) return;
  change((row) => row.annotations.splice(state.of, 1));
  show(Math.min(state.of, current().annotations.length - 1));
}

export function accept() {
  const k = chosen();
  if (k?.proposed) {
    changeChosen({ proposed: false, annotator: work.annotator });
    showNext((x) => x.proposed);
  } else if (k && data.inspect) {
    const on = !isInspected(k);
    judge({ verdict: "accepted" });
    if (on) showNext((x) => !isInspected(x));
  }
}

/** Set an inspector's verdict on the chosen annotation. */
function judge(verdict: Partial<Knowledge>) {
  changeChosen({ ...verdict, inspector: work.annotator });
  show(state.of);
}

export function startReturn() {
  const k = chosen();
  if (!data.inspect || !k || k.proposed) return;
  Object.assign(state, { returning: true, field: "" });
  draw();
}

export function returnFor(reason: Reason) {
  judge({ verdict: "returned", reason });
  byId("in-note")?.focus();
}

export function markNothing() {
  if (current().annotations.length) work.message = t("notNothing");
  else
    change((row) => {
      row.nothing = !row.nothing;
    });
  draw();
}

/** Choose an annotation of the dialogue, by its index. */
export function show(of: number) {
  Object.assign(state, { of, field: "", returning: false });
  draw();
}

/** Choose the first annotation for which `holds` is true; keep the choice if there is none. */
function showNext(holds: (k: Knowledge) => boolean) {
  const next = current().annotations.findIndex(holds);
  show(next < 0 ? state.of : next);
}

/** Choose the annotation `by` positions after the chosen one; the first follows the last. */
export function showBeside(by: number) {
  const count = current().annotations.length;
  if (count) show((state.of + by + count) % count);
}
