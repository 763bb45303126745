import assert from "node:assert/strict";
import { before, test } from "node:test";
import { figure, isLower, metricName, metricRow, publishedAs, span, spreadOf } from "../src/leaderboard/metrics.ts";
import type { Task } from "../src/leaderboard/types.ts";
import { openPage } from "./page.ts";

let tasks: Task[];
before(() => {
  tasks = openPage().tasks;
});

test("shares are in percent, values of their own scale are not, nats have a sign", () => {
  assert.equal(figure("accuracy", 0.1234), "12.3");
  assert.equal(figure("unknown", 0.1234, 2), "12.34");
  assert.equal(figure("cider", 1.2345), "1.23");
  assert.deepEqual(
    [0.5, -0.5, 0, -0.001].map((v) => figure("delta_nll", v)),
    ["+0.50", "−0.50", "0.00", "0.00"],
  );
  for (const m of ["accuracy", "cider", "delta_nll"]) assert.equal(figure(m, null), "–");
});

test("an interval, or nothing", () => {
  assert.equal(span("accuracy", 0.31, 0.42), "31–42");
  assert.equal(span("accuracy", 0.311, 0.424, 1), "31.1–42.4");
  assert.equal(span("delta_nll", -0.5, 0.25), "−0.50 … +0.25");
  assert.equal(span("accuracy", 0.3, null), "");
  assert.equal(span("accuracy", undefined, undefined), "");
});

test("the spread between samples has no sign", () => {
  assert.equal(spreadOf("delta_nll", { value: 1, spread: 0.5 }, 2), "0.50");
  assert.equal(spreadOf("accuracy", { value: 1 }, 1), "");
  assert.equal(spreadOf("accuracy", undefined, 1), "");
});

test("a metric of whole replies has the row of the metric", () => {
  assert.equal(metricRow("paper.f1")?.name, "f1");
  assert.equal(metricRow("none such"), undefined);
  assert.ok(isLower("paper.distance") && !isLower("f1"));
  assert.ok(metricName("distance").endsWith(" ↓"));
  assert.notEqual(metricName("paper.f1"), metricName("f1"));
});

test("the papers' names of metrics", () => {
  const { benchmarks } = openPage();
  assert.equal(publishedAs(tasks[0], "accuracy"), "accuracy");
  benchmarks[0].published_as = { bleu: "sacrebleu" };
  assert.equal(publishedAs(tasks[0], "bleu"), "sacrebleu");
  assert.equal(publishedAs(tasks[0], "accuracy"), undefined);
  assert.equal(publishedAs(tasks[0], "constructor"), undefined);
});
