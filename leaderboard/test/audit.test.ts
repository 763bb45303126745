import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { asked, keyFor, keysOf } from "../src/audit/keys.ts";
import {
  complete,
  importLines,
  linesOf,
  loadMarks,
  markOf,
  readLine,
  referenceShown,
  setMark,
  undo,
} from "../src/audit/marks.ts";
import { load, settings } from "../src/audit/state.ts";
import type { Entry, Mark, PageData, Scale } from "../src/audit/types.ts";
import { type Job, setJob, work } from "../src/common/annotator/work.ts";

const scale = (name: string, low: number, high: number): Scale => ({
  name,
  zh: name,
  en: name,
  low,
  high,
  criteria: [],
});
const entry = (id: string, task: string, labels: string[] = []): Entry => ({
  id,
  task,
  set: "hard",
  dialogue: [],
  question: "",
  labels,
  options: labels,
  references: ["好"],
  reply: "",
  golds: [0],
  parser: { status: "parsed", read: [], text: null },
});
const LETTERS = [..."abcdefghijklmno"].map((x) => `(${x})`);
const ONE = entry("1", "choice", LETTERS),
  MANY = entry("2", "choices", ["甲", "乙", "丙"]),
  SPAN = entry("3", "span"),
  TEXT = entry("4", "text");
const tasks = ["choice", "choices", "span", "text"].map((kind) => ({ name: kind, zh: kind, en: kind, kind }));
const DATA: PageData = {
  sample: "s",
  name: "n",
  rubric: { name: "r", zh: "", en: "", scales: [scale("first", 0, 5), scale("second", 1, 3)] },
  tasks,
  outputs: [ONE, MANY, SPAN, TEXT],
};
const QUESTIONS = DATA.outputs.map(({ id, task, set, dialogue, question, labels, options }) => ({
  id,
  task,
  set,
  dialogue,
  question,
  labels,
  options,
  replies: labels,
}));
const marked = (output: Entry, mark: Mark) => {
  setMark(output, mark);
  return complete(output);
};
const keysWith = (labels: string[]) => keysOf(entry("5", "choice", labels));

beforeEach(() => {
  load(DATA);
  setJob({ storageKey: "audit.s" } as Job);
  Object.assign(work, { annotator: "林", at: 0 });
  settings.show = false;
  undo.clear();
  loadMarks();
});

test("an output is complete when all that is asked is marked", () => {
  assert.deepEqual(
    [marked(ONE, { said: "(a)" }), marked(MANY, { said: ["甲"] }), marked(SPAN, { right: true })],
    [true, true, true],
  );
  assert.deepEqual(
    [{ note: "?" }, { right: false }, { first: 0 }, { second: 3 }].map((x) => marked(TEXT, x)),
    [false, false, false, true],
  );
});

test("the reference shows once right or wrong is said of a text; of others when asked for", () => {
  assert.equal(referenceShown(TEXT), false);
  setMark(TEXT, { right: true });
  assert.deepEqual([referenceShown(TEXT), markOf(TEXT).blind], [true, true]);
  setMark(TEXT, { right: false });
  assert.equal(markOf(TEXT).blind, false);
  setMark(ONE, { said: "none" });
  assert.equal(referenceShown(ONE), false);
  settings.show = true;
  assert.equal(referenceShown(ONE), true);
});

test("a mark is taken back to what it was", () => {
  setMark(ONE, { said: "(a)" });
  setMark(ONE, { said: "(a)" }); // no change
  setMark(ONE, { said: "(b)" });
  assert.equal(undo.size, 2);
  assert.equal(undo.takeBack(), 0);
  assert.equal(markOf(ONE).said, "(a)");
  undo.takeBack();
  assert.deepEqual(markOf(ONE), {});
});

test("letters of an answer are taken back together", () => {
  load({ ...DATA, answering: true, outputs: QUESTIONS });
  for (const text of ["池", "池里"]) setMark(QUESTIONS[2], { text }, "text");
  setMark(QUESTIONS[3], { text: "好" }, "text");
  assert.equal(undo.size, 2);
});

test("lines stand in the order of marking and come back", () => {
  setMark(SPAN, { right: false });
  setMark(MANY, { said: ["甲", "丙"] });
  setMark(SPAN, { note: "短" });
  setMark(ONE, { note: "以后再看" });
  setMark(TEXT, { note: "?" });
  const lines = linesOf().map((x) => JSON.parse(x));
  assert.deepEqual(
    lines.map((x) => x.output),
    ["2", "3", "1", "4"],
  );
  assert.deepEqual(lines[1], { sample: "s", output: "3", annotator: "林", right: false, blind: true, note: "短" });
  loadMarks(); // nothing is kept here
  assert.equal(importLines(lines), 4);
  assert.deepEqual(
    linesOf().map((x) => JSON.parse(x)),
    lines,
  );
});

