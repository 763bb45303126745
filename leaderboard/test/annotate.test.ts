import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { keys } from "../src/annotate/page.ts";
import {
  blank,
  chosen,
  countErrors,
  edit,
  importLines,
  isDone,
  isInspected,
  isLine,
  lineOf,
  loadRows,
  rowOf,
  rows,
  undo,
} from "../src/annotate/rows.ts";
import { distance, MENUS, phrasePosition, problems } from "../src/annotate/rules.ts";
import { nextSelection, pieces } from "../src/annotate/spans.ts";
import { load, state } from "../src/annotate/state.ts";
import type { Knowledge, Line, PageData, Span } from "../src/annotate/types.ts";
import { type Job, setJob, work } from "../src/common/annotator/work.ts";
import { splitTurn } from "../src/common/text.ts";

const named = (zh: string) => ({ zh, en: zh });
// The rules here are a few of authoring/rules.yaml; tests/test_page_annotate.py compares all of them with Python's.
const DATA: PageData = {
  hash: "h",
  name: "page",
  annotator: "",
  inspect: false,
  reasons: ["knowledge", "slot", "value"],
  dialogues: [
    { id: "1", set: "easy", dialogue: ["A: 充电宝充不进电。", "B: 进过水吗？", "A: 掉进池里了。"], annotations: [] },
    { id: "2", set: "easy", dialogue: ["A: 好。"], annotations: [] },
  ],
  ontology: [
    {
      dimension: named("事件"),
      domains: [
        { name: named("原因"), slots: [named("事件原因"), named("时间原因")] },
        { name: named("时间"), slots: [named("发生时间")] },
      ],
    },
    { dimension: named("实体"), domains: [{ name: named("属性"), slots: [named("是")] }] },
  ],
  rules: {
    minimal: 4,
    share: 0.6,
    unit: "[A-Za-z0-9]+|[^ \t\r\n\u3000]",
    untidy: "^[ \t\u3000]|[ \t\u3000]$|[\r\n]",
    event_slots: ["事件原因"],
    no_events: ["^(?![ABxy]|.*了$).{1,3}$"],
    speakers: { easy: "^[xy](?![A-Za-z])", hard: "^[AB](?![A-Za-z0-9])" },
    messages: {},
  },
};
const GOOD: Knowledge = {
  ...blank(),
  dimension: "事件",
  instance: "A的充电宝充不进电",
  domain: "原因",
  slot: "事件原因",
  value: "A的充电宝进了水",
  evidence: ["掉进池里了"],
  phrase: "掉进池里",
  conflict1: "掉进被窝",
  conflict2: "一直锁着",
};
const rowWith = (...changes: Partial<Knowledge>[]) =>
  rowOf({ ...DATA.dialogues[0], annotations: changes.map((x) => ({ ...GOOD, ...x })) } as Line);
const broken = (change: Partial<Knowledge>) => problems(rowWith(change)).map((p) => `${p.field}: ${p.code}`);

beforeEach(() => {
  load(structuredClone(DATA));
  setJob({ storageKey: "annotate.h" } as Job);
  Object.assign(work, { annotator: "林", at: 0 });
  Object.assign(state, { of: 0, field: "", returning: false });
  undo.clear();
  loadRows();
});

test("a good annotation breaks no rule, and each change breaks its own", () => {
  assert.deepEqual(broken({}), []);
  const cases: [Partial<Knowledge>, string[]][] = [
    [{ dimension: "" }, ["dimension: empty"]],
    [{ domain: "属性" }, ["domain: domain"]],
    [{ slot: "是" }, ["slot: slot"]],
    [{ value: " 进水了 " }, ["value: untidy"]],
    [{ value: "x进了水" }, ["value: speakers"]],
    [{ value: "开心" }, ["value: event"]],
    [{ value: GOOD.instance }, ["value: same"]],
    [{ evidence: ["没有"] }, ["evidence: missing", "phrase: outside"]],
    [{ evidence: ["进", "掉进池里了"] }, ["evidence: several"]],
    [{ conflict1: "掉进池里" }, ["conflict1: unchanged"]],
    [{ conflict1: "飞到天花板上去了" }, ["conflict1: minimal", "conflict2: maximal"]],
    [{ conflict2: "掉进被窝" }, ["conflict2: alike"]],
    [{ conflict2: "掉进池子" }, ["conflict2: maximal"]],
    [{ proposed: true }, ["proposed: proposed"]],
    [{ verdict: "returned" }, ["reason: empty"]],
  ];
  for (const [change, codes] of cases) assert.deepEqual(broken(change), codes, JSON.stringify(change));
});

