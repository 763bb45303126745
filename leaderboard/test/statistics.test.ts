// Ranks and Friedman's test. The expected numbers are those of scipy: chi2.sf, friedmanchisquare, rankdata.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chiTail, friedman, meanRanks, midranks } from "../src/leaderboard/statistics.ts";

const near = (found: number | null, wanted: number, within = 1e-10) =>
  assert.ok(found !== null && Math.abs(found - wanted) < within, `${found} is not ${wanted}`);

test("the tail of chi-squared, for odd and even degrees of freedom", () => {
  const known: [x: number, df: number, p: number][] = [
    [0.5, 1, 0.479500122187],
    [3.84, 1, 0.0500435212487],
    [5, 2, 0.0820849986239],
    [7.8, 3, 0.0503310978599],
    [11.3, 4, 0.0233914865532],
    [2.2, 7, 0.947946512336],
    [30, 10, 0.000856641210775],
    [0, 3, 1],
  ];
  for (const [x, df, p] of known) near(chiTail(x, df), p, 2e-7);
});

test("Friedman's test, without ties and with them", () => {
  const plain = friedman([
    [1, 2, 3, 4],
    [2, 1, 3, 4],
    [1, 2.5, 2.5, 4],
    [1, 3, 2, 4],
    [2, 1, 4, 3],
  ]);
  near(plain.statistic, 10.4693877551);
  near(plain.p, 0.0149700020232, 2e-7);
  const tied = friedman([
    [1, 2, 3],
    [1.5, 1.5, 3],
    [2, 2, 2],
    [3, 1, 2],
  ]);
  near(tied.statistic, 2.36363636364);
  near(tied.p, 0.306720557577, 2e-7);
});

test("where all models are alike in every column nothing differs", () => {
  assert.deepEqual(friedman([[2, 2, 2]]), { statistic: 0, p: 1 });
});

test("mean ranks over columns: more is better, ties share, who has no value is last, empty columns do not count", () => {
  const columns = [
    [0.5, 0.7, null],
    [0.2, 0.2, 0.1],
    [null, null, null],
  ];
  assert.deepEqual(meanRanks(columns), [(2 + 1.5) / 2, (1 + 1.5) / 2, 3]);
  assert.deepEqual(meanRanks([]), []);
});

test("ties get the mean of their ranks", () => {
  assert.deepEqual(midranks([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]), [4.5, 1.5, 6, 1.5, 7.5, 10, 3, 9, 7.5, 4.5]);
});
