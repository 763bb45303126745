// The overview's columns: their tables, the sets behind their figures, and whether their cells have the same items.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { addWords } from "../src/common/words.ts";
import {
  haveSameItems,
  inChosenOrder,
  published,
  rankColumns,
  rankedOnSameItems,
  setsBehind,
  tablesOf,
} from "../src/leaderboard/columns.ts";
import { prepare, taskOf } from "../src/leaderboard/data.ts";
import { leakNote } from "../src/leaderboard/details.ts";
import { offerMetrics } from "../src/leaderboard/metric_choice.ts";
import { averageRanks } from "../src/leaderboard/sections/ranks.ts";
import { firsts, state } from "../src/leaderboard/state.ts";
import type { Cell } from "../src/leaderboard/types.ts";
import { openPage, page } from "./page.ts";

beforeEach(() => {
  prepare(page());
  Object.assign(state, firsts());
});
addWords({ leaked: ["{0}/{1}", "{0}/{1}"] });

const FACTS = { data: "d", limit: null, seed: 0, drop_leaked: false };
const cell = (facts: object = {}, more: object = {}) =>
  ({ run: 0, perturb: "none", items: 10, missing: 0, status: {}, facts: { ...FACTS, ...facts }, ...more }) as Cell;

test("lists of items that differ are different items", () => {
  const [one, other] = ["1", "2"].map((sha256) =>
    cell({ items: { sha256, of: 10 } }, { estimate: { asked: 5, of: 10 } }),
  );
  assert.equal(haveSameItems([one, one]), true);
  assert.equal(haveSameItems([one, other]), false);
  assert.equal(haveSameItems([cell(), one]), false);
  assert.equal(haveSameItems([cell(), cell({ limit: 5 })]), false);
});

test("ranks are of one benchmark's tasks, where another has a set of the same name", () => {
  const made = page();
  const plain = made.cells.filter((c) => c.task === "cause" && c.set === "hard" && c.perturb === "none");
  const more = { fill_more: "corecode", one: "other", two: "other" };
  for (const [name, benchmark] of Object.entries(more)) {
    made.tasks.push({ ...made.tasks[0], name, benchmark });
    made.cells.push(...plain.map((c) => ({ ...c, task: name })));
  }
  prepare(made);
  offerMetrics();
  const ranked = made.benchmarks.map((b) => averageRanks(b, "hard")?.columns.map((x) => x.name));
  assert.deepEqual(ranked, [
    ["cause", "fill_more"],
    ["one", "two"],
  ]);
});

test("published figures, which are of test splits, stand beside no other split", () => {
  const made = openPage();
  made.published = [
    { source: "Table 1", set: "hard", task: "cause", model: "m", shots: 0, metric: "accuracy", value: 0.5 },
  ];
  const shown = ["test", "dev"].map((split) => {
    Object.assign(state, { split });
    return published("hard", "cause", "accuracy").size;
  });
  assert.deepEqual(shown, [1, 0]);
});

test("an estimate, which is not ranked, leaves the others ranked", () => {
  const listed = cell({ items: { sha256: "1", of: 10 } }, { estimate: { asked: 5, of: 10 } });
  assert.equal(rankedOnSameItems([cell(), cell(), listed]), true);
  assert.equal(rankedOnSameItems([cell(), cell({ limit: 5 }), listed]), false);
});

test("leaked items are counted among items, not among requests", () => {
  const circular = cell({ leaked: 3, limit: 12 }, { items: 144, metrics: { accuracy: { value: 0.5, n: 12 } } });
  assert.equal(leakNote(circular), "3/12");
});

test("a benchmark without the chosen set has no tables; a set without tasks in view has none", () => {
  const made = openPage();
  const [corecode, other] = made.benchmarks;
  Object.assign(state, { onlySet: "hard" });
  offerMetrics();
  assert.deepEqual(
    [corecode, other].map((b) => tablesOf(b).map(({ id }) => id)),
    [["hard"], []],
  );
  made.cells.push({ ...made.cells[3], set: "v2", task: "more" });
  made.tasks.push({ ...taskOf("probe"), name: "more" });
  prepare(made);
  Object.assign(state, { onlySet: "", onlyTasks: ["probe"] });
  offerMetrics();
  assert.deepEqual(
    rankColumns(other).map(({ key, set }) => [key, set]),
    [["probe", "v1"]],
  );
});

test("a mean is of all sets of its task, whatever set is chosen", () => {
  openPage();
  Object.assign(state, { onlySet: "hard" });
  const task = taskOf("cause");
  assert.deepEqual(setsBehind({ task, set: null }), ["easy", "hard"]);
  assert.deepEqual(setsBehind({ task, set: "hard" }), ["hard"]);
});

test("names with numbers are sorted by the numbers, as everywhere on the page", () => {
  openPage();
  Object.assign(state, { sort: { key: "", down: false } });
  const rows = ["m-100", "m-25", "M-3"].map((label) => ({ label, value: () => null }));
  assert.deepEqual(
    inChosenOrder(rows, []).map(({ label }) => label),
    ["M-3", "m-25", "m-100"],
  );
});
