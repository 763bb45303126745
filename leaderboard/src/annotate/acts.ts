// What is done to a dialogue's annotations.
import { byId } from "../common/dom.ts";
import { t } from "../common/words.ts";
import { draw, work } from "../common/work/work.ts";
import { activate } from "./fields.ts";
import { amend, blank, change, chosen, current, settled } from "./rows.ts";
import { data, state } from "./state.ts";
import type { Knowledge, Reason } from "./types.ts";

export function add() {
  change((row) => {
    row.nothing = false;
    row.annotations.push({ ...blank(), annotator: work.annotator });
  });
  state.of = current().annotations.length - 1;
  activate("dimension");
}

/** An inspector returns what is wrong; only what the inspector has added can be removed. */
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
    amend({ proposed: false, annotator: work.annotator });
    showNext((x) => x.proposed);
  } else if (k && data.inspect) {
    const on = !settled(k);
    judge({ verdict: "accepted" });
    if (on) showNext((x) => !settled(x));
  }
}

/** An inspector's verdict. */
function judge(verdict: Partial<Knowledge>) {
  amend({ ...verdict, inspector: work.annotator });
  show(state.of);
}

export function giveBack() {
  const k = chosen();
  if (!data.inspect || !k || k.proposed) return;
  Object.assign(state, { returning: true, field: "" });
  draw();
}

export function giveBackFor(reason: Reason) {
  judge({ verdict: "returned", reason });
  byId("in-note")?.focus();
}

export function nothing() {
  if (current().annotations.length) work.said = t("notNothing");
  else
    change((row) => {
      row.nothing = !row.nothing;
    });
  draw();
}

/** Choose an annotation of the dialogue. */
export function show(of: number) {
  Object.assign(state, { of, field: "", returning: false });
  draw();
}

/** The first annotation of which something holds; the same one if there is none. */
function showNext(holds: (k: Knowledge) => boolean) {
  const next = current().annotations.findIndex(holds);
  show(next < 0 ? state.of : next);
}

/** The annotation so many after the chosen one, and round. */
export function showBeside(by: number) {
  const count = current().annotations.length;
  if (count) show((state.of + by + count) % count);
}
