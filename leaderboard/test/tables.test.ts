// Sheets: their blocks, the order of rows, ranks, and the texts in saved files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, ranksOf, sorted } from "../src/leaderboard/tables/blocks.ts";
import { csvTable } from "../src/leaderboard/tables/csv.ts";
import { asValue, cellText } from "../src/leaderboard/tables/figures.ts";
import { latexTable } from "../src/leaderboard/tables/latex.ts";
import { markdownTable } from "../src/leaderboard/tables/markdown.ts";
import { columnNames, printed } from "../src/leaderboard/tables/print.ts";
import { whereOf } from "../src/leaderboard/tables/sheet.ts";
import type { Sheet, SheetColumn, SheetRow } from "../src/leaderboard/types.ts";

const SCORES: Sheet = {
  name: "scores",
  title: "Scores",
  columns: [
    { heading: "model" },
    { heading: "CKF", below: "acc %", kind: "percent", better: "more" },
    { heading: "ΔNLL", kind: "number", signed: true, better: "less" },
    { heading: "", kind: "statuses" },
  ],
  rows: [
    { kind: "group", cells: ["Models"] },
    { cells: ["b", { value: 0.5, low: 0.4, high: 0.61 }, -0.25, null] },
    { cells: ["a", { value: 0.75, flags: [{ text: "3 lost", grave: true }] }, 0.5, null] },
    { cells: ["c", { value: null }, { value: -1, compares: false }, null] },
    { kind: "apart", cells: ["chance", 0.9, null, null] },
  ],
};

const shownOf = (sheet: Sheet) => ({
  sheet,
  columns: sheet.columns,
  indices: sheet.columns.map((_, i) => i),
  blocks: blocksOf(sheet.rows),
});
const tableOf = (sheet: Sheet) => printed(shownOf(sheet));
const firsts = (rows: SheetRow[]) => rows.map(({ cells }) => cells[0]);

test("blocks begin with a group's heading, with another part, and where rows stand apart", () => {
  const rows: SheetRow[] = [
    { part: "chance", cells: ["chance"] },
    { part: "own", kind: "group", cells: ["Models"] },
    { part: "own", cells: ["a"] },
    { part: "base", kind: "group", cells: ["empty"] },
    { cells: ["b"] },
    { kind: "apart", cells: ["n"] },
  ];
  const blocks = blocksOf(rows);
  assert.deepEqual(
    blocks.map(({ part, apart, group, rows }) => [part, apart, group?.cells[0], firsts(rows)]),
    [
      ["chance", false, undefined, ["chance"]],
      ["own", false, "Models", ["a"]],
      ["", false, undefined, ["b"]],
      ["", true, undefined, ["n"]],
    ],
  );
});

test("rows are sorted within their block, those without a value last, reference rows not at all", () => {
  const [models, apart] = blocksOf(SCORES.rows);
  const by = (column: number, down: boolean) => firsts(sorted(models, SCORES.columns, { column, down }));
  assert.deepEqual(by(1, true), ["a", "b", "c"]);
  assert.deepEqual(by(1, false), ["b", "a", "c"]);
  assert.deepEqual(by(0, false), ["a", "b", "c"]);
  assert.deepEqual(by(9, false), ["b", "a", "c"], "a column that is not there");
  assert.deepEqual(firsts(sorted(apart, SCORES.columns, { column: 1, down: true })), ["chance"]);
});

test("intervals alone are sorted by their lower end, names with numbers by the numbers", () => {
  const columns: SheetColumn[] = [{ heading: "x" }, { heading: "range", kind: "count", interval: "alone" }];
  const row = (name: string, low: number): SheetRow => ({ cells: [name, { value: null, low, high: 9 }] });
  const [block] = blocksOf([row("m-100", 3), row("m-25", 1)]);
  assert.deepEqual(firsts(sorted(block, columns, { column: 1, down: false })), ["m-25", "m-100"]);
  assert.deepEqual(firsts(sorted(block, columns, { column: 0, down: true })), ["m-100", "m-25"]);
});

test("the best and the second of a column, as it says what is better", () => {
  const rankOf = ranksOf(SCORES);
  const ranks = (column: number) => SCORES.rows.map((row) => rankOf(row, column));
  assert.deepEqual(ranks(1), ["", "second", "best", "", ""]);
  assert.deepEqual(ranks(2), ["", "best", "second", "", ""]);
  assert.deepEqual(ranks(0), ["", "", "", "", ""]);
  const alike: Sheet = { ...SCORES, rows: [{ cells: ["a", 0.5] }, { cells: ["b", 0.5] }, { cells: ["c", 0.1] }] };
  assert.deepEqual(
    alike.rows.map((row) => ranksOf(alike)(row, 1)),
    ["best", "best", "second"],
  );
  const one: Sheet = { ...SCORES, rows: [{ cells: ["a", 0.5] }] };
  assert.equal(ranksOf(one)(one.rows[0], 1), "", "nothing to compare with");
});

