// Accuracy against tokens: a point for each model and way of asking, with the tokens of its replies.
import { isNumber, type Maybe, mean, NAMES, num, sumOf } from "../common/numbers.ts";
import type { TokenCounts } from "../types/results.ts";
import { address, data, modelOf, models } from "./data.ts";
import { estimateWords } from "./estimates.ts";
import { inSight, onPage, perturbOf, setNames } from "./filters.ts";
import { metricOf, tasks } from "./metric_choice.ts";
import { isLower, isRaw, isSigned } from "./metrics.ts";
import { state } from "./state.ts";
import type { Cell, Place, Task } from "./types.ts";

export type Way = Pick<Place, "variant" | "shots" | "scoring">;
/** The tokens and cost of the replies of one or of several cells. For several, median and percentile are not known. */
export type TokenFigures = Omit<TokenCounts, "median" | "p90"> & Partial<Pick<TokenCounts, "median" | "p90">>;
export interface Spent extends Way {
  id: string;
  /** The point's cell; undefined if the figures are means over tasks. */
  cell?: Cell;
  value: number;
  low?: Maybe;
  high?: Maybe;
  /** The words about an estimate, or about a mean that contains one. */
  estimated: string;
  /** The tokens; null if nothing was written. */
  took: TokenFigures | null;
}
/** The drawn points, and the numbers of ways that cannot be drawn: without counted tokens, or without some of the tasks. */
export interface Drawn {
  points: Spent[];
  uncounted: number;
  partial: number;
}

/** A number of tokens as text: 7.3, 42, 1,204. */
export const count = (v: number) => (v < 9.95 ? String(+v.toFixed(1)) : num(Math.round(v)));

/** Whether the model writes nothing, since the scoring compares likelihoods of options. */
export const isLikelihood = ({ scoring }: Way) => scoring === "labels" || scoring === "texts";

const wayOf = (c: Way) => address(c.variant, c.shots, c.scoring);

/** The cells of models in view in every way of asking, with the other choices as they are. */
function cells(): Cell[] {
  return data.cells.filter((c) => {
    const task = tasks.find((x) => x.name === c.task);
    return task && c.split === state.split && onPage(c) && c.perturb === perturbOf(task) && inSight(modelOf(c.id));
  });
}

/** Set -> its tasks with at least two points whose tokens were counted. */
export function tokenPlaces(): Map<string, Task[]> {
  const counted = new Map<string, number>();
  for (const { set, task, tokens } of cells())
    if (tokens) counted.set(address(set, task), (counted.get(address(set, task)) ?? 0) + 1);
  const several = (set: string, task: Task) => (counted.get(address(set, task.name)) ?? 0) > 1;
  const found = setNames().map((set): [string, Task[]] => [set, tasks.filter((x) => several(set, x))]);
  return new Map(found.filter(([, all]) => all.length));
}

/** The tasks that can be averaged: their metrics are shares. Prefers tasks that were asked in several ways. */
export function averaged(set: string, all: Task[]): Task[] {
  const shares = all.filter((x) => !isRaw(metricOf(x)) && !isSigned(metricOf(x)) && !isLower(metricOf(x)));
  const here = cells().filter((c) => c.set === set && c.tokens);
  const ways = (x: Task) => new Set(here.filter((c) => c.task === x.name).map(wayOf)).size;
  const several = shares.filter((x) => ways(x) > 1);
  return several.length ? several : shares;
}

/** The points of a set; for several tasks each has the means over all of them. */
export function tokenPoints(set: string, chosen: Task[]): Drawn {
  const names = chosen.map((x) => x.name);
  const groups = new Map<string, Cell[]>();
  for (const c of cells().filter((c) => c.set === set && names.includes(c.task))) {
    const key = address(c.id, wayOf(c));
    groups.set(key, [...(groups.get(key) ?? []), c]);
  }
  const found: Drawn = { points: [], uncounted: 0, partial: 0 };
  for (const [, group] of [...groups].sort(([a, [one]], [b, [other]]) => before(one, other) || NAMES.compare(a, b))) {
    if (!isLikelihood(group[0]) && !group.some((c) => c.tokens)) found.uncounted++;
    else if (group.length < chosen.length) found.partial++;
    else found.points.push(...pointOf(group, chosen));
  }
  return found;
}

/** Sort by model, then written replies before likelihoods. */
const before = (a: Cell, b: Cell) => order(a) - order(b) || Number(isLikelihood(a)) - Number(isLikelihood(b));
const order = (c: Cell) => [...models.keys()].indexOf(c.id);

function pointOf(group: Cell[], chosen: Task[]): Spent[] {
  const metrics = chosen.map((x) => group.find((c) => c.task === x.name)?.metrics?.[metricOf(x)]);
  const value = mean(metrics.map((m) => m?.value));
  const written = !isLikelihood(group[0]);
  const took = written ? together(group.map((c) => c.tokens)) : null;
  if (!isNumber(value) || (written && !took)) return [];
  const { id, variant, shots, scoring } = group[0];
  const own = group.length === 1 ? { cell: group[0], low: metrics[0]?.low, high: metrics[0]?.high } : {};
  return [{ id, variant, shots, scoring, value, took, estimated: estimateWords(group), ...own }];
}

/** The tokens of several cells. Every cell has the same weight in means, as in the metric's mean. */
function together(all: (TokenCounts | null | undefined)[]): TokenFigures | null {
  const found = all.filter((x) => x !== null && x !== undefined);
  if (!found.length || found.length < all.length) return null;
  if (found.length === 1) return found[0];
  const total = sumOf(found.map((x) => x.total));
  const costs = found.map((x) => x.cost).filter(isNumber);
  return {
    replies: sumOf(found.map((x) => x.replies)),
    mean: sumOf(found.map((x) => x.mean)) / found.length,
    total,
    thinking: total ? sumOf(found.map((x) => x.thinking * x.total)) / total : 0,
    by_characters: sumOf(found.map((x) => x.by_characters)),
    prompt: sumOf(found.map((x) => x.prompt)) / found.length,
    ...(costs.length === found.length ? { cost: sumOf(costs) } : {}),
  };
}

/** The settings in which some of the points differ. */
export function differing(points: Way[]): (keyof Way)[] {
  const parts = ["variant", "shots", "scoring"] as const;
  return parts.filter((part) => new Set(points.map((p) => p[part])).size > 1);
}
