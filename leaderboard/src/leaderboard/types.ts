// The page's data (evalsuite/page/report.py, common/sheet.py), and values that the page makes of them. Types of results.json and
// of annotations are generated from their JSON Schemas: src/types.
import type { Average, CellResult, EvalsuiteResultsFormat1, Mean, MetricValue, Recorded } from "../types/results.ts";

export type Kind = "choice" | "choices" | "span" | "text" | "answer" | "probe";
export interface Task {
  name: string;
  short: string;
  zh: string;
  en: string;
  /** Its metrics, the first one the usual. */
  metrics: string[];
  benchmark: string;
  kind: Kind;
}
export interface Benchmark {
  name: string;
  title: string;
  sets: string[];
  sets_zh: string;
  sets_en: string;
  /** Its sets are folds or dimensions, of which the paper tells the mean. */
  averaged: boolean;
  /** Two sets, the easier first; none where sets do not differ in that. */
  levels: string[];
  groups: Record<string, Record<string, string>>;
  published_zh: string;
  published_en: string;
  language: string;
  /** Our metric -> the paper's name of it; null: the same names. */
  published_as: Record<string, string> | null;
}
export interface MetricRow {
  name: string;
  zh: string;
  en: string;
  /** Its largest value, where that is not 1. */
  top: number | null;
  percent: boolean;
  /** A share of right items: guessing has one, too. */
  share: boolean;
  unit: string;
  lower: boolean;
}
export interface Named {
  name: string;
  zh: string;
  en: string;
}
export interface Perturbation extends Named {
  kinds: Kind[];
  languages: string[];
}
/** The coordinates of a cell without its model. */
export interface Place {
  set: string;
  task: string;
  split: string;
  variant: string;
  shots: number;
  scoring: string;
  perturb: string;
}
/** A place of a model on this page. */
export interface Placed extends Place {
  id: string;
}
/** A value of a metric: of a cell, or the mean over a task's sets. */
export interface Estimate extends Partial<MetricValue>, Partial<Omit<Average, "value">> {
  value: number | null;
}
export type Status =
  | "parsed"
  | "unparsed"
  | "refused"
  | "truncated"
  | "several"
  | "conflict"
  | "empty"
  | "filtered"
  | "failed"
  | "missing";
export type Counts = Record<Status | "none", number>;
/** A cell of results.json, with where its replies are. */
export interface Cell extends Omit<CellResult, "task" | "split" | "scoring" | "perturb"> {
  task: string;
  split: string;
  scoring: string;
  perturb: string;
  /** The run's place among the page's runs. */
  run: number;
  /** The model's id on this page: run and name. */
  id: string;
  number: number;
  /** Its column's place; what the column's cells are compared in. */
  column: number;
  /** A letter an entry of the column, "." where the cell has none. */
  outcomes: string;
  /** Entries that a perturbation has turned. */
  flips?: number[];
  /** The name of a value that is no finite number. */
  not_finite?: string;
  counted?: Counts;
  entries?: number[];
}
export interface Column {
  ids: string[];
  /** [name, its first entry]. */
  shards: [string, number][];
  cells?: Cell[];
  entryOf?: Map<string, number>;
}
export interface Model {
  id: string;
  run: number;
  name: string;
  /** The name as it is shown, told apart from others. */
  label: string;
  baseline: boolean;
  /** A sweep's adapter. */
  adapter: boolean;
  tags: string[];
  parameters?: number | null;
  /** The source of its replies, if they were recorded before. */
  recorded?: Recorded | null;
}
export interface Published {
  model: string;
  set: string;
  task: string;
  metric: string;
  shots: number;
  value: number;
  source: string;
  group?: string;
  perturb?: string;
}
/** Significance groups of a column: ranking.py. */
export interface Groups extends Place {
  metric: string;
  adapters?: boolean;
  letters: Record<string, string>;
  best: string;
  not_worse: string[];
  left_out: Record<string, string>;
}

