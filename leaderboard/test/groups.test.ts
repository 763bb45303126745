// The table of a group of benchmarks: the rows and columns in view, and the weights of parts in a mean.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { addWords, inChinese } from "../src/common/words.ts";
import { prepare } from "../src/leaderboard/data.ts";
import {
  cellOfPart,
  changeIn,
  groupTables,
  partsOf,
  presentParts,
  scoreIn,
  tasksIn,
  weightsOf,
} from "../src/leaderboard/group_rows.ts";
import { chanceWords, setLabel, sourceWords } from "../src/leaderboard/names.ts";
import { firsts, state } from "../src/leaderboard/state.ts";
import { blocksOf, sorted } from "../src/leaderboard/tables/blocks.ts";
import type { Sheet } from "../src/leaderboard/types.ts";
import type { BenchmarkGroup, GroupRow } from "../src/types/results.ts";
import { page } from "./page.ts";

const COLUMNS = [
  { kind: "benchmark", name: "corecode", zh: "C", en: "C", parts: ["cause/easy", "cause/hard"], absent: [] },
  { kind: "benchmark", name: "other", zh: "O", en: "O", parts: ["probe/v1"], absent: ["more"] },
  { kind: "ability", name: "cause", zh: "因果", en: "Cause", parts: ["cause/easy", "probe/v1"], absent: [] },
] as BenchmarkGroup["columns"];

const part = (task: string, set: string, scoring = "generate") =>
  ({
    task,
    set,
    shots: 0,
    scoring,
    metric: "accuracy",
    value: 0.5,
    low: 0.4,
    high: 0.6,
    items: 10,
    lost: 0,
    chance: null,
  }) as unknown as GroupRow["parts"][number];

const row = (model: string, more: Partial<GroupRow> = {}): GroupRow => ({
  ...{ model, split: "test", variant: "paper", shots: 0, scoring: "generate", perturb: "none" },
  parts: [part("cause", "easy"), part("cause", "hard"), part("probe", "v1", "nll")],
  scores: COLUMNS.map(({ kind, name }) => ({
    kind,
    name,
    value: 0.5,
    low: 0.4,
    high: 0.6,
    items: 10,
    missing: [],
    chance: null,
  })),
  changes: [],
  ...more,
});

const group = (rows: GroupRow[], columns = COLUMNS): BenchmarkGroup => ({
  ...{ name: "some", zh: "若干", en: "Some", split: "test", columns, left_out: [], rows },
});

/** A page whose runs have these groups. */
function open(...groups: BenchmarkGroup[]) {
  const made = page();
  made.runs = groups.map((one) => ({ name: "run", manifest: {}, groups: [one] }));
  prepare(made);
  return groupTables();
}

beforeEach(() => {
  Object.assign(state, firsts());
});

test("every task weighs the same, and of a task every set", () => {
  const weights = weightsOf(["a/easy", "a/hard", "b/v1"]);
  assert.deepEqual(
    [...weights],
    [
      ["a/easy", 0.25],
      ["a/hard", 0.25],
      ["b/v1", 0.5],
    ],
  );
  assert.equal(tasksIn(["a/easy", "a/hard", "b/v1"]), 2);
});

test("a page without groups, or of another split, has none", () => {
  prepare(page());
  assert.deepEqual(groupTables(), []);
  assert.deepEqual(open({ ...group([row("big")]), split: "dev" }), []);
});

test("a row per model that is in sight, in the way that is chosen", () => {
  const rows = [row("small"), row("big"), row("small", { variant: "cot" })];
  const names = () => groupTables()[0]?.rows.map((x) => [x.model.name, x.row.variant]);
  open(group(rows));
  assert.deepEqual(names(), [
    ["big", "paper"],
    ["small", "paper"],
  ]);
  state.variant = "cot";
  assert.deepEqual(names(), [["small", "cot"]]);
  state.shots = 5;
  assert.deepEqual(names()?.length, 2, "none was asked so: the first way that there is");
  state.find = "big";
  assert.deepEqual(names(), [["big", "paper"]]);
  state.find = "nobody";
  assert.deepEqual(groupTables(), []);
});

