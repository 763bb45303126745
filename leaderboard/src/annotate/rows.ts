// The dialogues with their annotations: a row each, in the form of a line of the exported file. The browser stores them under
// the dialogues' hash and the annotator's name.
import { Undo } from "../common/annotator/undo.ts";
import { storedWork, storeWork, work } from "../common/annotator/work.ts";
import { problems } from "./rules.ts";
import { data, state } from "./state.ts";
import type { Knowledge, Line, Problem, Row } from "./types.ts";

export let rows: Row[] = [];

export const undo = new Undo<Row>((at, before) => {
  rows[at] = before;
  state.of = Math.min(state.of, before.annotations.length - 1);
  storeRow(at);
});

export const current = () => rows[work.at];

export const chosen = (): Knowledge | undefined => current().annotations[state.of];

export const blank = (): Knowledge => ({
  dimension: "",
  instance: "",
  domain: "",
  slot: "",
  value: "",
  alternatives: [],
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

/** A row from a line of a file, with defaults for the fields that the line leaves out. */
export const rowOf = ({ id, set, topic = "", dialogue, annotations, annotator = "", nothing = false }: Line): Row => ({
  id,
  set,
  topic,
  dialogue,
  annotations: annotations.map((k) => ({
    ...blank(),
    ...k,
    alternatives: k.alternatives ?? [],
    evidence: [...(k.evidence ?? [])],
  })),
  annotator,
  nothing,
});

// The fields that a line may leave out.
const OPTIONAL_FIELDS =
  "topic nothing alternatives evidence annotator proposer proposed verdict reason note inspector".split(" ");

/** A line from a row, without the optional fields that are empty. */
export const lineOf = (row: Row) =>
  JSON.stringify(row, (name, value) =>
    OPTIONAL_FIELDS.includes(name) && (!value || value.length === 0) ? undefined : (value as unknown),
  );

export const isTouched = (row: Row) => row.nothing || row.annotations.length > 0;

const knownProblems = new WeakMap<Row, Problem[]>(); // the problems of a row, kept until the row is changed

export function problemsOf(row: Row) {
  const found = knownProblems.get(row) ?? problems(row);
  knownProblems.set(row, found);
  return found;
}

export const countErrors = () => rows.reduce((sum, row) => sum + (isTouched(row) ? problemsOf(row).length : 0), 0);

export const isReturned = (k: Knowledge) => k.verdict === "returned";

/** Whether an annotation needs no inspection: it has a verdict, and its annotator has not revised it since. */
export const isInspected = (k: Knowledge) =>
  isReturned(k) || k.verdict === "accepted" || (k.verdict === "revised" && k.inspector !== "");

export const isDone = (row: Row) =>
  data.inspect
    ? row.annotations.every(isInspected)
    : isTouched(row) && !problemsOf(row).length && !row.annotations.some(isReturned);

/** Store one row. Each row has its own key: writing all rows after every typed letter would take long. */
function storeRow(at: number) {
  const { annotations, nothing, annotator } = rows[at];
  storeWork({ annotations, nothing, annotator }, String(at));
}

export function loadRows() {
  rows = data.dialogues.map((row, at) => {
    const before = storedWork<Pick<Row, "annotations" | "nothing" | "annotator"> | null>(null, String(at));
    // A newer page may have other proposals: for rows that nobody has worked on, they replace the stored ones.
    return rowOf({ ...row, ...(before?.annotator || data.inspect ? before : {}) });
  });
}

/** Change the row on screen; `action` gets the row. Undo takes the change back, together with changes directly before it that
 *  have the same `name`. */
export function change(action: (row: Row) => void, name = "") {
  const row = current();
  undo.note(work.at, structuredClone(row), name);
  work.message = "";
  action(row);
  if (!data.inspect) row.annotator = work.annotator;
  knownProblems.delete(row);
  storeRow(work.at);
}

/** Change the chosen annotation. */
export function changeChosen(values: Partial<Knowledge>, name = "") {
  change((row) => Object.assign(row.annotations[state.of], values), name);
}

/** Edit the chosen annotation. This accepts a proposal; an inspector's edit sets the verdict "revised", and an annotator's does so
 *  if there is a verdict. `typed`: the field that is typed into; one undo takes back all letters typed one after the other. */
export function edit(values: Partial<Knowledge>, typed = "") {
  const k = chosen();
  const by: Partial<Knowledge> = data.inspect
    ? { verdict: "revised", inspector: work.annotator }
    : { annotator: work.annotator, ...(k?.verdict && { verdict: "revised", inspector: "" }) };
  changeChosen({ ...values, ...by, proposed: false }, typed && `${work.at} ${state.of} ${typed}`);
}

/** Replace rows by the imported lines of the same dialogues. Returns the number of replaced rows. */
export function importLines(lines: unknown[]) {
  const taken = lines.filter((line) => {
    const row = line as Line | null;
    const at = rows.findIndex((x) => x.id === row?.id && JSON.stringify(x.dialogue) === JSON.stringify(row.dialogue));
    if (at < 0 || !isLine(row as Line)) return false;
    rows[at] = rowOf({ ...(row as Line), set: rows[at].set });
    if (!data.inspect) rows[at].annotator ||= work.annotator;
    storeRow(at);
    return true;
  });
  return taken.length;
}

const isAllowed = (values: string[], x = "") => x === "" || values.includes(x);

/** Whether a value has the form of a line. Errors in its content are shown as problems instead. */
export function isLine(row: Line) {
  const kinds: Record<string, unknown> = { ...blank() };
  const like = (x: unknown, kind: unknown) =>
    Array.isArray(kind) ? Array.isArray(x) && x.every((y) => typeof y === "string") : typeof x === typeof kind;
  const right = (k: Knowledge) =>
    typeof k === "object" &&
    k !== null &&
    isAllowed(data.reasons, k.reason) &&
    isAllowed(["accepted", "returned", "revised"], k.verdict) &&
    Object.entries(k).every(([name, value]) => name in kinds && like(value, kinds[name]));
  return (
    Array.isArray(row.annotations) &&
    like(row.topic ?? "", "") &&
    like(row.annotator ?? "", "") &&
    like(row.nothing ?? false, false) &&
    (row.annotations as Knowledge[]).every(right)
  );
}
