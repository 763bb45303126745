// Cells of a column can be compared only if they have the same items.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { addWords } from "../src/common/words.ts";
import { haveSameItems, rankedOnSameItems } from "../src/leaderboard/columns.ts";
import { prepare } from "../src/leaderboard/data.ts";
import { leakNote } from "../src/leaderboard/details.ts";
import type { Cell } from "../src/leaderboard/types.ts";
import { page } from "./page.ts";

beforeEach(() => prepare(page()));
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

test("an estimate, which is not ranked, leaves the others ranked", () => {
  const listed = cell({ items: { sha256: "1", of: 10 } }, { estimate: { asked: 5, of: 10 } });
  assert.equal(rankedOnSameItems([cell(), cell(), listed]), true);
  assert.equal(rankedOnSameItems([cell(), cell({ limit: 5 }), listed]), false);
});

test("leaked items are counted among items, not among requests", () => {
  const circular = cell({ leaked: 3, limit: 12 }, { items: 144, metrics: { accuracy: { value: 0.5, n: 12 } } });
  assert.equal(leakNote(circular), "3/12");
});