test("numbers are written as their column's kind has it", () => {
  const write = (column: Partial<SheetColumn>, cell: Parameters<typeof cellText>[1]) =>
    cellText({ heading: "", ...column }, cell);
  assert.deepEqual(write({ kind: "percent" }, { value: 0.314, low: 0.2, high: 0.456 }), {
    text: "31.4",
    beside: "20–46",
  });
  assert.deepEqual(write({ kind: "percent", signed: true }, { value: -0.02, low: -0.1, high: 0.05 }), {
    text: "−2.0",
    beside: "−10 … +5",
  });
  const ends = (low: number, high: number) =>
    write({ kind: "percent", signed: true }, { value: 0.01, low, high }).beside;
  assert.deepEqual([ends(-0.0031, 0.071), ends(-0.08, 0.0004)], ["−0.3 … +7", "−8 … 0"], "the side of zero");
  assert.equal(write({ kind: "number", signed: true }, 0.001).text, "0.00", "no sign where nothing is left");
  assert.equal(write({ kind: "number", digits: 3 }, 1.23456).text, "1.235");
  assert.equal(write({ kind: "count" }, 12345).text, "12,345");
  assert.equal(write({ kind: "count", interval: "alone" }, { value: null, low: 1, high: 2.5 }).text, "1–2.5");
  assert.equal(write({ kind: "percent", interval: "drawn" }, { value: 0.5, low: 0.1, high: 0.9 }).beside, "");
  assert.equal(write({ kind: "percent", intervalDigits: 1 }, { value: 0.5, low: 0.1, high: 0.9 }).beside, "10.0–90.0");
  assert.equal(write({ kind: "percent" }, { value: 0.5, low: 0.4, high: 0.6, spread: 0.012 }).beside, "40–60 ±1.2");
  assert.equal(write({ kind: "percent" }, { value: 0.5, text: "5 / 10" }).text, "5 / 10");
  assert.equal(write({ kind: "percent" }, { value: null }).text, "–");
  assert.equal(write({ kind: "percent" }, null).text, "", "an empty cell");
  assert.equal(asValue({ zh: "零", en: "zero" }).value, "零");
});

test("a sheet in words: values apart from what stands beside them, no columns of pictures", () => {
  const { columns, rows, notes } = tableOf({
    ...SCORES,
    columns: SCORES.columns.map((x, i) => (i === 1 ? { ...x, remarks: [{ text: "! 2 leaked" }] } : x)),
  });
  assert.deepEqual(
    columns.map(({ text, asides, right, beside }) => [text, asides, right, beside]),
    [
      ["model", [], false, false],
      ["CKF", ["acc %"], true, true],
      ["ΔNLL", [], true, false],
    ],
  );
  assert.deepEqual(
    rows.map(({ group, begins, cells }) => [group, begins, cells[0].text]),
    [
      [true, true, "Models"],
      [false, false, "b"],
      [false, false, "a"],
      [false, false, "c"],
      [false, true, "chance"],
    ],
  );
  assert.deepEqual(rows[1].cells[1], { text: "50.0", asides: ["40–61"], rank: "second" });
  assert.deepEqual(rows[2].cells[1], { text: "75.0", asides: ["3 lost"], rank: "best" });
  assert.deepEqual(notes, ["CKF: 2 leaked"]);
});

test("signs, remarks and parts stand beside their value; a histogram is told in words", () => {
  const sheet: Sheet = {
    ...SCORES,
    columns: [
      { heading: "x" },
      { heading: "change", kind: "percent", signed: true },
      { heading: "", kind: "histogram" },
    ],
    rows: [
      { cells: ["a", { value: 0.1, low: 0, high: 0.2, sign: "*", asides: [" n 5"] }, { 1: 3, 2: 0 }] },
      { cells: ["b", { value: 0, parts: [{ name: "seed 1", value: { value: 0.2 } }] }, null] },
    ],
  };
  const [first, second] = tableOf(sheet).rows.map(({ cells }) => cells);
  assert.deepEqual(first[1], { text: "+10.0", asides: ["*", "0 … +20", "n 5"], rank: "" });
  assert.equal(first[2].text, "1: 3, 2: 0");
  assert.deepEqual(second[1].asides, ["seed 1 +20.0"]);
});

test("CSV: numbers as a program reads them, groups and intervals in columns of their own, no formulas", () => {
  const lines = csvTable(tableOf({ ...SCORES, rows: [...SCORES.rows, { cells: ['=1+1 "x"', 12.5, -2.7, null] }] }))
    .replace("\ufeff", "")
    .split("\r\n");
  assert.equal(lines[0], '"group","model","CKF (acc %)","besideHead","ΔNLL"');
  assert.equal(lines[1], '"Models","b","50.0","(40–61)","-0.25"');
  assert.equal(lines[2], '"Models","a","75.0","(3 lost)","0.50"');
  assert.equal(lines[4], '"","chance","90.0","",""', "reference values are in no group");
  assert.equal(lines[5], `"","'=1+1 ""x""","1250.0","","-2.70"`);
});