// ---- sheets: common/sheet.py. What the page alone adds to them stands below each "The page's own".
export type Words = string | { zh: string; en: string };
/** A warning beside a value or heading. Python's are texts. */
export interface Flag {
  text: Words;
  /** Something is lost or cannot be compared. */
  grave?: boolean;
  /** The full text, if `text` is short for it. */
  title?: string;
  /** The cell whose statuses are drawn as a bar above the text. */
  statuses?: Cell;
}
export interface SheetValue {
  value: number | string | null;
  low?: number | null;
  high?: number | null;
  asides?: string[];
  /** The page's own: "faint" (nothing of it), "warn" and "grave" (there should be nothing of it). */
  tone?: "" | "strong" | "quiet" | "faint" | "warn" | "grave";
  flags?: (string | Flag)[];
  compares?: boolean;
  // The page's own
  /** The written value, if the column's kind does not give it. */
  text?: string;
  /** A name from the data: at most two lines of it are shown. */
  name?: boolean;
  /** Marks right after it: "*" for a significant one. */
  sign?: string;
  /** The standard deviation between the samples' values, after the interval. */
  spread?: number | null;
  /** The earlier value of a change: both are drawn on the column's range. */
  base?: number | null;
  /** The cell whose items the value opens; undefined: that of the place that sheet, column and row are about. */
  cell?: Cell | null;
  /** Its parts, unfolded by a press: the key in the address, and the node that then has it. */
  unfolds?: { key: string; box: string; act: () => void };
  /** The text below the pointer. */
  title?: string;
  /** Its significance group; `alike`: not significantly worse than the best. */
  letters?: string;
  alike?: boolean;
  /** The parts of a mean: each with its name, below the value. */
  parts?: { name: string; value: SheetValue }[];
}
export type SheetCell = SheetValue | Words | number | Record<string, number> | null;
/** Fields of a place, and of what else a row may be about. */
export interface About extends Partial<Place> {
  model?: string;
  item?: string;
  judge?: string;
  /** The judges of a panel. */
  judges?: string[];
  rubric?: string;
  scale?: string;
  basis?: string;
}
/** The page's own: attributes (data-…) by which programs find a table or a part of it. */
export type Marks = Record<string, string>;
export interface SheetColumn {
  heading: Words;
  below?: Words;
  /** The page's own: "bars" (a share, and what it was for what it has changed from), "statuses" (a bar of a cell's
   *  statuses), "code" (a text that a program reads, and a button that copies it). */
  kind?: "text" | "count" | "number" | "percent" | "p" | "bar" | "histogram" | "bars" | "statuses" | "code";
  digits?: number | null;
  signed?: boolean;
  /** The page's own: "aligned" (beside, with its room kept in all rows), "drawn" (on the range alone). */
  interval?: "beside" | "alone" | "aligned" | "drawn";
  better?: "" | "more" | "less";
  align?: "" | "left" | "right";
  range?: [number, number] | null;
  key?: boolean;
  about?: About;
  // The page's own
  /** The heading over this column and its neighbours with the same. */
  over?: Words;
  /** The heading over the drawn range. */
  rangeHeading?: string;
  /** Decimals of intervals, where that is not one fewer than of values. */
  intervalDigits?: number;
  /** The key of the order that all tables of the overview share; their rows come in that order. */
  sortKey?: string;
  /** The heading is a name from the data. */
  named?: boolean;
  /** The heading as it is read aloud with a value. */
  spoken?: string;
  /** Remarks on the column: in its head; in a file below the table. */
  remarks?: Flag[];
  /** Warnings after the heading. */
  flags?: Flag[];
  /** The change that has the darkest ground; lesser ones are shaded by their size, falls and rises apart. */
  shade?: number;
  marks?: Marks;
}
export interface SheetRow {
  cells: SheetCell[];
  kind?: "" | "group" | "apart";
  about?: About;
  // The page's own
  /** The part of the table that it is in, where rows of several stand below each other: each is a block. */
  part?: string;
  /** Its rows are shown when it is pressed: the key in the address. */
  folds?: string;
  /** The marks of its cells; those of a group are its block's. */
  marks?: Marks;
}
/** A drawing of a sheet: common/sheet.py. */
export interface Chart {
  kind: "lines" | "matrix";
  title?: Words;
  across?: number;
  up?: number[];
  pick?: string[];
  joined?: boolean;
  diagonal?: boolean;
}
export interface Sheet {
  name: string;
  title: Words;
  columns: SheetColumn[];
  rows: SheetRow[];
  notes?: Words[];
  about?: About;
  chart?: Chart;
  // The page's own
  /** The analysis that it is of. */
  analysis?: string;
  /** The number of the run that it is of. */
  run?: number;
  /** The order of its rows says something: it is not sorted otherwise. */
  fixed?: boolean;
  /** The sorting of the table until another is chosen. */
  order?: { column: number; down: boolean };
  /** Class names of its table. */
  look?: string;
  marks?: Marks;
}

// ---- the page
/** The fields of manifest.json that the page reads; all of its settings are shown as they are. */
export interface Manifest {
  started?: string;
  python?: string;
  platform?: string;
  settings?: Record<string, unknown>;
  packages?: Record<string, string>;
  /** The files that items are from. */
  data?: Record<string, { items?: number; sha256?: string } | null>;
}
export interface Run extends Partial<Omit<EvalsuiteResultsFormat1, "cells" | "evalsuite" | "format" | "reading">> {
  name: string;
  manifest: Manifest;
  written?: { results: string[]; cells: string[] };
  sheets?: Sheet[];
}
/** A sentence of evalsuite/analyses/findings, and the number of the cell that it rests on. */
export interface Finding {
  about: string;
  zh: string;
  en: string;
  /** Its test, in small print. */
  test_zh: string;
  test_en: string;
  cell: number | null;
}
export interface PageData {
  runs: Run[];
  tasks: Task[];
  benchmarks: Benchmark[];
  metrics: MetricRow[];
  perturbations: Perturbation[];
  corruptions: Named[];
  cells: Cell[];
  columns: Column[];
  asked: { items: number; replies: number };
  findings: Finding[];
  groups: Groups[];
  /** Nemenyi's critical values, by number of models. */
  nemenyi: Record<string, number>;
  published: Published[];
  references: Sheet[];
  citations: string;
}
export type { Mean, MetricValue };
