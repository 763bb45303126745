// CSV files with a line for each figure.
import assert from "node:assert/strict";
import { test } from "node:test";
import { offerMetrics } from "../src/leaderboard/metric_choice.ts";
import { HEADS, overviewLines, sheetLines } from "../src/leaderboard/sections/export.ts";
import type { Sheet } from "../src/leaderboard/types.ts";
import { openPage } from "./page.ts";

test("every value of a line has its heading", () => {
  openPage();
  offerMetrics();
  const lines = overviewLines();
  const [line] = lines.filter((x) => x.model === "small" && x.set === "hard");
  assert.deepEqual([line.value, line.n, line.requests], [0.3, 10, 10]);
  const headless = lines.flatMap(Object.keys).filter((name) => !HEADS.includes(name));
  assert.deepEqual([...new Set(headless)], ["none"], "replies without an answer, the sum of several statuses");
});

test("the heading of a row's group is in its line, also where small words stand beside it", () => {
  openPage();
  const columns: Sheet["columns"] = [{ heading: "label" }, { heading: "share", kind: "percent" }];
  const group = { value: "m", asides: [{ zh: "偏差", en: "bias" }] } as unknown as string;
  const rows: Sheet["rows"] = [{ kind: "group", cells: [group] }, { cells: ["(a)", 0.25] }];
  const [line] = sheetLines({ name: "positions", title: "Positions", columns, rows });
  assert.deepEqual([line.group, line.row, line.column, line.value], ["m", "(a)", "share", 0.25]);
});
