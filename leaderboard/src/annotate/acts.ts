// What is done to a dialogue, and moving among them.
import { byId } from "../common/dom.ts";
import { t } from "../common/words.ts";
import { activate } from "./fields.ts";
import { blank, change, chosen, current, done, keepPlace, rows, settled, undo } from "./rows.ts";
import { data, draw, state } from "./state.ts";

export function add() {
  change((row) => {
    row.nothing = false;
    row.annotations.push({ ...blank(), annotator: state.annotator });
  });
  state.of = current().annotations.length - 1;
  activate("dimension");
}

/** An inspector returns what is wrong; only what the inspector has added can be removed. */
export const mayRemove = (k) => !data.inspect || k.proposed || k.annotator === state.annotator;

export function remove() {
  if (!chosen() || !mayRemove(chosen())) return;
  change((row) => row.annotations.splice(state.of, 1));
  state.of = Math.min(state.of, current().annotations.length - 1);
  state.field = "";
  draw();
}

export function accept() {
  if (data.inspect && chosen() && !chosen().proposed) {
    judge({ verdict: "accepted" });
    return;
  }
  if (!chosen()?.proposed) return;
  change(() => Object.assign(chosen(), { proposed: false, annotator: state.annotator }));
  const next = current().annotations.findIndex((x) => x.proposed);
  if (next >= 0) state.of = next;
  draw();
}

/** An inspector's verdict; then the dialogue's next annotation that has none. */
function judge(verdict) {
  const before = settled(chosen());
  change(() => Object.assign(chosen(), verdict, { inspector: state.annotator }));
  const next = current().annotations.findIndex((k) => !settled(k));
  if (!before && next >= 0 && verdict.verdict === "accepted") state.of = next;
  Object.assign(state, { returning: false, field: "" });
  draw();
}

export function giveBack() {
  if (!data.inspect || !chosen() || chosen().proposed) return;
  Object.assign(state, { returning: true, field: "" });
  draw();
}

export function giveBackFor(reason) {
  judge({ verdict: "returned", reason });
  byId("in-note")?.focus();
}

export function nothing() {
  if (current().annotations.length) {
    state.said = t("notNothing");
    draw();
    return;
  }
  change((row) => {
    row.nothing = !row.nothing;
  });
  draw();
}

export function takeBack() {
  state.said = t(undo() ? "undone" : "nothingToUndo");
  draw();
}

export function moveTo(at) {
  state.at = Math.max(0, Math.min(rows.length - 1, at));
  Object.assign(state, {
    of: current().annotations.length ? 0 : -1,
    field: "",
    turn: 0,
    cursor: null,
    said: "",
    returning: false,
  });
  keepPlace();
  draw();
  scrollTo(0, 0);
}

export function nextOpen() {
  const open = rows
    .map((_row, i) => [(i - state.at - 1 + rows.length) % rows.length, i])
    .filter(([, i]) => !done(rows[i]))
    .sort((a, b) => a[0] - b[0])[0];
  if (open) moveTo(open[1]);
}

export function show(of) {
  const count = current().annotations.length;
  if (count) Object.assign(state, { of: (of + count) % count, field: "", returning: false });
  draw();
}
