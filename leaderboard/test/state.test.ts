import assert from "node:assert/strict";
import { test } from "node:test";
import { BY_RANK, CHOICES, type Choice, FILTERS, firsts, OF_ITEMS, state } from "../src/leaderboard/state.ts";

/** Names that stand in the address beside those of choices: of a cell, an item and the language. */
const OF_ADDRESS = ["run", "model", "set", "task", "split", "prompt", "shots", "scoring", "perturb", "item", "lang"];

test("each choice has a name of its own in the address", () => {
  const names = Object.values(CHOICES).map(([name]) => name);
  assert.deepEqual(names, [...new Set(names)]);
});

test("a name means one thing in an address: choices that stand beside a cell's are named otherwise", () => {
  for (const name of OF_ITEMS) assert.ok(!OF_ADDRESS.includes(CHOICES[name][0]), name);
});

test("filters and what is of items are choices", () => {
  for (const name of [...FILTERS, ...OF_ITEMS]) assert.ok(name in CHOICES, name);
});

test("first values are no one's to change", () => {
  const again = firsts();
  again.tags.push("open");
  again.sort.key = "x";
  assert.deepEqual(CHOICES.tags[1], []);
  assert.equal(CHOICES.sort[1].key, BY_RANK);
  assert.deepEqual(Object.keys(state), Object.keys(CHOICES));
  assert.deepEqual(Object.keys(firsts(["tags"] as Choice[])), ["tags"]);
});
