// The horizontal axis of charts over numbers of tokens: its scale and its ticks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenCount } from "../src/common/numbers.ts";
import { countRange, logScale } from "../src/leaderboard/charts/axis.ts";
import { countAxis } from "../src/leaderboard/charts/sheet_scatter.ts";

test("numbers of tokens stand from 0, or on a scale of powers where they part widely", () => {
  assert.deepEqual(countRange([7, 30]), { low: 0, high: 30, ticks: [0, 10, 20, 30], isLog: false });
  assert.deepEqual(countRange([40]), { low: 0, high: 40, ticks: [0, 10, 20, 30, 40], isLog: false });
  assert.deepEqual(countRange([2, 100]), { low: 2, high: 100, ticks: [2, 5, 10, 20, 50, 100], isLog: true });
  assert.deepEqual(countRange([3, 1204]).ticks, [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]);
  assert.deepEqual(countRange([3, 30000]).ticks, [10, 100, 1000, 10000]);
  const across = logScale(1, 100, 0, 200);
  assert.deepEqual([1, 10, 100, 1000].map(across), [0, 100, 200, 200]);
});

test("what writes nothing stands at the edge, before the axis of the others", () => {
  for (const values of [
    [0, 5, 300],
    [0, 20, 40],
  ]) {
    const { across, ticks, isLog } = countAxis(values, true);
    const positions = values.map(across);
    assert.equal(isLog, values[2] === 300);
    assert.ok(positions[0] < positions[1] - 20 && positions[1] < positions[2], `${positions}`);
    assert.ok(!ticks.includes(0));
  }
  assert.ok(countAxis([20, 40], false).ticks.includes(0));
});

test("counts as they are said", () => {
  assert.deepEqual([2, 7.25, 9.96, 41.5, 1204].map(tokenCount), ["2", "7.3", "10", "42", "1,204"]);
});
