// The comparison of scorings: written replies against likelihoods.
import { div, h, note, section } from "../../common/dom.ts";
import { isNumber, mean, num, pct } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import { haveSameItems } from "../columns.ts";
import { picker } from "../controls.ts";
import { counts, data, isChoice, metricRows, models, taskOf } from "../data.ts";
import { estimateFlag } from "../details.ts";
import { cellAt, hasChosenSettings, isShown, perturbOf, setNames } from "../filters.ts";
import { tasks } from "../metric_choice.ts";
import { setLabel, setTitle, taskName } from "../names.ts";
import { state } from "../state.ts";
import { SCORINGS } from "../statuses.ts";
import { nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Cell, Flag, Model, Sheet, SheetCell, SheetColumn, SheetValue, Task } from "../types.ts";

/** A column of the comparison: a scoring, and a metric of the cells that were asked in it. */
interface ScoringColumn {
  scoring: string;
  metric: string;
  /** The column's heading and the heading above it; "" for none. */
  name: string;
  over: string;
}

/** Headings of the measures of likelihood, by the end of a metric's name. */
const LIKELIHOODS: Record<string, string> = { token: "perToken", sum: "perSum", char: "perChar", prior: "lessPrior" };

/** The metric that all choices have; a task's first may be another. */
const METRIC = "accuracy";

/** The columns for `cells`: one for each scoring, or one for each of its measures of likelihood if it has several. */
function waysIn(cells: Cell[]): ScoringColumn[] {
  return SCORINGS.flatMap((scoring) => {
    const mine = cells.filter((c) => c.scoring === scoring);
    if (!mine.length) return [];
    const form = (m: string): string => LIKELIHOODS[m.slice(METRIC.length + 1)];
    const has = (m: string): boolean => mine.some((c) => c.metrics?.[m]);
    const forms = [...metricRows.keys()].filter((m: string) => m.startsWith(`${METRIC}_`) && form(m) && has(m));
    if (!forms.length) return [{ scoring, metric: METRIC, name: scoring, over: "" }];
    return forms.map((m) => ({ scoring, metric: m, name: form(m), over: scoring }));
  });
}

/** Accuracy by scoring, a row for each model, for one choice task or the mean of all. Likelihoods need no answer in the right form:
 *  a model that is better by them knows more than its written replies show. */
export function drawScorings() {
  const cells: Cell[] = data.cells.filter(
    (c: Cell) => hasChosenSettings(c) && isChoice(taskOf(c.task)) && c.perturb === perturbOf(taskOf(c.task)),
  );
  const ways = waysIn(cells);
  if (ways.length < 2) return null;
  const sets: string[] = setNames().filter((x) => cells.some((c) => c.set === x));
  const set = sets.includes(state.waySet) ? state.waySet : sets[sets.length - 1];
  const here = cells.filter((c) => c.set === set);
  const all: Task[] = tasks.filter((x: Task) => here.some((c) => c.task === x.name));
  const chosen = all.some((x) => x.name === state.wayTask) ? [taskOf(state.wayTask)] : all;
  const compared = (m: Model): boolean =>
    here.some((c) => c.id === m.id && (c.scoring !== ways[0].scoring || !m.baseline));
  const rows: Model[] = [...models.values()].filter((m) => isShown(m) && compared(m));
  const title = `${t("byScoring")} · ${setLabel(set)} · ${chosen.length > 1 ? t("meanOf", chosen.length) : chosen.map(taskName)}`;
  const ofTask = (name: string): string => (name ? taskName(taskOf(name)) : t("meanOf", all.length));
  const chances = chosen.map((x) => here.find((c) => c.task === x.name && isNumber(c.chance))?.chance);
  const sheet: Sheet = {
    name: "scorings",
    title,
    columns: [{ heading: t("model") }, ...ways.flatMap(wayColumns)],
    rows: [
      { part: "chance", cells: [t("chance"), ...ways.flatMap((way) => chanceCells(way, mean(chances)))] },
      ...rows.map((m) => ({ cells: scoringCells(m, ways, set, chosen) })),
    ],
    look: "scorings",
  };
  return section(
    "byscoring",
    h("h2", null, t("byScoring")),
    note(t("byScoringNote"), chosen.length > 1 && t("meanNote")),
    div(
      "controls",
      picker("wayTask", t("task"), ["", ...all.map((x) => x.name)], chosen.length > 1 ? "" : chosen[0]?.name, ofTask),
      picker("waySet", t("set"), sets, set, setTitle),
    ),
    sheetNode(sheet, { id: "by-scoring", heading: null, where: t("byScoring") }),
  );
}