test("a mean leads to its parts, and each to its cell", () => {
  const [whole] = open(group([row("big")]));
  const [mine] = whole.rows;
  const cause = whole.columns[2];
  assert.deepEqual(partsOf(mine, cause), ["cause/easy", "probe/v1"]);
  assert.deepEqual(
    presentParts(mine, cause).map((x) => x.task),
    ["cause", "probe"],
  );
  assert.equal(scoreIn(mine, cause)?.value, 0.5);
  assert.deepEqual(
    presentParts(mine, cause).map((x) => cellOfPart(mine, x)?.task),
    ["cause", "probe"],
  );
  assert.equal(cellOfPart(mine, part("cause", "easy"), "shuffle"), undefined);
});

test("benchmarks come before abilities; columns of runs with other parts, or other items, are not alike", () => {
  const [whole] = open(group([row("big"), row("small")], [COLUMNS[2], COLUMNS[0], COLUMNS[1]]));
  assert.deepEqual(
    whole.columns.map((c) => [c.name, c.alike]),
    [
      ["corecode", true],
      ["other", true],
      ["cause", true],
    ],
  );
  const fewer = { ...COLUMNS[0], parts: ["cause/easy"] };
  const made = page();
  made.cells.push(...made.cells.filter((c) => c.model === "big").map((c) => ({ ...c, run: 1 })));
  made.runs = [group([row("small")]), group([row("big")], [fewer, COLUMNS[1], COLUMNS[2]])].map((one) => ({
    name: "run",
    manifest: {},
    groups: [one],
  }));
  prepare(made);
  const [both] = groupTables();
  assert.deepEqual(
    both.columns.map((c) => [c.name, c.alike]),
    [
      ["corecode", false],
      ["other", true],
      ["cause", true],
    ],
  );
  assert.deepEqual(
    both.rows.map((x) => partsOf(x, both.columns[0]).length),
    [1, 2], // big before small, which ranks alike
  );
  const other = made.cells.find((c) => c.run === 1 && c.task === "probe");
  Object.assign(other ?? {}, { facts: { limit: 5 } });
  assert.deepEqual(
    groupTables()[0].columns.map((c) => c.alike),
    [false, false, false],
    "of fewer items",
  );
});

test("changes stand by perturbation, then by benchmark", () => {
  const change = (perturb: string, benchmark: string) => ({
    perturb,
    benchmark,
    value: -0.1,
    low: null,
    high: null,
    items: 5,
    missing: [],
    parts: [],
  });
  const changes = [change("shuffle", "other"), change("shuffle", "corecode")] as GroupRow["changes"];
  const [whole] = open(group([row("big", { changes }), row("small")]));
  assert.deepEqual(
    whole.changes.map((c) => c.benchmark),
    ["corecode", "other"],
  );
  assert.equal(changeIn(whole.rows[0], whole.changes[0])?.value, -0.1);
  assert.equal(changeIn(whole.rows[1], whole.changes[0]), undefined);
});

test("a sheet is sorted as it says until another order is chosen", () => {
  const sheet: Sheet = {
    ...{ name: "x", title: "x", columns: [{ heading: "model" }, { heading: "C", kind: "percent" }] },
    rows: [{ cells: ["a", 0.1] }, { cells: ["b", { value: null }] }, { cells: ["c", 0.9] }],
    order: { column: 1, down: true },
  };
  const [block] = blocksOf(sheet.rows);
  assert.deepEqual(
    sorted(block, sheet.columns, sheet.order ?? null).map(({ cells }) => cells[0]),
    ["c", "a", "b"],
  );
});

test("a set of which the page has no cell stands by the name that its own benchmark gives it", () => {
  const opened = page();
  const names = { folk: { zh: "民俗", en: "folklore", title_zh: "民俗（folk）" } };
  const exam = { ...opened.benchmarks[1], name: "exam", sets: ["folk"], set_names: names };
  prepare({ ...opened, benchmarks: [...opened.benchmarks, exam] });
  assert.equal(setLabel("folk", exam), inChinese() ? "民俗" : "folklore");
});

test("published figures of a file or a web page stand by its name, those of tables and sections by their numbers", () => {
  addWords({ table: ["表 {0}", "Table {0}"], section: ["第 {0} 节", "section {0}"] });
  const shown = sourceWords(["Table 2", "README, leaderboard", "Table 3", "Section 5", "Table 2"]);
  assert.equal(shown, "表 2、3、第 5 节、README, leaderboard");
});

test("a chart of two sets names the level of chance of each, once where they are alike", () => {
  addWords({ chanceIs: ["随机 {0}", "chance {0}"] });
  assert.equal(chanceWords([0.172, 0.25]), "随机 17.2、25.0");
  assert.equal(chanceWords([0.5, 0.5]), "随机 50.0");
});