test("lines are left that this annotator could not have made here", () => {
  const read = (of: Entry, line: object) => readLine({ sample: "s", annotator: "林", ...line }, of);
  assert.deepEqual(read(ONE, { said: "(c)", blind: false }), { said: "(c)", blind: false });
  assert.deepEqual(read(ONE, { said: "several" }), { said: "several", blind: true });
  assert.deepEqual(read(TEXT, { right: true, first: 5, note: "好" }), {
    right: true,
    first: 5,
    note: "好",
    blind: true,
  });
  assert.deepEqual(read(SPAN, { right: true, first: 9 }), { right: true, blind: true });
  assert.deepEqual(read(MANY, { note: "看不清" }), { note: "看不清", blind: true });
  setMark(SPAN, { right: false });
  assert.deepEqual(read(SPAN, { note: "看不清" }), { right: false, note: "看不清", blind: true });
  const wrong: [Entry, object][] = [
    [ONE, { said: "(z)" }],
    [ONE, { said: ["(a)"] }],
    [ONE, { said: "(a)", sample: "t" }],
    [ONE, { said: "(a)", annotator: "周" }],
    [MANY, { said: "several" }],
    [MANY, { said: [] }],
    [MANY, { said: ["甲", "丁"] }],
    [SPAN, { right: "y" }],
    [TEXT, { right: true, first: 6 }],
    [TEXT, { right: true, second: 1.5 }],
  ];
  for (const [of, line] of wrong) assert.equal(read(of, line), null, JSON.stringify(line));
});

test("an answer is written as a model would write it, and read again", () => {
  load({ ...DATA, answering: true, outputs: QUESTIONS, rubric: undefined });
  const [one, many, span] = QUESTIONS;
  setMark(one, { said: "(b)" });
  setMark(many, { said: ["甲", "丙"] });
  setMark(span, { text: "池里" });
  setMark(span, { text: "" });
  const lines = linesOf().map((x) => JSON.parse(x));
  assert.deepEqual(lines[1], { item: "2", text: "甲, 丙", perturb: "none" });
  assert.equal(lines.length, 2);
  assert.deepEqual(
    lines.map((x, i) => readLine(x, QUESTIONS[i])),
    [{ said: "(b)" }, { said: ["甲", "丙"] }],
  );
  assert.deepEqual(readLine({ text: "池里" }, span), { text: "池里" });
  for (const [text, of] of [
    ["(a), (b)", one],
    ["丁", many],
    [" ", span],
    [3, span],
  ] as const)
    assert.equal(readLine({ text }, of), null);
});

test("keys are labels where they can be, else positions; what else is said has what is left", () => {
  const said = (labels: string[], ...keys: string[]) => keys.map((x) => keysWith(labels).get(x)?.said);
  assert.deepEqual(said(LETTERS, "n", "N", "s", "1"), ["(n)", "none", "several", "(a)"]);
  assert.deepEqual(said(["(1)", "(2)"], "2", "a", "n"), ["(2)", "(1)", "none"]);
  assert.deepEqual(said(["(甲)", "(乙)"], "2", "b", "r"), ["(乙)", "(乙)", "refused"]);
  assert.deepEqual(said(["(b)", "(a)"], "a", "b", "1"), ["(a)", "(b)", "(b)"]);
  const shown = (labels: string[], ...values: string[]) => values.map((x) => keyFor(keysWith(labels), "said", x));
  assert.deepEqual(shown(LETTERS, "(n)", "none", "refused"), ["n", "N", "r"]);
  assert.deepEqual(shown(["(甲)", "(乙)"], "(乙)", "none"), ["2", "n"]);
  assert.equal(keysOf(MANY).has("s"), false); // several is what is asked
});

test("digits are for the first scale without a score", () => {
  assert.deepEqual([...keysOf(TEXT).keys()], ["y", "x", "n"]);
  setMark(TEXT, { right: true });
  assert.equal(asked(TEXT)?.name, "first");
  assert.deepEqual(keysOf(TEXT).get("0"), { first: 0 });
  setMark(TEXT, { first: 0 });
  assert.deepEqual([keysOf(TEXT).get("0"), keysOf(TEXT).get("3")], [undefined, { second: 3 }]);
  setMark(TEXT, { second: 3 });
  assert.equal(asked(TEXT), undefined);
  assert.deepEqual([...keysOf(SPAN).keys()], ["y", "x", "n"]);
});