test("problems say of which annotation they are, and the unknown what is known", () => {
  const [same] = problems(rowWith({}, {}));
  assert.deepEqual(same, { of: 1, field: "", code: "repeated", values: { other: 0 } });
  const [slot] = problems(rowWith({ slot: "频率" }));
  assert.deepEqual(slot.values, { value: "频率", parent: "原因", known: "事件原因, 时间原因" });
  const both = problems({ ...rowWith({}), nothing: true });
  assert.deepEqual(both[0], { of: -1, field: "nothing", code: "nothing", values: {} });
});

test("words of letters count as one in the distance", () => {
  assert.equal(distance([..."用热水泡着"], [..."用冷风吹着"]), 3);
  assert.equal(distance([], [..."abc"]), 3);
  assert.deepEqual(broken({ conflict1: "掉进 washing machine" }), []);
});

test("a phrase that stands several times is the one in its evidence", () => {
  const { dialogue } = rowWith();
  assert.deepEqual(phrasePosition({ ...GOOD, phrase: "池" }, dialogue), [2, 5]);
  assert.deepEqual(phrasePosition({ ...GOOD, phrase: "进" }, dialogue), [2, 4]);
  assert.equal(phrasePosition({ ...GOOD, phrase: "进", evidence: ["进过水", "掉进池里了"] }, dialogue), null);
  assert.equal(phrasePosition({ ...GOOD, phrase: "" }, dialogue), null);
});

test("menus hang on what is chosen above", () => {
  const names = (k: Knowledge) => Object.values(MENUS).map((entries) => entries(k).map((x) => x.zh));
  assert.deepEqual(names(GOOD), [
    ["事件", "实体"],
    ["原因", "时间"],
    ["事件原因", "时间原因"],
  ]);
  assert.deepEqual(names(blank()), [["事件", "实体"], [], []]);
});

test("a line leaves out what says nothing, and comes back whole", () => {
  const row = rowWith({ annotator: "林" });
  const written = JSON.parse(lineOf(row));
  assert.deepEqual(Object.keys(written), ["id", "set", "dialogue", "annotations"]);
  assert.deepEqual(Object.keys(written.annotations[0]).slice(-2), ["conflict2", "annotator"]);
  assert.deepEqual(rowOf(written), row);
  assert.equal(
    lineOf(rowOf({ ...DATA.dialogues[1], nothing: true })).endsWith('"annotations":[],"nothing":true}'),
    true,
  );
});

test("lines of these dialogues are taken, others left", () => {
  const [one, two] = DATA.dialogues,
    { evidence: _, ...bare } = GOOD;
  const lines = [
    { ...two, nothing: true },
    { ...one, annotations: [bare], set: "hard" },
    { ...one, dialogue: ["A: 别的。"] },
    { ...one, annotations: [{ slot: 5 }] },
    { ...one, annotations: [{ ...GOOD, verdict: "maybe" }] },
    { ...one, annotations: [{ ...GOOD, more: "" }] },
    null,
  ];
  assert.equal(importLines(lines), 2);
  assert.deepEqual([rows[0].set, rows[0].annotator, rows[0].annotations[0].evidence], ["easy", "林", []]);
  assert.equal(rows[1].nothing, true);
  assert.equal(isLine({ ...one, annotations: [] }), true);
});

test("letters typed one after the other are taken back together, picks one by one", () => {
  importLines([{ ...DATA.dialogues[0], annotations: [GOOD] }]);
  for (const value of ["水", "水进", "水进了"]) edit({ value }, "value");
  edit({ evidence: [] });
  edit({ evidence: ["好"] });
  assert.equal(undo.size, 3);
  assert.equal(undo.takeBack(), 0);
  assert.deepEqual(chosen()?.evidence, []);
  undo.takeBack();
  undo.takeBack();
  assert.deepEqual(chosen(), GOOD);
  assert.equal(undo.takeBack(), null);
});

