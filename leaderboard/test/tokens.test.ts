// Accuracy against tokens: which points there are, what several tasks take together, and where points stand.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { countRange, powers } from "../src/leaderboard/charts/axis.ts";
import { tokenAxis, wayWords } from "../src/leaderboard/charts/tokens.ts";
import { data, prepare } from "../src/leaderboard/data.ts";
import { offerMetrics } from "../src/leaderboard/metric_choice.ts";
import { firsts, state } from "../src/leaderboard/state.ts";
import { averaged, count, differing, tokenPlaces, tokenPoints } from "../src/leaderboard/token_points.ts";
import type { Cell, Task } from "../src/leaderboard/types.ts";
import { page } from "./page.ts";

const took = (mean: number, more: Partial<NonNullable<Cell["tokens"]>> = {}): Cell["tokens"] => ({
  ...{ replies: 10, mean, median: mean, p90: 2 * mean, total: 10 * mean, thinking: 0, by_characters: 0, prompt: 100 },
  ...more,
});
const cell = (model: string, task: string, value: number, tokens: Cell["tokens"], more: Partial<Cell> = {}) =>
  ({
    ...{ run: 0, model, task, set: "hard", split: "test", variant: "paper", shots: 0 },
    ...{ scoring: "generate", perturb: "none", items: 10, missing: 0, status: { parsed: 10 } },
    metrics: Object.fromEntries(
      ["accuracy", "f1", "em"].map((m) => [m, { value, low: value - 0.1, high: value + 0.1, n: 10, signature: "" }]),
    ),
    facts: { tags: [] },
    ...(tokens ? { tokens } : {}),
    ...more,
  }) as unknown as Cell;

let cause: Task;
let fill: Task;
beforeEach(() => {
  Object.assign(state, firsts());
  const thinking = took(300, { thinking: 0.8, by_characters: 10, cost: 0.25 });
  const cells = [
    cell("small", "cause", 0.3, took(5, { cost: 0.5 })),
    cell("small", "cause", 0.5, thinking, { variant: "cot" }),
    cell("small", "fill", 0.7, took(15, { thinking: 0.1, cost: 1 })),
    cell("small", "fill", 0.9, took(500), { variant: "cot" }),
    cell("small", "cause", 0.4, undefined, { scoring: "labels" }),
    cell("big", "cause", 0.6, took(40), { shots: 3 }),
    cell("big", "cause", 0.8, took(40), { set: "easy" }),
    cell("big", "cause", 0.2, took(7), { perturb: "shuffle" }),
    cell("random", "cause", 0.2, undefined, { facts: { tags: ["baseline"] } as unknown as Cell["facts"] }),
  ];
  prepare({ ...page(), cells });
  offerMetrics();
  [cause, fill] = data.tasks;
});

test("sets and tasks in which several points have tokens, perturbed as chosen", () => {
  const places = [...tokenPlaces()].map(([set, all]) => [set, ...all.map((x) => x.name)]);
  assert.deepEqual(places, [["hard", "cause", "fill"]]); // of easy there is one
  state.perturb = "shuffle";
  assert.deepEqual(
    [...tokenPlaces()].map(([, all]) => all.map((x) => x.name)),
    [["fill"]],
  ); // spans stay as they are
});

test("a point for each model and way of a task; baselines are counted, likelihoods took nothing", () => {
  const { points, uncounted, partial } = tokenPoints("hard", [cause]);
  assert.deepEqual(
    points.map((p) => [p.id, p.variant, p.shots, p.scoring, p.value, p.took?.mean ?? null, p.cell?.model]),
    [
      ["0\tbig", "paper", 3, "generate", 0.6, 40, "big"],
      ["0\tsmall", "cot", 0, "generate", 0.5, 300, "small"],
      ["0\tsmall", "paper", 0, "generate", 0.3, 5, "small"],
      ["0\tsmall", "paper", 0, "labels", 0.4, null, "small"],
    ],
  );
  assert.deepEqual([points[0].low, points[0].high], [0.5, 0.7]);
  assert.deepEqual([uncounted, partial], [1, 0]);
  assert.deepEqual(differing(points), ["variant", "shots", "scoring"]);
});

test("of several tasks the means, of ways that all of them were asked in", () => {
  const { points, uncounted, partial } = tokenPoints("hard", [cause, fill]);
  const [cot, paper] = points;
  assert.deepEqual([points.length, uncounted, partial], [2, 1, 2]);
  assert.deepEqual([cot.variant, cot.value, cot.took?.mean, cot.took?.total], ["cot", 0.7, 400, 8000]);
  assert.ok(Math.abs((cot.took?.thinking ?? 0) - (0.8 * 3000) / 8000) < 1e-12);
  assert.equal(cot.took?.cost, undefined); // one of them has none
  assert.deepEqual([paper.value, paper.took?.mean, paper.took?.cost, paper.took?.by_characters], [0.5, 10, 1.5, 0]);
  assert.deepEqual([paper.cell, paper.low, paper.took?.median], [undefined, undefined, undefined]);
  assert.deepEqual(differing(points), ["variant"]);
});

test("means are over tasks asked in several ways, and of shares alone", () => {
  assert.deepEqual(averaged("hard", [cause, fill]), [cause, fill]);
  const fewer = data.cells.filter((c) => !(c.task === "fill" && c.variant === "cot"));
  prepare({ ...data, cells: fewer });
  assert.deepEqual(averaged("hard", [cause, fill]), [cause]);
  fill.metrics = ["cider"];
  prepare({ ...data, cells: fewer.filter((c) => c.variant !== "cot" && c.shots === 0) });
  assert.deepEqual(averaged("hard", [cause, fill]), [cause]);
});

test("models out of sight have no points", () => {
  state.find = "small";
  assert.deepEqual([...new Set(tokenPoints("hard", [cause]).points.map((p) => p.id))], ["0\tsmall"]);
});

test("numbers of tokens stand from 0, or on a scale of powers where they part widely", () => {
  assert.deepEqual(countRange([7, 30]), { low: 0, high: 30, ticks: [0, 10, 20, 30], wide: false });
  assert.deepEqual(countRange([40]), { low: 0, high: 40, ticks: [0, 10, 20, 30, 40], wide: false });
  assert.deepEqual(countRange([2, 100]), { low: 2, high: 100, ticks: [2, 5, 10, 20, 50, 100], wide: true });
  assert.deepEqual(countRange([3, 1204]).ticks, [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]);
  assert.deepEqual(countRange([3, 30000]).ticks, [10, 100, 1000, 10000]);
  const across = powers(1, 100, 0, 200);
  assert.deepEqual([1, 10, 100, 1000].map(across), [0, 100, 200, 200]);
});

test("what writes nothing stands at the edge, before the axis of the others", () => {
  for (const values of [
    [0, 5, 300],
    [0, 20, 40],
  ]) {
    const { across, ticks, wide } = tokenAxis(values, true);
    const places = values.map(across);
    assert.equal(wide, values[2] === 300);
    assert.ok(places[0] < places[1] - 20 && places[1] < places[2], `${places}`);
    assert.ok(!ticks.includes(0));
  }
  assert.ok(tokenAxis([20, 40], false).ticks.includes(0));
});

test("ways and counts as they are said", () => {
  const way = { variant: "cot", shots: 3, scoring: "generate" };
  assert.equal(wayWords(way, ["variant", "scoring"]), "cot");
  assert.ok(wayWords({ ...way, scoring: "labels" }, ["variant", "scoring"]).startsWith("cot "));
  assert.deepEqual([2, 7.25, 9.96, 41.5, 1204].map(count), ["2", "7.3", "10", "42", "1,204"]);
});
