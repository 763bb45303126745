import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import * as actions from "../src/leaderboard/actions.ts";
import { type Choice, FILTERS, firsts, state } from "../src/leaderboard/state.ts";
import { openPage } from "./page.ts";

let last: { names: Choice[]; step: boolean };
actions.onChange((names, step) => {
  last = { names, step };
});
beforeEach(() => {
  Object.assign(state, firsts());
});

test("a column sorts downwards first, again turns the order; names sort upwards first; a third time is by rank", () => {
  actions.sortBy("cause");
  assert.deepEqual(state.sort, { key: "cause", down: true });
  actions.sortBy("cause");
  assert.deepEqual(state.sort, { key: "cause", down: false });
  actions.sortBy("");
  assert.deepEqual(state.sort, { key: "", down: false });
  actions.sortBy("");
  assert.deepEqual(state.sort, { key: "", down: true });
  actions.sortBy("");
  assert.deepEqual(state.sort, { key: "rank", down: false });
  assert.deepEqual(last, { names: ["sort"], step: true });
});

test("each sheet is sorted by itself", () => {
  assert.equal(actions.sheetSort("a"), undefined);
  actions.sortSheet("a", 0, true);
  actions.sortSheet("a:b", 2, false);
  assert.deepEqual(actions.sheetSort("a"), { column: 0, down: true });
  assert.deepEqual(actions.sheetSort("a:b"), { column: 2, down: false });
  actions.sortSheet("a", 0, true);
  assert.deepEqual(actions.sheetSort("a"), { column: 0, down: false });
  actions.sortSheet("a", 3, true);
  assert.deepEqual(actions.sheetSort("a"), { column: 3, down: true });
  assert.equal(state.sheets.length, 2);
});

test("a model is highlighted, then no more", () => {
  actions.highlight("0\ta");
  actions.highlight("0\tb");
  actions.highlight("0\ta");
  assert.deepEqual(state.picked, ["0\tb"]);
  actions.clearHighlights();
  assert.deepEqual(state.picked, []);
});

test("the metric of some tasks; what a task has first needs no words", () => {
  const { tasks } = openPage();
  const [, fill, probe] = tasks;
  actions.chooseMetricOf([fill], "em");
  actions.chooseMetricOf([probe], "delta_nll");
  assert.deepEqual(state.byTask, ["fill:em", "probe:delta_nll"]);
  actions.chooseMetricOf([fill, probe], "f1");
  assert.deepEqual(state.byTask, ["probe:f1"]);
  actions.chooseMetricOf([probe], "accuracy");
  assert.deepEqual(state.byTask, []);
});

test("a choice keeps its type", () => {
  actions.choose("shots", "3");
  assert.equal(state.shots, 3);
  actions.choose("perturb", "shuffle");
  assert.equal(state.perturb, "shuffle");
});

test("a benchmark begins with all of its sets and tasks; clearing ends all filters and nothing else", () => {
  Object.assign(state, { onlySet: "hard", onlyTasks: ["cause"], split: "dev" });
  actions.chooseBenchmark("other");
  assert.deepEqual([state.onlyBenchmark, state.onlySet, state.onlyTasks], ["other", "", []]);
  actions.choose("tags", ["open"]);
  actions.clearFilters();
  for (const name of FILTERS) assert.deepEqual(state[name], firsts()[name], name);
  assert.equal(state.split, "dev");
});

test("what is typed or folded out is no step to go back by", () => {
  actions.findModels("x");
  assert.equal(last.step, false);
  actions.searchItems("x");
  assert.equal(last.step, false);
  actions.rememberFold("a", true);
  assert.deepEqual(last, { names: ["unfolded"], step: false });
  actions.filterItems("wrong");
  assert.deepEqual(last, { names: ["filter"], step: true });
  actions.rememberFold("a", true); // as it is
  assert.deepEqual(last.names, ["filter"]);
  actions.rememberFold("a", false);
  assert.deepEqual(state.unfolded, []);
  actions.allItems();
  assert.deepEqual([state.filter, state.query], ["all", ""]);
});
