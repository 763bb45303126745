// The annotator's marks of outputs, or their answers on a page that asks people. The browser stores them under the sample's hash
// and the annotator's name. They are exported and imported as JSONL, one line for each entry in the order of marking: marks as
// `evalsuite audit read` reads them, answers as a file of replies.
import { Undo } from "../common/annotator/undo.ts";
import { storedWork, storeWork, work } from "../common/annotator/work.ts";
import { asksSeveral, data, isListed, isOutput, isQuestion, kindOf, othersOf, scales, settings } from "./state.ts";
import type { Entry, Mark, Output, Question } from "./types.ts";

const marks = new Map<string, Mark>(); // an entry's id -> its mark

export const markOf = (entry: Entry): Mark => marks.get(entry.id) ?? {};

const storeMarks = () => storeWork([...marks]);

/** Set or remove an entry's mark. A mark that is set moves to the end: the export has the order of marking. */
function put(id: string, mark?: Mark) {
  marks.delete(id);
  if (mark) marks.set(id, mark);
}

export const undo = new Undo<Mark | undefined>((at, before) => {
  put(data.outputs[at].id, before);
  storeMarks();
});

export function loadMarks() {
  marks.clear();
  for (const [id, mark] of storedWork<[string, Mark][]>([])) marks.set(id, mark);
}

/** Whether an entry has every mark that the page asks for. */
export function complete(entry: Entry) {
  const mark = markOf(entry);
  if (isListed(entry)) return mark.said !== undefined;
  if (isQuestion(entry)) return Boolean(mark.text);
  return mark.right !== undefined && (kindOf(entry) === "span" || scales().every((x) => mark[x.name] !== undefined));
}

/** Whether to show the right answer. A person compares a free text with it to rate the text, so it appears once the text is
 *  marked as right or wrong. In all other cases it appears after the last mark, if the settings allow it. */
export const referenceShown = (entry: Entry) =>
  isOutput(entry) &&
  ((kindOf(entry) === "text" && markOf(entry).right !== undefined) || (settings.show && complete(entry)));

/** Change an entry's mark. `typed` names a field: one undo takes back all letters that are typed into it one after the other. */
export function setMark(entry: Entry, change: Mark, typed = "") {
  const old = marks.get(entry.id);
  if (old && Object.entries(change).every(([name, value]) => old[name] === value)) return;
  const judged = "said" in change || "right" in change,
    blind = (old?.blind ?? true) && !(judged && referenceShown(entry));
  undo.note(data.outputs.indexOf(entry), old, typed && `${typed} ${entry.id}`);
  put(entry.id, { ...old, ...change, blind });
  work.message = "";
  storeMarks();
}

/** A person's answer in the form of a model's reply. */
function replyOf(entry: Question, { said = [], text = "" }: Mark) {
  const labels = [said].flat();
  return isListed(entry) ? labels.map((x) => entry.replies[entry.labels.indexOf(x)]).join(", ") : text;
}

/** The lines of the export, in the order of marking. */
export function linesOf() {
  const entries = new Map(data.outputs.map((x) => [x.id, x]));
  const marked = [...marks.keys()].flatMap((id) => entries.get(id) ?? []);
  return marked.filter((x) => isOutput(x) || complete(x)).map((x) => JSON.stringify(lineOf(x)));
}

const lineOf = (entry: Entry) =>
  isQuestion(entry)
    ? { item: entry.id, text: replyOf(entry, markOf(entry)), perturb: "none" }
    : { sample: data.sample, output: entry.id, annotator: work.annotator, ...markOf(entry) };

type Line = Record<string, unknown>;

/** Take the marks of imported lines. Returns the number of marks taken. */
export function importLines(lines: unknown[]) {
  const entries = new Map<unknown, Entry>(data.outputs.map((x) => [x.id, x]));
  const taken = lines.filter((each) => {
    const line = (each ?? {}) as Line,
      entry = entries.get(data.answering ? line.item : line.output),
      mark = entry && readLine(line, entry);
    if (mark) put(entry.id, mark);
    return mark;
  });
  storeMarks();
  return taken.length;
}

/** The mark in an imported line; null if no annotator could have made it on this page. */
export function readLine(line: Line, entry: Entry): Mark | null {
  if (isQuestion(entry)) return readAnswer(line, entry);
  return line.sample === data.sample && line.annotator === work.annotator ? readMark(line, entry) : null;
}

function readAnswer({ text }: Line, entry: Question): Mark | null {
  if (typeof text !== "string" || !text.trim()) return null;
  if (!isListed(entry)) return { text };
  const several = asksSeveral(entry),
    said = (several ? text.split(", ") : [text]).map((x) => entry.labels[entry.replies.indexOf(x)]);
  if (said.includes(undefined as never)) return null;
  return { said: several ? said : said[0] };
}

function readMark(line: Line, entry: Output): Mark | null {
  const { said, right, note } = line;
  const mark: Mark = { blind: line.blind !== false };
  if (typeof note === "string" && note) mark.note = note;
  // A line may have a note alone: the output was not marked. A mark that is here stays.
  if (mark.note && said === undefined && right === undefined) return { ...mark, ...markOf(entry) };
  if (isListed(entry)) return canSay(entry, said) ? { said, ...mark } : null;
  if (typeof right !== "boolean") return null;
  const scored = kindOf(entry) === "text" ? scales().filter((x) => line[x.name] !== undefined) : [],
    fits = scored.every((x) => Number.isInteger(line[x.name]) && inside(line[x.name] as number, x.low, x.high));
  return fits ? { ...mark, right, ...Object.fromEntries(scored.map((x) => [x.name, line[x.name] as number])) } : null;
}

const inside = (value: number, low: number, high: number) => low <= value && value <= high;

function canSay(entry: Output, said: unknown): said is string | string[] {
  if (othersOf(entry).includes(said as string)) return true;
  if (!asksSeveral(entry)) return entry.labels.includes(said as string);
  return Array.isArray(said) && said.length > 0 && said.every((x) => entry.labels.includes(x));
}
