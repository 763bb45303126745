// The page's data (evalsuite/page/report.py, common/sheet.py), and values that the page makes of them. Types of results.json and
// of annotations are generated from their JSON Schemas: src/types.
import type { Average, CellResult, EvalsuiteResultsFormat1, Mean, MetricValue, Recorded } from "../types/results.ts";
import type { Status } from "./statuses.ts";

export type Kind = "choice" | "choices" | "span" | "text" | "answer" | "probe";
export interface Task {
  name: string;
  short: string;
  zh: string;
  en: string;
  /** The task's metrics; the first is the default. */
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
  /** The names of sets in both languages, and a longer Chinese form for titles. */
  set_names: Record<string, { zh: string; en: string; title_zh: string }>;
  /** Whether its sets are folds or dimensions, whose mean the paper reports. */
  averaged: boolean;
  /** The sets by difficulty, the easier first; empty if sets do not differ in difficulty. */
  levels: string[];
  groups: Record<string, Record<string, string>>;
  published_zh: string;
  published_en: string;
  language: string;
  /** A metric's name here -> the paper's name; null: the names are equal. */
  published_as: Record<string, string> | null;
}
export interface MetricRow {
  name: string;
  zh: string;
  en: string;
  /** The largest value; null: 1. */
  top: number | null;
  percent: boolean;
  /** Whether it is a share of right items; only such a metric has a level of chance. */
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
/** The coordinates of a cell, with its model's id on this page. */
export interface Placed extends Place {
  id: string;
}
/** A metric's value in a cell, or its mean over a task's sets. */
export interface MetricFigure extends Partial<MetricValue>, Partial<Omit<Average, "value">> {
  value: number | null;
}
export type Counts = Record<Status | "none", number>;
/** A cell of results.json, with the positions of its replies in the page's data. */
export interface Cell extends CellResult {
  /** The index of the run. */
  run: number;
  /** The model's id on this page: run and name. */
  id: string;
  /** The index of the cell on this page. */
  number: number;
  /** The index of the cell's column: cells of one column have the same entries and can be compared. */
  column: number;
  /** The outcomes, one letter for each entry of the column (`PageData.outcomes`); ".": the cell lacks the entry. */
  outcomes: string;
  /** The indices of the entries whose outcome differs from the outcome without the cell's perturbation. */
  flips?: number[];
  /** The path within the cell of its first value that was no finite number. */
  not_finite?: string;
  counted?: Counts;
  entries?: number[];
}
/** The entries (items, their rotations or samples) that cells of one column share. */
export interface Column {
  ids: string[];
  /** The shards with their replies: [name, index of the first entry]. */
  shards: [string, number][];
  cells?: Cell[];
  entryOf?: Map<string, number>;
}
export interface Model {
  id: string;
  run: number;
  name: string;
  /** The shown name, which is unique on the page. */
  label: string;
  baseline: boolean;
  /** Whether it is one of the adapters that `evalsuite finetune` trained. */
  adapter: boolean;
  tags: string[];
  parameters?: number | null;
  /** The source of the replies, if they were recorded before the run. */
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
  /** The wording beside whose figures it is shown; undefined: it is shown beside every wording. */
  wording?: string;
}
/** The significance groups of a column's models, as evalsuite/analyses/significance.py computes them. */
export interface SignificanceGroups extends Place {
  metric: string;
  adapters?: boolean;
  letters: Record<string, string>;
  best: string;
  not_worse: string[];
  left_out: Record<string, string>;
}

// ---- sheets: common/sheet.py
export type SheetText = string | { zh: string; en: string };
/** A warning beside a value or heading. Warnings in the data are plain texts, which `asFlag` turns into this. */
export interface Flag {
  text: SheetText;
  /** Whether data are lost or cannot be compared. */
  grave?: boolean;
  /** A sign that stands before the interval instead of the text, so that the row needs no extra line. */
  brief?: string;
  /** The full text, if `text` is short for it. */
  title?: string;
  /** The cell whose statuses are drawn as a bar above the text. */
  statuses?: Cell;
}
/** A value as `asValue` reads it: in the data, `value` and `asides` may also be in both languages. */
export interface SheetValue {
  value: number | string | null;
  low?: number | null;
  high?: number | null;
  asides?: string[];
  /** The look of the text. Only the page sets "faint" (a count of 0), "warn" and "grave" (a count that should be 0). */
  tone?: "" | "strong" | "quiet" | "faint" | "warn" | "grave";
  flags?: (string | Flag)[];
  compares?: boolean;
  // Fields that only the page adds.
  /** The value as text, if the column's kind does not determine it. */
  text?: string;
  /** Whether the value is a name from the data, of which at most two lines are shown. */
  name?: boolean;
  /** A mark after the value: "*" if it is significant. */
  sign?: string;
  /** The standard deviation between the samples' values, after the interval. */
  spread?: number | null;
  /** A share that `value` is compared with, mostly the value before a change. The cell draws both. */
  base?: number | null;
  /** The cell whose items a press on the value opens; undefined: the cell at the place that sheet, row and column are about. */
  cell?: Cell | null;
  /** The parts that a press unfolds: their key in the address, the id of the box that shows them, and the action. */
  unfolds?: { key: string; box: string; act: () => void };
  /** The tooltip. */
  title?: string;
  /** The letters of the model's significance groups in this column. */
  letters?: string;
  /** Whether the model is not significantly worse than the best one. */
  alike?: boolean;
  /** The parts of a mean with their names, which stand below the value. */
  parts?: { name: string; value: SheetValue }[];
}
export type SheetCell = SheetValue | SheetText | number | Record<string, number> | null;
/** The subject of a sheet, row or column: coordinates, and other things such as judges. */
export interface About extends Partial<Place> {
  model?: string;
  item?: string;
  judge?: string;
  /** The judges of a panel. */
  judges?: string[];
  rubric?: string;
  scale?: string;
  basis?: string;
  /** The pool of training items of a learning curve: analyses/learning.py. */
  pool?: string;
  size?: number;
}
/** Attributes (data-…) that the page adds, by which tests and other programs find a table or a part of it. */
export type DataAttributes = Record<string, string>;
export interface SheetColumn {
  heading: SheetText;
  below?: SheetText;
  /** The way in which cells are drawn. Only the page sets "bars" (`value` as a filled bar, `base` as a hollow one), "statuses"
   *  (a bar of a cell's statuses) and "code" (a text that a program reads, and a button that copies it). */
  kind?: "text" | "count" | "number" | "percent" | "p" | "bar" | "histogram" | "bars" | "statuses" | "code";
  digits?: number | null;
  signed?: boolean;
  /** The form of intervals. Only the page sets "aligned" (beside the value, at the same distance in all rows) and "drawn" (as a
   *  line on the range, without figures). */
  interval?: "beside" | "alone" | "aligned" | "drawn";
  better?: "" | "more" | "less";
  align?: "" | "left" | "right";
  range?: [number, number] | null;
  key?: boolean;
  /** The size of change with the darkest shade; smaller changes are lighter, falls and rises have two colours. */
  shade?: number;
  about?: About;
  // Fields that only the page adds.
  /** The heading over this column; neighbours with the same one share a heading cell. */
  over?: SheetText;
  /** The heading of the drawing of values on `range`; undefined: the ends of the range. */
  rangeHeading?: string;
  /** The decimals of intervals; undefined: one fewer than of values. */
  intervalDigits?: number;
  /** The key of the order that all tables of the overview share. */
  sortKey?: string;
  /** Whether the heading is a name from the data. */
  named?: boolean;
  /** The heading for screen readers. */
  spoken?: string;
  /** Remarks on the column, which stand in its heading, and below the table in files. */
  remarks?: Flag[];
  /** Warnings after the heading. */
  flags?: Flag[];
  marks?: DataAttributes;
}
export interface SheetRow {
  cells: SheetCell[];
  kind?: "" | "group" | "apart";
  about?: About;
  // Fields that only the page adds.
  /** The name of the row's block, if the table has several. */
  part?: string;
  /** The key by which the address says that the rows below this heading are unfolded. */
  folds?: string;
  /** The marks of the row's cells; a group's marks are its block's. */
  marks?: DataAttributes;
}
/** The column that a table is sorted by, by its index, and the direction. */
export interface Order {
  column: number;
  down: boolean;
}
/** A drawing of a sheet: common/sheet.py. */
export interface Chart {
  kind: "lines" | "matrix" | "dots" | "scatter" | "bars";
  title?: SheetText;
  across?: number;
  up?: number[];
  pick?: string[];
  joined?: boolean;
  diagonal?: boolean;
  ends?: number;
  before?: boolean;
}
export interface Sheet {
  name: string;
  title: SheetText;
  columns: SheetColumn[];
  rows: SheetRow[];
  notes?: SheetText[];
  finding?: SheetText;
  about?: About;
  chart?: Chart;
  compares?: string[];
  // Fields that only the page adds.
  /** The analysis that made the sheet. */
  analysis?: string;
  /** The index of the sheet's run. */
  run?: number;
  /** Whether the order of rows has a meaning, so that they cannot be sorted. */
  fixed?: boolean;
  /** The table's sorting until a person chooses another. */
  order?: Order;
  /** Class names of the table. */
  look?: string;
  marks?: DataAttributes;
}

// ---- the page
/** The fields of manifest.json that the page reads; it shows all settings unchanged. */
export interface Manifest {
  started?: string;
  python?: string;
  platform?: string;
  settings?: Record<string, unknown>;
  packages?: Record<string, string>;
  /** The files with the items. */
  data?: Record<string, { items?: number; sha256?: string } | null>;
}
/** A run, with the parts of its results.json that the page's scripts read (`_READ` of evalsuite/page/report.py). */
export interface Run extends Partial<Pick<EvalsuiteResultsFormat1, "groups" | "means" | "contamination" | "judged">> {
  name: string;
  manifest: Manifest;
  /** The keys of results.json and of its cells, in their order. */
  written?: { results: string[]; cells: string[] };
  /** The name of the shard that has the keys of results.json that are not in this page. */
  others?: string;
  sheets?: Sheet[];
}
/** A sentence of evalsuite/analyses/findings, and the index of the cell that is its evidence. */
export interface Finding {
  about: string;
  zh: string;
  en: string;
  /** The test behind the sentence, in small print. */
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
  groups: SignificanceGroups[];
  /** Letter of an entry in `Cell.outcomes` -> its outcome. */
  outcomes: Record<string, string>;
  /** Nemenyi's critical values, by number of models. */
  nemenyi: Record<string, number>;
  published: Published[];
  references: Sheet[];
  citations: string;
  /** Benchmarks whose files differ between the runs. */
  unlike: string[];
}
export type { Mean, MetricValue, Status };
