// CSV files with a line for each figure: of the overview, and of the sheets of a section.
import { saveCsv } from "../../common/files.ts";
import { isNumber } from "../../common/numbers.ts";
import { allOwnRows, entryAt, published, type TaskAndSet, tablesOf } from "../columns.ts";
import { counts, data, fileStem } from "../data.ts";
import { benchmarksShown, perturbOf, scoringOf } from "../filters.ts";
import { metricOf } from "../metric_choice.ts";
import { publishedAs } from "../metrics.ts";
import { state } from "../state.ts";
import { STATUSES } from "../statuses.ts";
import { blocksOf } from "../tables/blocks.ts";
import { asValue, cellText, headingWords, titleOf } from "../tables/figures.ts";
import type { About, Cell, MetricValue, Model, Sheet, SheetColumn } from "../types.ts";

/** A line of a CSV file: heading -> value. Under a heading without a value the line is empty. */
export type CsvLine = Record<string, string | number | boolean | null | undefined>;

const saveLines = (name: string, heads: string[], lines: CsvLine[]): void =>
  saveCsv(`${fileStem()}-${name}.csv`, [heads, ...lines.map((line) => heads.map((head) => line[head]))]);

// biome-ignore format: a table of names
export const HEADS = [
  "group", "model", "run", "set", "task", "split", "prompt", "shots", "scoring", "perturb", "metric", "value", "low", "high",
  "wilson_low", "wilson_high", "n", "requests", "estimate", "asked", "leaked", "drop_leaked", "chance", "accuracy_of_parsed", ...STATUSES, "source",
  "signature",
];

const PLACE = ["model", "task", "set", "split", "variant", "shots", "scoring", "perturb"] as const;

/** Save all figures of some sheets as one CSV, a line each. The values picked in the section do not matter. */
export function exportSheets(id: string, sheets: Sheet[]): void {
  const heads = ["table", "run", ...PLACE, "group", "row", "column", "value", "low", "high"];
  saveLines(id, heads, sheets.flatMap(sheetLines));
}

export function sheetLines(sheet: Sheet): CsvLine[] {
  const isName = (column: SheetColumn, n: number) => n === 0 || column.key || n === sheet.chart?.across;
  return blocksOf(sheet.rows).flatMap(({ group, rows }) =>
    rows.flatMap((row) => {
      const named = sheet.columns.flatMap((column, n) =>
        isName(column, n) ? cellText(column, row.cells[n]).text : [],
      );
      return sheet.columns.flatMap((column, n): CsvLine[] => {
        const { value, low, high } = asValue(row.cells[n]);
        if (isName(column, n) || !(isNumber(value) || isNumber(low))) return [];
        const about: About = { ...sheet.about, ...row.about, ...column.about };
        return [
          {
            ...Object.fromEntries(PLACE.map((name) => [name, about[name]])),
            table: titleOf(sheet),
            run: data.runs[sheet.run ?? 0].name,
            group: cellText(sheet.columns[0], group?.cells[0]).text,
            row: named.join(" · "),
            column: headingWords(column),
            value: isNumber(value) ? value : null,
            low,
            high,
          },
        ];
      });
    }),
  );
}

export const exportCsv = (): void => saveLines("leaderboard", HEADS, overviewLines());

/** A line for each figure of the overview: of models, of baselines and of papers. */
export function overviewLines(): CsvLine[] {
  const columns = benchmarksShown().flatMap((b) => tablesOf(b).flatMap((table) => table.columns));
  const rows = allOwnRows();
  return columns.flatMap((at) => [
    ...rows.flatMap(({ model }) => modelLine(model, at)),
    ...(state.published ? paperLines(at) : []),
  ]);
}

function modelLine(model: Model, { set, task }: TaskAndSet): CsvLine[] {
  const entry = entryAt(model.id, { set, task });
  const c = entry as Cell | undefined; // a mean has only some of a cell's fields
  if (!c) return [];
  const metric = metricOf(task);
  const m: Partial<MetricValue> = c.metrics?.[metric] ?? {};
  const [wilson_low, wilson_high] = m.wilson ?? [];
  return [
    {
      group: model.baseline ? "baseline" : "model",
      model: c.model,
      run: data.runs[model.run]?.name,
      set: set ?? "mean",
      task: task.name,
      split: c.split,
      prompt: c.variant,
      shots: c.shots,
      scoring: c.scoring,
      perturb: c.perturb,
      metric,
      value: m.value,
      low: m.low,
      high: m.high,
      wilson_low,
      wilson_high,
      n: set === null ? c.items : m.n,
      requests: set === null ? undefined : c.items,
      ...estimateColumns(entry),
      leaked: c.facts?.leaked,
      drop_leaked: c.facts?.drop_leaked,
      chance: c.chance,
      accuracy_of_parsed: c.accuracy_of_parsed,
      signature: m.signature,
      ...(set === null ? {} : counts(c)),
    },
  ];
}

/** The columns about estimates: method and number of items; for a mean, whether some of its sets were estimated. */
function estimateColumns(entry: ReturnType<typeof entryAt>): CsvLine {
  if (!entry) return {};
  if ("sets" in entry) return { estimate: entry.estimates ? "some sets" : undefined };
  return { estimate: entry.estimate?.method, asked: entry.estimate?.asked };
}

function paperLines({ set, task }: TaskAndSet): CsvLine[] {
  const metric = metricOf(task);
  const figures = published(set, task.name, metric);
  return [...figures].map(([model, { value, sources }]) => ({
    group: "published",
    model,
    set: set ?? "mean",
    task: task.name,
    shots: state.shots,
    scoring: scoringOf(task),
    perturb: perturbOf(task),
    metric: publishedAs(task, metric),
    value,
    source: sources.join("; "),
  }));
}