test("LaTeX: prints what names say, marks the best, never runs anything", () => {
  const name = "\\input{x} 100% #1 _a_ $x^2$ ~ --";
  const text = latexTable(
    tableOf({ ...SCORES, rows: [...SCORES.rows, { cells: [name, 0.1] }] }),
    "T & U",
    "a b",
    "stem",
  );
  assert.ok(
    text.includes(
      "\\textbackslash{}input\\{x\\} 100\\% \\#1 \\_a\\_ \\$x\\textasciicircum{}2\\$ \\textasciitilde{} -{}-",
    ),
  );
  assert.ok(text.includes("\\textbf{75.0} {\\scriptsize (3 lost)}") && text.includes("\\underline{50.0}"));
  assert.ok(text.includes("\\multicolumn{3}{l}{\\textit{Models}} \\\\"));
  assert.ok(text.includes("\\label{tab:stem-a-b}") && text.includes("\\begin{tabular}{lrr}"));
  assert.ok(text.startsWith("% T \\& U\n"));
  assert.equal(text.match(/\\midrule/g)?.length, 3);
});

test("LaTeX: a row that begins with [ or * is no argument of the line break before it", () => {
  const rows = ["m", "[v2] m", "*m"].map((name): SheetRow => ({ cells: [name, 0.5] }));
  const text = latexTable(tableOf({ ...SCORES, rows }), "T", "t", "s");
  assert.ok(text.includes("\\\\\n{[}v2] m & ") && text.includes("\\\\\n{*}m & "));
});

test("LaTeX: a heading over several columns has a rule below it", () => {
  const columns: SheetColumn[] = [
    { heading: "x" },
    { heading: "a", over: "both", kind: "percent" },
    { heading: "b", over: "both", kind: "percent" },
    { heading: "c", kind: "percent" },
  ];
  const table = tableOf({ ...SCORES, columns, rows: [{ cells: ["m", 0.1, 0.2, 0.3] }] });
  const text = latexTable(table, "T", "t", "s");
  assert.ok(text.includes(" & \\multicolumn{2}{c}{both} &  \\\\\n\\cmidrule(lr){2-3}\nx & a & b & c \\\\"));
  assert.deepEqual(columnNames(table), ["x", "both: a", "both: b", "c"]);
});

test("Markdown: text and emphasis alone", () => {
  const name = "`a` **b** [l](javascript:x) <i> | www.x.io http://y a@b &lt;";
  const text = markdownTable(tableOf({ ...SCORES, rows: [...SCORES.rows, { cells: [name, 0.1] }] }), "T_1");
  assert.ok(
    text.startsWith("**T\\_1**\n\n| model | CKF (acc %) | ΔNLL |\n| :--- | ---: | ---: |\n| *Models* |  |  |\n"),
  );
  assert.ok(text.includes("| a | **75.0** (3 lost) | *+0.50* |"));
  const safe = "\\`a\\` \\*\\*b\\*\\* \\[l\\](javascript\\:x) \\<i\\> \\| www\\.x.io http\\://y a\\@b \\&lt;";
  assert.ok(text.includes(`| ${safe} | 10.0 |`));
});

test("a p-value is never printed as 0; CSV keeps its number", () => {
  const sheet: Sheet = {
    name: "p",
    title: "p",
    columns: [{ heading: "model" }, { heading: "p", kind: "p" }],
    rows: [{ cells: ["a", 0.00002] }, { cells: ["b", { value: 0.0125, asides: ["*"] }] }],
  };
  const p = (row: number) => cellText(sheet.columns[1], sheet.rows[row].cells[1]).text;
  assert.deepEqual([p(0), p(1)], ["<0.001", "0.013"]);
  assert.ok(markdownTable(tableOf(sheet), "p").includes("<0.001"));
  assert.ok(csvTable(tableOf(sheet)).includes("0.00002"));
});

test("the title of a saved table has the settings that all of its values share, and no other", () => {
  const about = { split: "test", variant: "paper", shots: 0, scoring: "generate", perturb: "none" };
  const view = (sheet: Partial<Sheet>) => {
    const whole = { ...SCORES, run: 0, ...sheet };
    const { columns } = whole;
    return { sheet: whole, columns, indices: columns.map((_, i) => i), blocks: blocksOf(whole.rows) };
  };
  const rest = { ...about, variant: undefined };
  const compared = SCORES.columns.map((column, i) => (i ? { ...column, about: { variant: `v${i}` } } : column));
  const [whole, wordings, none] = [{ about }, { about: rest, columns: compared }, { about: {} }].map(view).map(whereOf);
  assert.equal(whole, "test，variantIs，zeroShot，scoringIs");
  assert.equal(wordings, "test，zeroShot，scoringIs");
  assert.equal(none, "");
});