/** Whether models write replies under the scoring; a second column then has the share of replies without an answer. */
const wrote = ({ scoring }: ScoringColumn): boolean => scoring === SCORINGS[0];

function wayColumns(way: ScoringColumn): SheetColumn[] {
  const over = way.over && t(way.over);
  const column: SheetColumn = { heading: t(way.name), over, kind: "percent", marks: { way: way.name } };
  const silent: SheetColumn = { heading: t("noAnswer"), kind: "percent", marks: { way: "silent" } };
  return [{ ...column, interval: "aligned", spoken: t(way.name) }, ...(wrote(way) ? [silent] : [])];
}

const chanceCells = (way: ScoringColumn, chance: number | null): SheetCell[] => [
  { value: chance },
  ...(wrote(way) ? [null] : []),
];

function scoringCells(model: Model, ways: ScoringColumn[], set: string, chosen: Task[]): SheetCell[] {
  const cellsOf = (way: ScoringColumn): (Cell | undefined)[] =>
    chosen.map((x) => cellAt(model.id, set, x.name, way.scoring));
  const unlike = chosen.some((_, i) => !haveSameItems(ways.flatMap((way) => cellsOf(way)[i] ?? [])));
  const name: SheetValue = { ...nameCell(model), flags: unlike ? [{ text: t("differWays") }] : [] };
  return [name, ...ways.flatMap((way) => wayCells(way, cellsOf(way)))];
}

/** The mean over the chosen tasks; for one task the cell's value, which opens its evidence. */
function wayCells(way: ScoringColumn, cells: (Cell | undefined)[]): SheetValue[] {
  const figures = cells.map((c) => c?.metrics?.[way.metric]);
  const only = cells.length === 1 ? cells[0] : undefined;
  const amiss = !wrote(way) && cells.some((c) => c && counts(c).none > 0);
  const silent = [{ text: `${silentShare(cells)} ${t("noAnswer")}` }];
  const lost = lostFlag(cells);
  const estimate = cells.some((c) => c?.estimate) ? (only && estimateFlag(only)) || { text: "≈" } : null;
  return [
    {
      value: mean(figures.map((m) => m?.value)),
      ...(only ? { low: figures[0]?.low, high: figures[0]?.high, spread: figures[0]?.spread, cell: only } : {}),
      flags: [...(amiss ? silent : []), ...(lost ? [lost] : []), ...(estimate ? [estimate] : [])],
    },
    ...(wrote(way) ? [silentCell(cells, only)] : []),
  ];
}

const silentCell = (cells: (Cell | undefined)[], only: Cell | undefined): SheetValue => ({
  value: silentOf(cells),
  text: silentShare(cells),
  flags: only && counts(only).none > 0 ? [{ text: "", statuses: only }] : [],
});

/** The share of received replies that have no answer. */
const silentOf = (cells: (Cell | undefined)[]): number | null =>
  mean(
    cells.map((c) => {
      const { none = 0, parsed = 0 } = c ? counts(c) : {};
      return none + parsed ? none / (none + parsed) : null;
    }),
  );

function silentShare(cells: (Cell | undefined)[]): string {
  const share = silentOf(cells);
  return isNumber(share) ? `${pct(share)} %` : "–";
}

function lostFlag(cells: (Cell | undefined)[]): Flag | null {
  const lost = cells.reduce((sum, c) => sum + (c ? counts(c).failed + (c.estimate ? 0 : counts(c).missing) : 0), 0);
  return lost > 0 ? { text: `${num(lost)} ${t("failedN")} / ${t("missing")}`, grave: true } : null;
}