test("whoever edits a proposal has accepted it; who edits what was returned has revised it", () => {
  importLines([
    { ...DATA.dialogues[0], annotations: [{ ...GOOD, proposed: true, verdict: "returned", inspector: "周" }] },
  ]);
  edit({ value: "A把充电宝掉进了水" });
  const { proposed, annotator, verdict, inspector } = chosen() ?? GOOD;
  assert.deepEqual([proposed, annotator, verdict, inspector], [false, "林", "revised", ""]);
});

test("a dialogue is done when it has no problems; for an inspector when each annotation has a verdict", () => {
  assert.equal(isDone(rows[0]), false);
  assert.equal(isDone(rowWith({})), true);
  assert.equal(isDone(rowWith({ verdict: "returned", reason: "slot" })), false);
  importLines([{ ...DATA.dialogues[0], annotations: [{ ...GOOD, value: "", slot: "" }] }]);
  assert.equal(countErrors(), 2);
  load({ ...DATA, inspect: true });
  assert.deepEqual([isDone(rowWith({})), isDone(rowWith({ verdict: "returned", reason: "slot" }))], [false, true]);
  const standing = (["accepted", "returned", ""] as const).map((verdict) => isInspected({ ...GOOD, verdict }));
  assert.deepEqual(standing, [true, true, false]);
  assert.deepEqual(
    ["周", ""].map((inspector) => isInspected({ ...GOOD, verdict: "revised", inspector })),
    [true, false],
  );
});

test("keys: digits choose from the open menu; reasons come before fields", () => {
  assert.equal(keys().has("d"), false); // no annotation is chosen
  importLines([{ ...DATA.dialogues[0], annotations: [GOOD] }]);
  assert.deepEqual(
    ["n", "0", "x", "y", "[", "d", "m", "1"].map((x) => keys().has(x)),
    [...Array(7).fill(true), false],
  );
  state.field = "dimension";
  assert.deepEqual(
    ["1", "2", "3"].map((x) => keys().has(x)),
    [true, true, false],
  );
  const field = keys().get("s")?.toString();
  state.returning = true;
  assert.notEqual(keys().get("s")?.toString(), field);
});

test("a text is cut where spans and hidden characters begin and end", () => {
  const found = pieces("一\u200b二三四", [
    ["二三", "evidence"],
    ["三四", "phrase"],
    ["五", "phrase"],
    ["", "phrase"],
  ]);
  assert.deepEqual(
    found.map((x) => [x.from, x.text, x.classes.join(" "), x.hidden]),
    [
      [0, "一", "", false],
      [1, "\u200b", "", true],
      [2, "二", "evidence", false],
      [3, "三", "evidence phrase", false],
      [4, "四", "phrase", false],
    ],
  );
  assert.deepEqual(pieces("", []), []);
  assert.deepEqual(
    pieces("水水", [["水", "phrase", 1]]).map((x) => x.classes.length),
    [0, 1],
  );
});

test("a turn is parted into who speaks and what is said", () => {
  assert.deepEqual(splitTurn("A: 好：的"), { speaker: "A", start: "A: ", text: "好：的" });
  assert.deepEqual(splitTurn("没有人名的一句很长很长的话，里面有：冒号"), {
    speaker: "",
    start: "",
    text: "没有人名的一句很长很长的话，里面有：冒号",
  });
});

test("keys step from character to character, and Shift takes one more or less", () => {
  const after = (...pressed: string[]) =>
    pressed.reduce<Span | null>((span, x) => nextSelection(x.replace("+", ""), x.startsWith("+"), span, 3), null);
  assert.deepEqual(after("ArrowLeft"), [0, 1]);
  assert.deepEqual(after("ArrowRight", "ArrowRight"), [1, 2]);
  assert.deepEqual(after("ArrowRight", "+ArrowRight", "+ArrowRight", "+ArrowRight"), [0, 3]);
  assert.deepEqual(after("End", "+ArrowLeft", "+ArrowLeft", "+ArrowLeft"), [0, 1]);
  assert.deepEqual(after("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"), [2, 3]);
  assert.deepEqual(after("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"), [0, 1]);
  assert.deepEqual(after("ArrowRight", "ArrowRight", "End"), [1, 3]);
  assert.deepEqual(after("ArrowRight", "ArrowRight", "Home"), [0, 1]);
});
