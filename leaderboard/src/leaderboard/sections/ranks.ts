// Average ranks of models over the tasks of a set, with Friedman's test and Nemenyi's critical difference (Demšar 2006).
// The page computes them by the rules of analyses/average_ranks.py, since they depend on the chosen metric and settings.
import { div, h, note, para, section } from "../../common/dom.ts";
import { isNumber, sumOf } from "../../common/numbers.ts";
import { sentences, t } from "../../common/words.ts";
import { panels } from "../charts/marks.ts";
import { savers } from "../charts/picture.ts";
import { type AverageRanks, rankFigure, rankPanel } from "../charts/ranks.ts";
import { hardestFirst, type OverviewTable, type OwnRow, ownRows, rankedOnSameItems } from "../columns.ts";
import { benchmarkOf, counts, data } from "../data.ts";
import { benchmarksShown, cellAt } from "../filters.ts";
import { metricOf, tasks } from "../metric_choice.ts";
import { baseName, isLower, metricName } from "../metrics.ts";
import { setTitle, taskName } from "../names.ts";
import { FRIEDMAN_NEEDS, friedman, midranks } from "../statistics.ts";
import { nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Benchmark, Sheet, SheetColumn, SheetValue, Task } from "../types.ts";

/** The ranks of a benchmark's set in view; null unless two models have values in two columns. Benchmarks may have sets of one name. */
export function averageRanks(b: Benchmark, set: string): AverageRanks | null {
  const rows = ownRows(false);
  const cell = (r: OwnRow, x: Task) => cellAt(r.model.id, set, x.name);
  const cells = (x: Task) => rows.flatMap((r) => cell(r, x) ?? []);
  const withCells = tasks.filter((x) => benchmarkOf(x) === b && cells(x).length);
  const columns = withCells.filter((x) => rankedOnSameItems(cells(x)));
  const isWhole = (r: OwnRow, x: Task) => {
    const c = cell(r, x);
    return c && counts(c).failed + counts(c).missing === 0 && isNumber(r.value(set, x));
  };
  const ranked = rows.filter((r) => columns.every((x) => isWhole(r, x)));
  if (ranked.length < 2 || columns.length < 2) return null;
  const few = ranked.some((r) => columns.some((x) => !isNumber(r.metric(set, x)?.low)));
  const byColumn = columns.map((x) => {
    const sign = isLower(metricOf(x)) ? 1 : -1;
    return midranks(ranked.map((r) => sign * Number((r.value(set, x) ?? 0).toFixed(12))));
  });
  const withMeans = ranked.map(({ model }, i) => {
    const ranks = byColumn.map((c) => c[i]);
    return { model, ranks, mean: sumOf(ranks) / ranks.length, low: Math.min(...ranks), high: Math.max(...ranks) };
  });
  return {
    title: setTitle(set, b),
    set,
    columns,
    rows: withMeans.sort((a, b) => a.mean - b.mean),
    withoutRanks: rows.filter((r) => !ranked.includes(r)),
    askedDifferently: withCells.filter((x) => !columns.includes(x)),
    ...compared(byColumn, withMeans.length, few),
    few,
  };
}

/** Friedman's test, and the critical difference if the test is significant; neither for values from too few dialogues. */
function compared(byColumn: number[][], models: number, few: boolean): Pick<AverageRanks, "test" | "cd"> {
  const n = byColumn.length;
  const test = !few && models >= FRIEDMAN_NEEDS.models && n >= FRIEDMAN_NEEDS.columns ? friedman(byColumn) : null;
  const q = data.nemenyi?.[models];
  return { test, cd: test && test.p < 0.05 && q ? q * Math.sqrt((models * (models + 1)) / (6 * n)) : null };
}

export function drawRanks() {
  const ranksIn = ({ b, columns: [{ set }] }: OverviewTable) => (set !== null && averageRanks(b, set)) || [];
  const all = benchmarksShown()
    .filter((b) => !b.averaged)
    .flatMap(hardestFirst)
    .flatMap(ranksIn);
  if (!all.length) return null;
  const mixed = all.some((x) => new Set(x.columns.map((c) => baseName(metricOf(c)))).size > 1);
  return section(
    "ranks",
    div("titled", h("h2", null, t("ranks")), savers("rank-plots", t("ranks"))),
    note(t("ranksNote"), all.some((x) => x.cd) && t("ranksPlot")),
    para("notice caution", sentences(t("ranksCaution"), mixed && t("ranksMixed"))),
    panels("rank-plots", all.map(rankPanel)),
    all.map((x) =>
      h("details", { class: "numbers" }, h("summary", null, t("ranksNumbers"), " · ", x.title), rankTable(x)),
    ),
  );
}

function rankTable({ title, set, rows, columns }: AverageRanks) {
  const best = (v: number): SheetValue => ({ value: v, text: String(v), tone: v === 1 ? "strong" : "" });
  const sheet: Sheet = {
    name: "ranks",
    title: `${t("ranks")} · ${title}`,
    columns: [
      { heading: t("model") },
      { heading: t("meanRank"), kind: "number" },
      { heading: t("fromToRank"), kind: "count", interval: "alone" },
      ...columns.map((x): SheetColumn => ({ heading: taskName(x), below: metricName(metricOf(x)), kind: "number" })),
    ],
    rows: rows.map((r) => {
      const average: SheetValue = { value: r.mean, text: rankFigure(r.mean), tone: "strong" };
      return { cells: [nameCell(r.model), average, { value: null, low: r.low, high: r.high }, ...r.ranks.map(best)] };
    }),
    look: "robust ranks",
    marks: { set },
  };
  return sheetNode(sheet, { id: `ranks-${set}`, heading: null });
}
