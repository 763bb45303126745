// What the page is given (evalsuite/page/report.py, common/sheet.py) and what it makes of it. Types of results.json and
// of annotations are generated from their JSON Schemas: src/types.
import type { Average, CellResult, EvalsuiteResultsFormat1, Mean1, Metric } from "../types/results.ts";

export type Kind = "choice" | "choices" | "span" | "text" | "probe";
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
/** What is measured where: the fields that tell one cell from another, but its model. */
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
export interface Estimate extends Partial<Metric>, Partial<Omit<Average, "value">> {
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
  /** Where it is no finite number. */
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

// ---- sheets: common/sheet.py
export type Words = string | { zh: string; en: string };
export interface SheetValue {
  value: number | string | null;
  low?: number | null;
  high?: number | null;
  asides?: string[];
  tone?: "" | "strong" | "quiet";
  flags?: string[];
  compares?: boolean;
}
export type SheetCell = SheetValue | Words | number | Record<string, number> | null;
/** Fields of a place, and of what else a row may be about. */
export type About = Partial<Place> & { model?: string; item?: string };
export interface SheetColumn {
  heading: Words;
  below?: Words;
  kind?: "text" | "count" | "number" | "percent" | "bar" | "histogram";
  digits?: number | null;
  signed?: boolean;
  interval?: "beside" | "alone";
  better?: "" | "more" | "less";
  align?: "" | "left" | "right";
  range?: [number, number] | null;
  key?: boolean;
  about?: About;
}
export interface SheetRow {
  cells: SheetCell[];
  kind?: "" | "group" | "apart";
  about?: About;
}
export interface Sheet {
  name: string;
  title: Words;
  columns: SheetColumn[];
  rows: SheetRow[];
  notes?: Words[];
  about?: About;
  /** The analysis that it is of. */
  analysis?: string;
}

// ---- the page
/** What of manifest.json the page reads; all of its settings are shown as they are. */
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
/** A sentence of evalsuite/page/findings.py, and the number of the cell that it rests on. */
export interface Finding {
  zh: string;
  en: string;
  /** Its test, in small print. */
  test_zh: string;
  test_en: string;
  cell: number;
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
  slots: { en: string; zh: string; domain: string }[];
}
export type { Mean1 as Mean, Metric };
