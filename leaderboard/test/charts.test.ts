// Charts: the numbers and positions that are computed before anything is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shortened, textWidth } from "../src/common/text.ts";
import {
  acrossShare,
  cliques,
  labelledTicks,
  offsetOf,
  rangeOf,
  roomBeside,
  scale,
  shareScale,
  spreadLabels,
} from "../src/leaderboard/charts/axis.ts";

const near = (a: number[], b: number[]) => {
  assert.equal(a.length, b.length);
  for (const [i, v] of a.entries()) assert.ok(Math.abs(v - b[i]) < 1e-9, `${a} is not ${b}`);
};

test("a scale puts values between two positions, and what lies outside at the edge", () => {
  const up = scale(0, 0.5, 208, 10);
  near([0, 0.25, 0.5, 0.7, -1].map(up), [208, 109, 10, 10, 208]);
  near([2, 4].map(scale(2, 4, 38, 360)), [38, 360]);
});

test("shares keep off the edges, where marks would be cut", () => {
  assert.deepEqual([0, 0.5, 1, 2, -1].map(acrossShare), ["2.00%", "50.00%", "98.00%", "98.00%", "2.00%"]);
  assert.deepEqual([-0.5, 0, 0.5].map(shareScale(-0.5, 0.5)), ["2.00%", "50.00%", "98.00%"]);
});

test("marks of several models stand around their position", () => {
  near(
    [0, 1, 2].map((i) => offsetOf(i, 3, 5, 100)),
    [-5, 0, 5],
  );
  near(
    [0, 1, 2, 3].map((i) => offsetOf(i, 4, 5, 8)),
    [-3, -1, 1, 3],
  );
  assert.equal(offsetOf(0, 1, 5, 8), 0);
});

const RANGES: [values: (number | null | undefined)[], most: number | undefined, ticks: number[]][] = [
  [[0.31, 0.42, null, undefined], undefined, [0.3, 0.35, 0.4, 0.45]],
  [[0, 1], undefined, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [[0.5], undefined, [0.5, 0.52]], // one value still has a range
  [[0.4, 0.5], undefined, [0.4, 0.42, 0.44, 0.46, 0.48, 0.5]],
  [[-0.2, 0.3], undefined, [0, 0.1, 0.2, 0.3]], // what is below 0 is not drawn
  [[0.2, 7], 10, [0, 2, 4, 6, 8]],
];
for (const [values, most, ticks] of RANGES)
  test(`the range of ${values} has ticks at ${ticks}`, () => {
    const range = rangeOf(values, most);
    near(range.ticks, ticks);
    near([range.low, range.high], [ticks[0], ticks[ticks.length - 1]]);
  });

test("labels stay where they want to be, if they are apart", () => {
  near(spreadLabels([10, 30, 50], 13, 0, 100), [10, 30, 50]);
  near(spreadLabels([], 13, 0, 100), []);
});
test("labels that would touch share what they give way, in the order of their positions", () => {
  near(spreadLabels([50, 50], 10, 0, 100), [45, 55]);
  near(spreadLabels([52, 50, 51], 10, 0, 100), [61, 41, 51]);
  near(spreadLabels([10, 50, 50, 90], 10, 0, 100), [10, 45, 55, 90]);
});
test("labels stay between top and bottom", () => {
  near(spreadLabels([0, 0, 0], 10, 2, 100), [2, 12, 22]);
  near(spreadLabels([99, 100], 10, 0, 100), [90, 100]);
});
test("labels of any positions are apart, inside and in order", () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  for (let round = 0; round < 200; round++) {
    const wanted = Array.from({ length: 1 + Math.floor(random() * 9) }, () => 10 + random() * 228);
    const placed = spreadLabels(wanted, 13, 12, 236);
    const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
    for (const [n, i] of order.entries()) {
      assert.ok(placed[i] >= 12 - 1e-9 && placed[i] <= 236 + 1e-9);
      if (n) assert.ok(placed[i] - placed[order[n - 1]] >= 13 - 1e-9);
    }
  }
});

test("a name stands right of its marker, or left, above or below where that is taken, or nowhere", () => {
  const ground = { width: 380, left: 30, right: 368, top: 12, bottom: 238 };
  const long = textWidth("oracle");
  assert.deepEqual(roomBeside(100, 100, "oracle", [], ground), { x: 109, y: 104, anchor: "start" });
  assert.equal(roomBeside(360, 100, "oracle", [], ground)?.anchor, "end"); // it would leave the ground
  const right: [number, number, number, number] = [105, 93, 120, 106];
  const left: [number, number, number, number] = [80, 93, 95, 106];
  assert.deepEqual(roomBeside(100, 100, "oracle", [right], ground), { x: 91, y: 104, anchor: "end" });
  assert.deepEqual(roomBeside(100, 150, "oracle", [[0, 145, 380, 156]], ground), { x: 100, y: 140, anchor: "middle" });
  assert.equal(roomBeside(100, 100, "oracle", [[0, 0, 380, 240]], ground), null);
  const taken = [right, left];
  const first = roomBeside(100, 100, "oracle", taken, ground);
  assert.equal(first?.y, 90);
  assert.equal(roomBeside(100, 100, "oracle", taken, ground)?.y, 117, "the first has taken its room");
  near(taken[2], [100 - long / 2, 80, 100 + long / 2, 92]);
});

test("ticks are labelled from the right, but those that would touch", () => {
  const across = scale(0, 1000, 38, 340);
  assert.deepEqual(labelledTicks([0, 250, 500, 1000], across), [1000, 500, 250, 0]);
  assert.deepEqual(labelledTicks([0, 10, 960, 1000], across), [1000, 0]);
});

test("models that the critical difference does not tell apart are joined, the longest rows of them", () => {
  const rows = [1, 1.5, 2, 3.5, 4].map((mean) => ({ mean }));
  assert.deepEqual(cliques(rows, 1.2), [
    [0, 2],
    [3, 4],
  ]);
  assert.deepEqual(cliques(rows, 0.1), []);
  assert.deepEqual(cliques(rows, 9), [[0, 4]]);
  assert.deepEqual(cliques(rows, 2.1), [
    [0, 2],
    [1, 3],
    [2, 4],
  ]);
});

test("a long name loses its middle, by letters as wide as they are", () => {
  for (const name of ["m", "GLM4"]) assert.equal(shortened(name, 100), name);
  assert.equal(shortened("oracle", 100), "oracle");
  assert.equal(shortened("Model-02-with-a-long-name-Instruct", 100), "Model-02-…truct");
  assert.ok(textWidth(shortened("Model-02-with-a-long-name-Instruct", 100)) <= 100);
  assert.equal(shortened("一二三四五六七八九十", 70), "一二三…九十");
  assert.equal(shortened("a\u202eb", 100), "aU+202Eb");
  assert.equal(shortened("abcdefgh", 10), "abc…");
});
