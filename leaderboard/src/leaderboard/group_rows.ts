// Groups of benchmarks in view, with one row for each model. The means come from results.json; nothing here computes them.
import { NAMES } from "../common/numbers.ts";
import type { BenchmarkGroup, GroupChange, GroupColumn, GroupPart, GroupRow, GroupScore } from "../types/results.ts";
import { rankedOnSameItems } from "./columns.ts";
import { cellIndex, cellKey, data, modelId, models } from "./data.ts";
import { isShown } from "./filters.ts";
import { type State, state } from "./state.ts";
import { meanRanks } from "./statistics.ts";
import type { Cell, Model } from "./types.ts";

/** A model's row, with the columns of its run. */
export interface GroupTableRow {
  model: Model;
  row: GroupRow;
  columns: GroupColumn[];
}
export interface GroupTableColumn extends GroupColumn {
  /** Whether the rows can be compared: all have the same parts, and the same items in each. */
  alike: boolean;
}
export interface GroupTable {
  group: BenchmarkGroup;
  columns: GroupTableColumn[];
  /** The columns of changes: each perturbation and benchmark for which at least one row has a change. */
  changes: Pick<GroupChange, "perturb" | "benchmark">[];
  rows: GroupTableRow[];
}
/** The task and set of a part of a mean, and the two settings in which parts of one mean may differ. */
export type PartPlace = Pick<GroupPart, "task" | "set" | "shots" | "scoring">;

type RowSettings = Pick<State, "variant" | "shots" | "scoring">;
const sameSettings = (a: RowSettings, b: RowSettings) =>
  a.variant === b.variant && a.shots === b.shots && a.scoring === b.scoring;

/** The groups of the page's runs, with the models in view under the chosen settings. */
export function groupTables(): GroupTable[] {
  const groups = data.runs.flatMap((run, i) =>
    (run.groups ?? []).filter(({ split }) => split === state.split).map((group) => ({ group, run: i })),
  );
  const names = [...new Set(groups.map(({ group }) => group.name))];
  return names.flatMap((name) => groupTableOf(groups.filter(({ group }) => group.name === name)) ?? []);
}

/** The rows of a group under the chosen settings; if no model has these, under the settings of the first row. */
function groupTableOf(groups: { group: BenchmarkGroup; run: number }[]): GroupTable | null {
  const all = groups.flatMap(({ group, run }) =>
    group.rows.flatMap((row): GroupTableRow[] => {
      const model = models.get(modelId(run, row.model));
      return model && isShown(model) ? [{ model, row, columns: group.columns }] : [];
    }),
  );
  if (!all.length) return null;
  const settings = all.some(({ row }) => sameSettings(row, state)) ? state : all[0].row;
  const rows = all.filter(({ row }) => sameSettings(row, settings));
  const named = new Map(groups.flatMap(({ group }) => group.columns).map((c) => [`${c.kind}:${c.name}`, c]));
  const columns = [...named.values()].sort((a, b) => Number(a.kind === "ability") - Number(b.kind === "ability"));
  const changes = new Map(rows.flatMap(({ row }) => row.changes).map((c) => [`${c.perturb}:${c.benchmark}`, c]));
  const perturbs = data.perturbations.map((x) => x.name);
  const benchmarks = columns.map((c) => c.name);
  const inOrder = (a: GroupChange, b: GroupChange) =>
    perturbs.indexOf(a.perturb) - perturbs.indexOf(b.perturb) ||
    benchmarks.indexOf(a.benchmark) - benchmarks.indexOf(b.benchmark);
  const measured = columns.filter(({ kind }) => kind === "benchmark");
  const ranks = meanRanks(measured.map((column) => rows.map((row) => scoreIn(row, column)?.value ?? null)));
  const rank = new Map(rows.map((row, i) => [row, ranks[i] ?? 0]));
  rows.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0) || NAMES.compare(a.model.label, b.model.label));
  return {
    group: groups[0].group,
    columns: columns.map((c) => ({ ...c, alike: isAlike(c, rows) })),
    changes: [...changes.values()].sort(inOrder),
    rows,
  };
}

const isOf = (of: Pick<GroupColumn, "kind" | "name">) => (x: Pick<GroupColumn, "kind" | "name">) =>
  x.kind === of.kind && x.name === of.name;

export const scoreIn = ({ row }: GroupTableRow, of: GroupColumn): GroupScore | undefined => row.scores.find(isOf(of));

export const changeIn = ({ row }: GroupTableRow, of: GroupTable["changes"][number]): GroupChange | undefined =>
  row.changes.find((c) => c.perturb === of.perturb && c.benchmark === of.benchmark);

/** The names of the parts ("task/set") that a column has in the row's run: runs may have other tasks. */
export const partsOf = ({ columns }: GroupTableRow, of: GroupColumn): string[] => columns.find(isOf(of))?.parts ?? [];

export const partName = ({ task, set }: Pick<PartPlace, "task" | "set">) => `${task}/${set}`;

/** The parts of a mean that have a value in the row. */
export const presentParts = (row: GroupTableRow, of: GroupColumn): GroupPart[] => {
  const wanted = partsOf(row, of);
  return row.row.parts.filter((part) => wanted.includes(partName(part)));
};

/** The cell whose value is a part of a mean. */
export const cellOfPart = ({ model, row }: GroupTableRow, part: PartPlace, perturb = "none"): Cell | undefined => {
  const { task, set, shots, scoring } = part;
  const { split, variant } = row;
  return cellIndex.get(cellKey({ id: model.id, task, set, split, variant, shots, scoring, perturb }));
};

/** Whether a column's complete rows can be compared: they have the same parts, and the cells of each part have the same items. */
function isAlike(of: GroupColumn, rows: GroupTableRow[]): boolean {
  const whole = rows.filter((row) => scoreIn(row, of)?.missing.length === 0);
  if (new Set(whole.map((row) => partsOf(row, of).join())).size > 1) return false;
  return of.parts.every((name) => {
    const cells = whole.flatMap((row) => {
      const part = row.row.parts.find((x) => partName(x) === name);
      return (part && cellOfPart(row, part)) ?? [];
    });
    return rankedOnSameItems(cells);
  });
}

/** The weight of each part, as in analyses/overview.py: equal for all tasks, and equal for the sets of a task. */
export function weightsOf(parts: string[]): Map<string, number> {
  const sets = new Map<string, string[]>();
  for (const part of parts) {
    const task = part.split("/")[0];
    sets.set(task, [...(sets.get(task) ?? []), part]);
  }
  return new Map([...sets.values()].flatMap((own) => own.map((part) => [part, 1 / (sets.size * own.length)] as const)));
}

export const tasksIn = (parts: string[]): number => new Set(parts.map((part) => part.split("/")[0])).size;
