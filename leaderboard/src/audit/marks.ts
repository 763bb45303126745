// What has been marked, or on a page with `data.answering` answered. Kept in this browser under the sample's hash and the
// annotator's name; exported and imported as JSONL, a line an output in the order of marking, with the fields that
// `evalsuite audit read` reads, or those of a file of replies.
import { h } from "../common/dom.ts";
import { recalled } from "../common/kept.ts";
import { store } from "../common/storage.ts";
import { data, state, taskOf } from "./state.ts";

export const marks = new Map(); // output's id -> { said, right, <scales>, note, blind }, or { said } or { text } of an answer

export const undoable = []; // [output's id, the mark it had before]

const shelf = () => `audit.${data.sample}.${state.annotator}`;

export const kindOf = (output) => taskOf(output.task).kind;

export const scales = () => data.rubric.scales;

export const NO_OPTION = ["none", "several", "refused"];

export const isListed = (output) => output.labels.length > 0;

export const asksSeveral = (output) => kindOf(output) === "choices"; // all right options are asked for: what is said is a list of labels

export const bare = (label) => label.replace(/^[(（]|[)）]$/g, "");

/** The reply that an answer makes, as a model would write it; "" if there is none. */
const replyOf = (output, mark) =>
  isListed(output)
    ? (mark.said === undefined ? [] : [mark.said].flat())
        .map((label) => output.replies[output.labels.indexOf(label)])
        .join(", ")
    : (mark.text ?? "");

/** Whether all that is asked of an output is marked. */
export function complete(output) {
  const mark = marks.get(output.id) ?? {};
  if (isListed(output)) return mark.said !== undefined;
  if (data.answering) return Boolean(mark.text);
  return mark.right !== undefined && (kindOf(output) === "span" || scales().every((x) => mark[x.name] !== undefined));
}

/** Whether the right answer is on screen: scores are by the reference, so it shows once right or wrong is said. */
export const referenceShown = (output) =>
  !data.answering &&
  ((kindOf(output) === "text" && marks.get(output.id)?.right !== undefined) || (state.show && complete(output)));

export function keep() {
  store.set(shelf(), JSON.stringify([...marks]));
  store.set(`audit.${data.sample}`, JSON.stringify({ annotator: state.annotator, at: state.at, show: state.show }));
}

export function takeUp(annotator) {
  state.annotator = annotator;
  marks.clear();
  undoable.length = 0;
  for (const [id, mark] of recalled(shelf(), [])) marks.set(id, mark);
}

export function setMark(output, change) {
  const old = marks.get(output.id);
  if (old && Object.entries(change).every(([name, value]) => old[name] === value)) return;
  const judged = "said" in change || "right" in change;
  const blind = (old?.blind ?? true) && !(judged && referenceShown(output));
  undoable.push([output.id, old]);
  marks.delete(output.id); // so that it stands last
  marks.set(output.id, { ...old, ...change, blind });
  keep();
}

/** Take the last mark back; returns its output's id. */
export function undo() {
  const last = undoable.pop();
  if (!last) return null;
  marks.delete(last[0]);
  if (last[1]) marks.set(...last);
  keep();
  return last[0];
}

export function exportMarks() {
  const lineOf = data.answering
    ? (output) => complete(output) && { item: output.id, text: replyOf(output, marks.get(output.id)), perturb: "none" }
    : (output) => ({ sample: data.sample, output: output.id, annotator: state.annotator, ...marks.get(output.id) });
  const outputs = new Map(data.outputs.map((x) => [x.id, x]));
  const lines = [...marks.keys()]
    .map((id) => lineOf(outputs.get(id)))
    .filter(Boolean)
    .map((x) => `${JSON.stringify(x)}\n`);
  const url = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  const name = state.annotator.replace(/[^\p{L}\p{N}_-]+/gu, "-");
  h("a", { href: url, download: `${data.name}.${name}.jsonl` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Take marks from the text of an exported file: [how many, how many were left out]. */
export function importMarks(text) {
  const outputs = new Map(data.outputs.map((x) => [x.id, x]));
  let taken = 0,
    left = 0;
  for (const line of text.split("\n").filter((x) => x.trim())) {
    let row;
    try {
      row = JSON.parse(line);
    } catch {
      row = null;
    }
    const output = outputs.get(data.answering ? row?.item : row?.output);
    const mine = data.answering || (row?.sample === data.sample && row?.annotator === state.annotator);
    const mark = output && mine ? (data.answering ? answerOf : markOf)(row, output) : null;
    if (!mark) {
      left++;
      continue;
    }
    marks.delete(output.id);
    marks.set(output.id, mark);
    taken++;
  }
  undoable.length = 0;
  keep();
  return [taken, left];
}

/** The answer of an imported line of replies; null if it holds none that this page could have made. */
function answerOf(row, output) {
  if (typeof row.text !== "string" || !row.text.trim()) return null;
  if (!isListed(output)) return { text: row.text };
  const said = row.text.split(", ").map((x) => output.labels[output.replies.indexOf(x)]);
  return said.includes(undefined) || (said.length > 1 && !asksSeveral(output))
    ? null
    : { said: asksSeveral(output) ? said : said[0] };
}

/** The mark of an imported line; null if it holds none that this page could have made. */
function markOf(row, output) {
  const mark = { blind: row.blind !== false };
  if (typeof row.note === "string" && row.note) mark.note = row.note;
  const known = (said) => output.labels.includes(said),
    listed = Array.isArray(row.said) && row.said.length > 0 && row.said.every(known);
  if (isListed(output))
    return NO_OPTION.includes(row.said) || (asksSeveral(output) ? listed : known(row.said))
      ? { said: row.said, ...mark }
      : null;
  if (typeof row.right !== "boolean") return null;
  mark.right = row.right;
  if (kindOf(output) === "text")
    for (const x of scales()) {
      const score = row[x.name];
      if (score === undefined) continue;
      if (!Number.isInteger(score) || score < x.low || score > x.high) return null;
      mark[x.name] = score;
    }
  return mark;
}
