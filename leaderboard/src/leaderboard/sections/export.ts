// The overview as one CSV, a line for each figure.
import { saveCsv } from "../../common/files.ts";
import { isNumber } from "../../common/numbers.ts";
import { entryAt, ownRows, published, tablesOf } from "../columns.ts";
import { counts, data, fileStem } from "../data.ts";
import { benchmarksShown, perturbOf, scoringOf } from "../filters.ts";
import { metricOf } from "../metric_choice.ts";
import { publishedAs } from "../metrics.ts";
import { state } from "../state.ts";
import { STATUSES } from "../statuses.ts";
import { blocksOf } from "../tables/blocks.ts";
import { asValue, cellText, inWords, titleOf } from "../tables/figures.ts";
import type { About, Benchmark, Cell, MetricValue, Model, Sheet, SheetColumn, Task, Words } from "../types.ts";

/** A line: heading -> value. Missing headings stay empty. */
export type Line = Record<string, string | number | boolean | null | undefined>;

export const saveLines = (name: string, heads: string[], lines: Line[]): void =>
  saveCsv(`${fileStem()}-${name}.csv`, [heads, ...lines.map((line) => heads.map((head) => line[head]))]);

// biome-ignore format: a table of names
const HEADS = [
  "group", "model", "run", "set", "task", "split", "prompt", "shots", "scoring", "perturb", "metric", "value", "low", "high",
  "wilson_low", "wilson_high", "n", "items", "estimate", "asked", "leaked", "drop_leaked", "chance", "accuracy_of_parsed", ...STATUSES, "source",
  "signature",
];

const PLACE = ["model", "task", "set", "split", "variant", "shots", "scoring", "perturb"] as const;

/** All figures of some sheets as one CSV, a line each: what a section has under any choice of its pickers. */
export function exportSheets(id: string, sheets: Sheet[]): void {
  const heads = ["table", "run", ...PLACE, "group", "row", "column", "value", "low", "high"];
  saveLines(id, heads, sheets.flatMap(sheetLines));
}

function sheetLines(sheet: Sheet): Line[] {
  const isName = (column: SheetColumn, n: number) => n === 0 || column.key || n === sheet.chart?.across;
  return blocksOf(sheet.rows).flatMap(({ group, rows }) =>
    rows.flatMap((row) => {
      const named = sheet.columns.flatMap((column, n) =>
        isName(column, n) ? cellText(column, row.cells[n]).text : [],
      );
      return sheet.columns.flatMap((column, n): Line[] => {
        const { value, low, high } = asValue(row.cells[n]);
        if (isName(column, n) || !(isNumber(value) || isNumber(low))) return [];
        const about: About = { ...sheet.about, ...row.about, ...column.about };
        return [
          {
            ...Object.fromEntries(PLACE.map((name) => [name, about[name]])),
            ...{ table: titleOf(sheet), run: data.runs[sheet.run ?? 0].name, group: inWords(group?.cells[0] as Words) },
            ...{
              row: named.join(" · "),
              column: [column.heading, column.below].map(inWords).filter(Boolean).join(" "),
            },
            ...{ value: isNumber(value) ? value : null, low, high },
          },
        ];
      });
    }),
  );
}

interface Place {
  set: string | null;
  task: Task;
}

export function exportCsv(): void {
  const columns: Place[] = benchmarksShown().flatMap((b: Benchmark) =>
    tablesOf(b).flatMap((table: { columns: Place[] }) => table.columns),
  );
  const rows: { model: Model }[] = [...ownRows(false), ...ownRows(true)];
  const lines = columns.flatMap((place) => [
    ...rows.flatMap(({ model }) => modelLine(model, place)),
    ...(state.published ? paperLines(place) : []),
  ]);
  saveLines("leaderboard", HEADS, lines);
}

function modelLine(model: Model, place: Place): Line[] {
  const c = entryAt(model.id, place) as Cell | undefined; // a mean has only some of a cell's fields
  if (!c) return [];
  const metric = metricOf(place.task);
  const m: Partial<MetricValue> = c.metrics?.[metric] ?? {};
  const [wilson_low, wilson_high] = m.wilson ?? [];
  const group = model.baseline ? "baseline" : "model";
  return [
    {
      ...{ group, model: c.model, run: data.runs[model.run]?.name, set: place.set ?? "mean", task: place.task.name },
      ...{ split: c.split, prompt: c.variant, shots: c.shots, scoring: c.scoring, perturb: c.perturb, metric },
      ...{ value: m.value, low: m.low, high: m.high, wilson_low, wilson_high, n: m.n, items: c.items },
      ...estimateColumns(entryAt(model.id, place)),
      ...{ leaked: c.facts?.leaked, drop_leaked: c.facts?.drop_leaked },
      ...{ chance: c.chance, accuracy_of_parsed: c.accuracy_of_parsed, signature: m.signature },
      ...(place.set === null ? {} : counts(c)),
    },
  ];
}

/** The columns about estimates: method and number of items; for a mean, whether some of its sets were estimated. */
function estimateColumns(entry: ReturnType<typeof entryAt>): Line {
  if (!entry) return {};
  if ("sets" in entry) return { estimate: entry.estimates ? "some sets" : undefined };
  return { estimate: entry.estimate?.method, asked: entry.estimate?.asked };
}

function paperLines({ set, task }: Place): Line[] {
  const metric = metricOf(task);
  const found: Map<string, { value: number; sources: string[] }> = published(set, task.name, metric);
  const of = { group: "published", set: set ?? "mean", task: task.name, shots: state.shots };
  const way = { scoring: scoringOf(task), perturb: perturbOf(task), metric: publishedAs(task, metric) };
  return [...found].map(([model, p]) => ({ ...of, ...way, model, value: p.value, source: p.sources.join("; ") }));
}
