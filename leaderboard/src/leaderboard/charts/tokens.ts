// Accuracy against tokens: a point a way of asking, those of a model joined, what writes nothing at the left edge.
import { isNumber, type Maybe, num } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { figure, isRaw, metricName, metricRow, span } from "../metrics.ts";
import { unansweredNote } from "../result_rows.ts";
import { count, differing, type Spent, type Way } from "../token_points.ts";
import { type Box, countRange, powers, rangeOf, roomBeside, type Scale, scale } from "./axis.ts";
import { labelOf, lookOf, pickedOf } from "./looks.ts";
import { chanceLine, label, line, Points, upAxis } from "./marks.ts";

export interface TokenChart {
  title: string;
  /** The metric of all cells; "score" if they have several. */
  metric: string;
  points: Spent[];
  chance: Maybe;
}

const GROUND = { width: 440, left: 32, right: 428, top: 12, bottom: 268 };
/** The position of points without tokens, and the start of the axis for the others. */
const [EDGE, START] = [GROUND.left + 14, GROUND.left + 40];

/** A way of asking by what tells it from others: prompt, shots, and how it is scored, where that is not by a written reply. */
export function wayWords({ variant, shots, scoring }: Way, parts: (keyof Way)[]): string {
  const words = {
    variant: plain(variant),
    shots: t("nShots", shots),
    scoring: scoring === "generate" ? "" : t(scoring),
  };
  return parts
    .map((part) => words[part])
    .filter(Boolean)
    .join(" ");
}

/** The horizontal scale: no tokens at the edge, others on a plain scale or on one of powers. */
export function tokenAxis(values: number[], edge: boolean): { across: Scale; ticks: number[]; wide: boolean } {
  const { low, high, ticks, wide } = countRange(values.filter((v) => v > 0));
  const from = edge ? START : GROUND.left + 10;
  const across = (wide ? powers : scale)(low, high, from, GROUND.right - 10);
  return { across: (v) => (v > 0 || !edge ? across(v) : EDGE), ticks: wide || !edge ? ticks : ticks.slice(1), wide };
}

export function tokenPanel({ title, metric, points, chance }: TokenChart): HTMLElement {
  const { left, right, top, bottom, width } = GROUND;
  const edge = points.some((p) => !p.took);
  const { across, ticks, wide } = tokenAxis(
    points.map((p) => p.took?.mean ?? 0),
    edge,
  );
  const range = rangeOf([chance, ...points.flatMap((p) => [p.value, p.low, p.high])], metricRow(metric)?.top ?? 1);
  const up = scale(range.low, range.high, bottom, top);
  const ids = [...new Set(points.map((p) => p.id))];
  const picked = pickedOf(ids);
  const at = (p: Spent) => p.took?.mean ?? 0;
  const guess: Box[] = isNumber(chance) ? [[right - 70, up(chance) - 15, right, up(chance)]] : [];
  const names = namesOf(points, (p) => [across(at(p)), up(p.value)], picked, guess);
  const drawn = new Points();
  const one = (id: string) => {
    const mine = points.filter((p) => p.id === id).sort((a, b) => at(a) - at(b));
    return drawn.series(
      { ground: GROUND, across, up },
      {
        line: id,
        look: lookOf(id),
        cls: picked.length && !picked.includes(id) ? "dim" : "",
        more: { "data-model": labelOf(id) },
        points: mine.map((p) => ({
          ...p,
          at: at(p),
          alone: !p.took,
          cls: p.estimated ? "partly" : "",
          words: wordsOf(p, metric),
        })),
        cap: 2,
        above: mine.map((p) => names.get(p)),
      },
    );
  };
  return drawn.panel(
    {
      data: { "data-panel": "tokens" },
      title,
      small: `${metric ? metricName(metric) : t("scores")}${isRaw(metric) ? "" : " %"}`,
      cls: "curve scatter",
      size: [width, bottom + 38],
      words: `${title}. ${t("linesLabel", ids.length)}`,
    },
    upAxis({ ground: GROUND, across, up }, range.ticks, (v) => (isRaw(metric) ? +v.toFixed(2) : Math.round(100 * v))),
    edge && [
      line("grid upright", (EDGE + START) / 2, (EDGE + START) / 2, top, bottom),
      label(EDGE, bottom + 17, "0", "middle"),
    ],
    ticks.map((v) => [
      line("grid", across(v), across(v), bottom, bottom + 4),
      label(across(v), bottom + 17, num(v), "middle"),
    ]),
    label((left + right) / 2, bottom + 34, t(wide ? "tokensAcrossLog" : "tokensAcross"), "middle"),
    chanceLine({ ground: GROUND, across, up }, chance),
    isNumber(chance) && label(right, up(chance) - 4, t("chance"), "end", { class: "chancename" }),
    ids.map(one),
  );
}

function wordsOf(p: Spent, metric: string): string {
  const between = span(metric, p.low, p.high, 1);
  const value = `${figure(metric, p.value)}${isRaw(metric) ? "" : " %"}${between && ` (${between})`}`;
  const took = p.took ? t("tokensMean", count(p.took.mean)) : t("nothingWrittenShort");
  const way = wayWords(p, ["variant", "shots", "scoring"]);
  return `${labelOf(p.id)}, ${way}: ${value}${p.estimated}, ${took}${unansweredNote(p.cell)}`;
}

/** The names of ways beside their points, where nothing else stands: those of models picked first. */
function namesOf(
  points: Spent[],
  place: (p: Spent) => number[],
  picked: string[],
  full: Box[],
): Map<Spent, SVGElement> {
  const parts = differing(points);
  const taken = [...full, ...points.map(place).map(([x, y]): Box => [x - 5, y - 5, x + 5, y + 5])];
  const names = new Map<Spent, SVGElement>();
  for (const p of [...points].sort((a, b) => Number(picked.includes(b.id)) - Number(picked.includes(a.id)))) {
    const name = parts.length ? wayWords(p, parts) : labelOf(p.id);
    const [x, y] = place(p);
    const free = roomBeside(x, y, name, taken, { ...GROUND, bottom: GROUND.bottom + 2 });
    if (free) names.set(p, label(free.x, free.y, name, free.anchor, { class: "dotname" }));
  }
  return names;
}
