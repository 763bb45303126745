// The dialogues and what has been annotated of them: a row each, as a line of the exported file has it. Kept in this browser
// under the dialogues' hash and the annotator's name.
import { h } from "../common/dom.ts";
import { recalled } from "../common/kept.ts";
import { store } from "../common/storage.ts";
import { problems } from "./rules.ts";
import { data, state } from "./state.ts";

export let rows = [];

export const undoable = []; // [place of the row, what it was, what was changed]

const shelf = () => `annotate.${data.hash}.${state.annotator}`;

export const current = () => rows[state.at];

export const chosen = () => current().annotations[state.of];

export const FIELDS = [
  "dimension",
  "instance",
  "domain",
  "slot",
  "value",
  "evidence",
  "phrase",
  "conflict1",
  "conflict2",
];

/** A row as the file may have it, with all that it may leave out. */
const whole = (row) => ({
  topic: "",
  nothing: false,
  annotator: "",
  ...row,
  annotations: row.annotations.map((k) => ({ ...blank(), ...k, evidence: [...(k.evidence ?? [])] })),
});

export const blank = () => ({
  dimension: "",
  instance: "",
  domain: "",
  slot: "",
  value: "",
  evidence: [],
  phrase: "",
  conflict1: "",
  conflict2: "",
  annotator: "",
  proposer: "",
  proposed: false,
  verdict: "",
  reason: "",
  note: "",
  inspector: "",
});

/** The same without what says nothing, as a line. */
function line(row) {
  const spare = (x, names) =>
    Object.fromEntries(
      Object.entries(x).filter(([name, value]) => !(names.includes(name) && (!value || value.length === 0))),
    );
  const { id, set, topic, dialogue, annotations, annotator, nothing } = row;
  return JSON.stringify(
    spare(
      {
        id,
        set,
        topic,
        dialogue,
        annotations: annotations.map((k) =>
          spare(k, ["evidence", "annotator", "proposer", "proposed", "verdict", "reason", "note", "inspector"]),
        ),
        annotator,
        nothing,
      },
      ["topic", "annotator", "nothing"],
    ),
  );
}

export const touched = (row) => row.nothing || row.annotations.length > 0;

const checked = new WeakMap(); // row -> its problems, until it is changed

export const wrongsOf = (row) => checked.get(row) ?? checked.set(row, problems(row)).get(row);

export const returned = (k) => k.verdict === "returned";

/** Whether an inspector has nothing left to say: what its annotator revised since is to be seen again. */
export const settled = (k) => returned(k) || k.verdict === "accepted" || (k.verdict === "revised" && k.inspector);

export const done = (row) =>
  data.inspect
    ? row.annotations.every(settled)
    : touched(row) && !wrongsOf(row).length && !row.annotations.some(returned);

/** A row by itself: a browser gives a page some five million characters, and writing all rows at every letter takes long. */
function keep(at = state.at) {
  const { annotations, nothing, annotator } = rows[at],
    text = JSON.stringify({ annotations, nothing, annotator });
  store.set(`${shelf()}.${at}`, text);
  state.keeps = store.get(`${shelf()}.${at}`) === text;
}

export const keepPlace = () =>
  store.set(`annotate.${data.hash}`, JSON.stringify({ annotator: state.annotator, at: state.at }));

export function takeUp(annotator) {
  state.annotator = annotator;
  undoable.length = 0;
  rows = data.dialogues.map((row, at) => {
    const before = recalled(`${shelf()}.${at}`, null);
    return { ...whole(row), ...(before?.annotator || (data.inspect && before) ? before : {}) }; // a page made anew has new proposals for the rest
  });
}

/** Change the row on screen so that it can be taken back; `action` gets the row. Changes that follow one another under one
 *  `name`, as letters typed into a field do, are taken back together. */
export function change(action, name = "") {
  const row = current();
  if (!name || undoable.at(-1)?.[2] !== name) undoable.push([state.at, structuredClone(row), name]);
  if (undoable.length > 200) undoable.shift();
  action(row);
  if (!data.inspect) row.annotator = state.annotator;
  checked.delete(row);
  keep();
}

/** What an edit says beside the field: whoever edits a proposal has accepted it, and what had a verdict is revised. */
export const byHand = (k) =>
  data.inspect
    ? { proposed: false, verdict: "revised", inspector: state.annotator }
    : { proposed: false, annotator: state.annotator, ...(k.verdict && { verdict: "revised", inspector: "" }) };

export function edit(field, value) {
  change(() => Object.assign(chosen(), { [field]: value }, byHand(chosen())), `${state.at} ${state.of} ${field}`);
}

/** Take the last change back; whether there was one. */
export function undo() {
  const last = undoable.pop();
  if (!last) return false;
  [state.at] = last;
  rows[state.at] = last[1];
  state.of = Math.min(state.of, current().annotations.length - 1);
  keep();
  return true;
}

export function exportRows() {
  const url = URL.createObjectURL(
    new Blob(
      rows.filter(touched).map((row) => `${line(row)}\n`),
      { type: "application/jsonl" },
    ),
  );
  const name = state.annotator.replace(/[^\p{L}\p{N}_-]+/gu, "-");
  h("a", { href: url, download: `${data.name}.${name}.jsonl` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Take lines of an exported file in place of what is here: [how many, how many were left out]. */
export function importRows(text) {
  let taken = 0,
    left = 0;
  for (const each of text.split("\n").filter((x) => x.trim())) {
    let row;
    try {
      row = JSON.parse(each);
    } catch {
      row = null;
    }
    const at = rows.findIndex((x) => x.id === row?.id && JSON.stringify(x.dialogue) === JSON.stringify(row.dialogue));
    if (at < 0 || !fits(row)) {
      left++;
      continue;
    }
    rows[at] = whole({ ...row, set: rows[at].set, annotator: row.annotator || (data.inspect ? "" : state.annotator) });
    keep(at);
    taken++;
  }
  undoable.length = 0;
  state.of = -1;
  return [taken, left];
}

/** Whether a line has the form of one; what it says is shown with its problems. */
function fits(row) {
  const kinds = blank();
  const right = (x, like) =>
    Array.isArray(like) ? Array.isArray(x) && x.every((y) => typeof y === "string") : typeof x === typeof like;
  return (
    Array.isArray(row.annotations) &&
    ["topic", "annotator"].every((x) => right(row[x] ?? "", "")) &&
    right(row.nothing ?? false, false) &&
    row.annotations.every(
      (k) =>
        k &&
        typeof k === "object" &&
        ["", ...data.reasons].includes(k.reason ?? "") &&
        ["", "accepted", "returned", "revised"].includes(k.verdict ?? "") &&
        Object.entries(k).every(([name, value]) => name in kinds && right(value, kinds[name])),
    )
  );
}
