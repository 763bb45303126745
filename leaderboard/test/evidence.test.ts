// The evidence of a cell: the computations before anything is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { disagree } from "../src/leaderboard/evidence/items.ts";
import { shares } from "../src/leaderboard/evidence/options.ts";
import { stretches } from "../src/leaderboard/evidence/reply.ts";
import { entriesOf, entryOf, hasSeveralOfAnItem, outcomeAt, replyIn } from "../src/leaderboard/evidence/shards.ts";
import { shortLetters } from "../src/leaderboard/tables/figures.ts";
import { openPage } from "./page.ts";

test("likelihoods are shares among the options", () => {
  const [a, b] = shares([
    [Math.log(0.3), 1, null],
    [Math.log(0.1), 1, null],
  ]);
  assert.ok(Math.abs(a - 0.75) < 1e-12 && Math.abs(b - 0.25) < 1e-12);
  const far = shares([
    [-2000, 1, null],
    [-1000, 1, null],
  ]);
  assert.deepEqual(far, [0, 1]);
  assert.ok(
    shares([
      [null, 1, null],
      [-1, 1, null],
    ]).every(Number.isNaN),
  );
});

test("a very long reply shows its beginning, its end, and where it was read", () => {
  assert.deepEqual(stretches(50000, null), [
    [0, 6000],
    [48000, 50000],
  ]);
  assert.deepEqual(stretches(50000, [20000, 20010]), [
    [0, 6000],
    [18000, 22010],
    [48000, 50000],
  ]);
  assert.deepEqual(stretches(13000, [7000, 12000]), [[0, 13000]]);
  assert.deepEqual(stretches(50000, [49990, 50000]), [
    [0, 6000],
    [47990, 50000],
  ]);
});

test("three letters and more in a row are written short", () => {
  assert.equal(shortLetters("ab"), "ab");
  assert.equal(shortLetters("abc"), "a–c");
  assert.equal(shortLetters("abdefz"), "abd–fz");
  assert.equal(shortLetters("yza′b′"), "yza′b′");
});

test("models disagree where one is right and another is not, not where a request failed", () => {
  const made = openPage();
  made.columns = [{ ids: ["i0", "i1", "i2", "i3"], shards: [["0", 0]] }];
  made.outcomes = { ...made.outcomes, x: "failed" };
  const one = Object.assign(made.cells[0], { column: 0, outcomes: "rrxr" });
  Object.assign(made.cells[4], { column: 0, outcomes: "wxw." });
  assert.deepEqual(
    [0, 1, 2, 3].filter((entry) => disagree(one, entry)),
    [0],
  );
});

test("an entry by its id; of a rotation that is not there the item", () => {
  const made = openPage();
  made.columns = [{ ids: ["i1", "i2~1", "i3"], shards: [["0", 0]] }];
  const cell = Object.assign(made.cells[0], { column: 0, outcomes: "r.w" });
  assert.deepEqual(entriesOf(cell), [0, 2]);
  assert.deepEqual(
    ["i1", "i1~3", "i2~1", "i3", "i4"].map((id) => entryOf(cell, id)),
    [0, 0, undefined, 2, undefined],
  );
  assert.deepEqual(
    [0, 1, 2].map((entry) => outcomeAt(cell, entry)),
    ["right", undefined, "wrong"],
  );
});

test("the ids of items may have the sign that stands before the number of a rotation or sample", () => {
  const made = openPage();
  const cell = Object.assign(made.cells[0], { column: 0, outcomes: "rrr" });
  const several = [
    ["a", "b", "c"],
    ["a~0", "a~1", "b"],
    ["a~0", "a~0~1", "a~0~1~sample2"],
    ["a", "a~sample1", "b"],
  ].map((ids) => {
    made.columns = [{ ids, shards: [["0", 0]] }];
    return hasSeveralOfAnItem(cell);
  });
  assert.deepEqual(several, [false, false, true, true]);
  made.columns = [{ ids: ["a~0", "b", "c"], shards: [["0", 0]] }];
  assert.equal(entryOf(cell, "a~0~3"), 0);
});

test("a reply of a shard, with its texts and what a judge said of it", () => {
  const made = openPage();
  made.columns = [{ ids: ["i0", "i1"], shards: [["0", 0]] }];
  const cell = Object.assign(made.cells[0], { column: 0, outcomes: "rr" });
  const item = {
    item: "i1",
    dialogue: ["A: hi"],
    question: "?",
    labels: [],
    options: [],
    references: ["x"],
    gold: null,
  };
  const row = replyIn(
    {
      items: [item as never],
      strings: ["the prompt", "the reply", "good", "what was asked"],
      rows: {
        0: [[0, 0, 1, "parsed", null, "x", "rule", 0, 1, { f1: 1 }, "stop", null, 0, 3, null, null, 0, null, null]],
      },
      judged: { 0: [{ judge: "j", rubric: "r", control: "plain", rows: { i1: ["scored", { score: 4 }, 2, 3] } }] },
    },
    cell,
    1,
    1,
  );
  assert.deepEqual([row?.prompt, row?.reply, row?.asked, row?.sample], ["the prompt", "the reply", 3, 0]);
  assert.deepEqual(row?.opinions, [
    {
      judge: "j",
      rubric: "r",
      control: "plain",
      status: "scored",
      scores: { score: 4 },
      reasons: "good",
      asked: "what was asked",
    },
  ]);
});
