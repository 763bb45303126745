// A diagram of average ranks with the critical difference (Demšar 2006).
import { type Kid, para } from "../../common/dom.ts";
import { fixed } from "../../common/numbers.ts";
import { dataNode } from "../../common/passage.ts";
import { t } from "../../common/words.ts";
import { taskName } from "../names.ts";
import { FRIEDMAN_NEEDS } from "../statistics.ts";
import type { Model, Task } from "../types.ts";
import { cliques, ROW, shareScale } from "./axis.ts";
import { dot, group, horizontalInterval, label, line, Points, rowMiddle, withTooltip } from "./marks.ts";

/** A model with its ranks in the columns, their mean, the smallest and the largest. */
interface RankedModel {
  model: Model;
  ranks: number[];
  mean: number;
  low: number;
  high: number;
}
/** The average ranks of models on a set. A column is a task. */
export interface AverageRanks {
  /** The set's name with its benchmark's. */
  title: string;
  set: string;
  columns: Task[];
  /** The models with their mean ranks, best first. */
  rows: RankedModel[];
  /** Models without ranks. */
  withoutRanks: { label: string }[];
  /** Tasks without ranks: the models were asked different items. */
  askedDifferently: Task[];
  /** Friedman's test; null if there are too few models, columns or dialogues. */
  test: { statistic: number; p: number } | null;
  /** The critical difference; null if there is none. */
  cd: number | null;
  /** Whether some value has no interval, since its items come from too few dialogues for a test. */
  few: boolean;
}

export const rankFigure = (v: number) => fixed(v, 2);
const pValue = (p: number) => (p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`);

export function rankPanel({
  title,
  set,
  columns,
  rows,
  withoutRanks,
  askedDifferently,
  test,
  cd,
  few,
}: AverageRanks): HTMLElement {
  const k = rows.length;
  const joined = cd ? cliques(rows, cd) : [];
  const top = (cd ? 22 : 0) + 20;
  const head = top + 8 + joined.length * 7;
  const across = shareScale(1, Math.max(2, k));
  const step = Math.ceil((k - 1) / 9);
  const ticks = rows.map((_, i) => i + 1).filter((v) => (v - 1) % step === 0);
  const words = rows.map((r) => `${r.model.label} ${rankFigure(r.mean)} (${r.low}–${r.high})`);
  const note = (word: string, names: Kid) => para("note", t(word), " ", names);
  const unrankedNames = withoutRanks.map((r, i) => [i > 0 && ", ", dataNode("span", "", r.label)]);
  const points = new Points();
  const one = (r: RankedModel, i: number) => {
    const y = head + rowMiddle(i);
    const point = { x: across(r.mean), y, words: words[i], line: r.model.id };
    const mean = points.point(point, (px, py) => dot("dot full", px, py, 4.5));
    return group("own", null, horizontalInterval(across(r.low), across(r.high), y, 3), mean);
  };
  return points.panel(
    {
      data: { "data-set": set },
      title,
      small: verdictOf({ test, cd, few }, columns.length),
      cls: "cd",
      size: ["100%", head + k * ROW],
      words: `${t("ranks")}, ${title}: ${words.join("; ")}${cd ? `; ${t("cdIs", rankFigure(cd))}` : ""}`,
      rows: { models: rows.map((r) => r.model), head },
      notes: [
        withoutRanks.length > 0 && note("ranksLeft", unrankedNames),
        askedDifferently.length > 0 && note("ranksUnlike", askedDifferently.map(taskName).join(", ")),
      ],
    },
    cd && ruler(cd, k, across),
    ticks.map((v) => [
      line("grid", across(v), across(v), top, head + k * ROW),
      label(across(v), top - 5, String(v), "middle"),
    ]),
    joined.map(([a, b], i) => clique(rows.slice(a, b + 1), top + 7 + i * 7, across)),
    rows.map(one),
  );
}

/** A sentence about the number of tasks and the test. */
function verdictOf({ test, cd, few }: Pick<AverageRanks, "test" | "cd" | "few">, tasks: number): string {
  const friedman = test && `${t("friedman")} χ² = ${test.statistic.toFixed(2)}, p ${pValue(test.p)}`;
  const untested = test
    ? t("noCd")
    : few
      ? t("fewDialogues")
      : t("tooFew", FRIEDMAN_NEEDS.models, FRIEDMAN_NEEDS.columns);
  return [t("overTasks", tasks), friedman, cd ? t("cdIs", rankFigure(cd)) : untested].filter(Boolean).join(" · ");
}

/** A bar over models whose mean ranks differ by less than the critical difference. */
function clique(rows: RankedModel[], y: number, across: (rank: number) => string) {
  const [first, last] = [rows[0], rows[rows.length - 1]];
  const names = rows.map((r) => r.model.label).join(", ");
  return withTooltip(t("noDifference", names), line("clique", across(first.mean), across(last.mean), y, y));
}

/** A line as long as the critical difference, labelled "CD" unless it takes up most of the axis. */
function ruler(cd: number, k: number, across: (rank: number) => string) {
  const end = across(Math.min(k, 1 + cd));
  return [
    line("ruler", across(1), end, 8, 8),
    [across(1), end].map((x) => line("ruler", x, x, 4, 12)),
    cd < 0.85 * (k - 1) && label(end, 12, "CD", "start", { dx: 6 }),
  ];
}
