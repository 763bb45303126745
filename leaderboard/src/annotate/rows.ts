// The dialogues and what has been annotated of them: a row each, as a line of the exported file has it. Kept in this browser
// under the dialogues' hash and the annotator's name.
import { Undo } from "../common/annotator/undo.ts";
import { keep, keptWork, work } from "../common/annotator/work.ts";
import { problems } from "./rules.ts";
import { data, state } from "./state.ts";
import type { Knowledge, Line, Problem, Row } from "./types.ts";

export let rows: Row[] = [];

export const undo = new Undo<Row>((at, before) => {
  rows[at] = before;
  state.of = Math.min(state.of, before.annotations.length - 1);
  keepRow(at);
});

export const current = () => rows[work.at];

export const chosen = (): Knowledge | undefined => current().annotations[state.of];

export const blank = (): Knowledge => ({
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

/** A row as the file may have it, with all that it may leave out. */
export const whole = ({ id, set, topic = "", dialogue, annotations, annotator = "", nothing = false }: Line): Row => ({
  id,
  set,
  topic,
  dialogue,
  annotations: annotations.map((k) => ({ ...blank(), ...k, evidence: [...(k.evidence ?? [])] })),
  annotator,
  nothing,
});

// Fields that a line may leave out.
const SPARE = "topic nothing evidence annotator proposer proposed verdict reason note inspector".split(" ");

/** A row without what says nothing, as a line. */
export const line = (row: Row) =>
  JSON.stringify(row, (name, value) =>
    SPARE.includes(name) && (!value || value.length === 0) ? undefined : (value as unknown),
  );

export const touched = (row: Row) => row.nothing || row.annotations.length > 0;

const checked = new WeakMap<Row, Problem[]>(); // until the row is changed

export function wrongsOf(row: Row) {
  const found = checked.get(row) ?? problems(row);
  checked.set(row, found);
  return found;
}

export const toMend = () => rows.reduce((sum, row) => sum + (touched(row) ? wrongsOf(row).length : 0), 0);

export const returned = (k: Knowledge) => k.verdict === "returned";

/** Whether an inspector has nothing left to say: what its annotator revised since is to be seen again. */
export const settled = (k: Knowledge) =>
  returned(k) || k.verdict === "accepted" || (k.verdict === "revised" && k.inspector !== "");

export const done = (row: Row) =>
  data.inspect
    ? row.annotations.every(settled)
    : touched(row) && !wrongsOf(row).length && !row.annotations.some(returned);

/** A row by itself: a browser gives a page some five million characters, and writing all rows at every letter takes long. */
function keepRow(at: number) {
  const { annotations, nothing, annotator } = rows[at];
  keep({ annotations, nothing, annotator }, String(at));
}

export function takeUpRows() {
  rows = data.dialogues.map((row, at) => {
    const before = keptWork<Pick<Row, "annotations" | "nothing" | "annotator"> | null>(null, String(at));
    return whole({ ...row, ...(before?.annotator || data.inspect ? before : {}) }); // a page made anew has new proposals for the rest
  });
}

/** Change the row on screen so that it can be taken back; `action` gets the row. Changes that follow one another under one
 *  `name` are taken back together. */
export function change(action: (row: Row) => void, name = "") {
  const row = current();
  undo.note(work.at, structuredClone(row), name);
  work.said = "";
  action(row);
  if (!data.inspect) row.annotator = work.annotator;
  checked.delete(row);
  keepRow(work.at);
}

/** Change the chosen annotation. */
export function amend(values: Partial<Knowledge>, name = "") {
  change((row) => Object.assign(row.annotations[state.of], values), name);
}

/** The same by an edit: whoever edits a proposal has accepted it, and what had a verdict is revised. Letters that are typed
 *  into a field one after the other are one change. */
export function edit(values: Partial<Knowledge>, typed = "") {
  const k = chosen();
  const by: Partial<Knowledge> = data.inspect
    ? { verdict: "revised", inspector: work.annotator }
    : { annotator: work.annotator, ...(k?.verdict && { verdict: "revised", inspector: "" }) };
  amend({ ...values, ...by, proposed: false }, typed && `${work.at} ${state.of} ${typed}`);
}

/** Take imported lines in place of the rows of their dialogues; how many were taken. */
export function takeLines(lines: unknown[]) {
  const taken = lines.filter((line) => {
    const row = line as Line | null;
    const at = rows.findIndex((x) => x.id === row?.id && JSON.stringify(x.dialogue) === JSON.stringify(row.dialogue));
    if (at < 0 || !fits(row as Line)) return false;
    rows[at] = whole({ ...(row as Line), set: rows[at].set });
    if (!data.inspect) rows[at].annotator ||= work.annotator;
    keepRow(at);
    return true;
  });
  return taken.length;
}

const among = (values: string[], x = "") => x === "" || values.includes(x);

/** Whether a line has the form of one; what it says is shown with its problems. */
export function fits(row: Line) {
  const kinds: Record<string, unknown> = { ...blank() };
  const like = (x: unknown, kind: unknown) =>
    Array.isArray(kind) ? Array.isArray(x) && x.every((y) => typeof y === "string") : typeof x === typeof kind;
  const right = (k: Knowledge) =>
    typeof k === "object" &&
    k !== null &&
    among(data.reasons, k.reason) &&
    among(["accepted", "returned", "revised"], k.verdict) &&
    Object.entries(k).every(([name, value]) => name in kinds && like(value, kinds[name]));
  return (
    Array.isArray(row.annotations) &&
    like(row.topic ?? "", "") &&
    like(row.annotator ?? "", "") &&
    like(row.nothing ?? false, false) &&
    (row.annotations as Knowledge[]).every(right)
  );
}
