// A small page for tests: two benchmarks, three models, one of them a baseline.
import { prepare } from "../src/leaderboard/data.ts";
import type { Benchmark, Cell, MetricRow, PageData, Task } from "../src/leaderboard/types.ts";

const benchmark = (name: string, sets: string[]): Benchmark => ({
  name,
  title: name.toUpperCase(),
  sets,
  sets_zh: "集",
  sets_en: "set",
  set_names: {},
  averaged: false,
  levels: [],
  groups: {},
  published_zh: "",
  published_en: "",
  language: "zh",
  published_as: null,
});
const task = (name: string, kind: Task["kind"], metrics: string[], of: string): Task => ({
  name,
  short: name.slice(0, 2),
  zh: `${name}（中）`,
  en: name,
  metrics,
  benchmark: of,
  kind,
});
const metric = (name: string, more: Partial<MetricRow> = {}): MetricRow => ({
  name,
  zh: name,
  en: name,
  top: null,
  percent: true,
  share: false,
  unit: "",
  lower: false,
  ...more,
});
const cell = (model: string, name: string, set: string, value: number, more: Partial<Cell> = {}) =>
  ({
    ...{
      run: 0,
      model,
      task: name,
      set,
      split: "test",
      variant: "paper",
      shots: 0,
      scoring: "generate",
      perturb: "none",
    },
    items: 10,
    missing: 0,
    status: { parsed: 10 },
    metrics: { accuracy: { value, low: value - 0.1, high: value + 0.1, n: 10, signature: "" } },
    facts: { tags: model === "random" ? ["baseline"] : ["open"], parameters: model === "big" ? 7e9 : null },
    ...more,
  }) as Cell;

export const page = (): PageData => ({
  runs: [{ name: "run", manifest: {} }],
  tasks: [
    task("cause", "choice", ["accuracy"], "corecode"),
    task("fill", "span", ["f1", "em"], "corecode"),
    task("probe", "probe", ["accuracy", "delta_nll"], "other"),
  ],
  benchmarks: [benchmark("corecode", ["easy", "hard"]), benchmark("other", ["v1"])],
  metrics: [
    metric("accuracy"),
    metric("f1"),
    metric("em"),
    metric("cider", { percent: false, top: 10 }),
    metric("delta_nll", { percent: false, unit: "nats" }),
    metric("distance", { lower: true }),
  ],
  perturbations: [
    { name: "none", zh: "不变", en: "none", kinds: ["choice", "span"], languages: ["zh"] },
    { name: "shuffle", zh: "打乱", en: "shuffled", kinds: ["choice"], languages: ["zh"] },
  ],
  corruptions: [],
  cells: ["small", "big", "random"].flatMap((model, i) => [
    cell(model, "cause", "easy", 0.5 + i / 10),
    cell(model, "cause", "hard", 0.3 + i / 10),
    cell(model, "cause", "hard", 0.2, { shots: 3, perturb: "shuffle" }),
    cell(model, "probe", "v1", 0.4, { scoring: "nll" }),
  ]),
  columns: [],
  asked: { items: 10, replies: 10 },
  findings: [],
  groups: [],
  nemenyi: {},
  outcomes: { r: "right", w: "wrong" },
  published: [],
  references: [],
  citations: "",
  unlike: [],
});

export function openPage() {
  const made = page();
  prepare(made);
  return made;
}
