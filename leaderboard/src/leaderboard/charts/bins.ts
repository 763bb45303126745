// Lines over groups of items, with how many items each has.
import { h } from "../../common/dom.ts";
import { isNumber, type Maybe, num, pct } from "../../common/numbers.ts";
import { plain, shortened } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import type { Bin, Breakdown, GroupMean } from "../../types/results.ts";
import { published } from "../columns.ts";
import { cellIndex, isChoice, placeOf } from "../data.ts";
import { metricName } from "../metrics.ts";
import { state } from "../state.ts";
import type { Told } from "../told.ts";
import type { Task } from "../types.ts";
import { aside, PLOT, QUARTERS, scale, valueEnd } from "./axis.ts";
import { dashOf } from "./glyphs.ts";
import { labelOf, nameOf, sample } from "./looks.ts";
import { chanceLine, type LinePoint, label, line, Points, upAxis } from "./marks.ts";

/** Items that share a property: numbers from low to high (null: it could not be told), or a name. */
export type Items = Partial<Bin> & Partial<GroupMean> & Pick<Bin, "n" | "dialogues" | "value" | "interval">;
export type By = "turns" | "distance" | "options" | "answers" | "groups";
export type Row = Told<Breakdown>;
export interface BinLine {
  row: Row;
  look: number;
}
const itemsOf = (row: Row, by: By): Items[] => row[by] ?? [];

/** Bins of numbers are told apart by their lower end, groups by their name. */
const binKey = (b: Partial<Items>) => b.name ?? b.low;
export const binLike = (b: Partial<Items>) => (x: Partial<Items>) => binKey(x) === binKey(b);
export function binName(b: Partial<Items>): string {
  if (b.name !== undefined) return plain((inChinese() ? b.zh : b.en) ?? b.name);
  if (b.low === null) return "?";
  if (b.high === null) return `${b.low}+`;
  return b.low === b.high ? String(b.low) : `${b.low}–${b.high}`;
}
const binWords = ({ value, interval: [low, high], n, dialogues, ...b }: Items) =>
  `${binName(b)}: ${pct(value)} % (${pct(low)}–${pct(high)}), ${t("nItems", num(n))}, ${t("dialoguesN", num(dialogues))}`;
/** The bins that any of the rows has, from the lowest (groups as they stand), without that of what could not be told. */
export function binsOf(rows: Row[], by: By): Items[] {
  const known = rows.flatMap((r) => itemsOf(r, by)).filter((b) => b.low !== null);
  const all = [...new Map(known.map((b) => [binKey(b), b])).values()];
  return by === "groups" ? all : all.sort((a, b) => Number(a.low) - Number(b.low));
}
/** The paper's figures by group: model -> group -> value. */
export function paperGroups(rows: Row[], task: Task, set: string): [string, Record<string, number>][] {
  const found = new Map<string, Record<string, number>>();
  for (const { name } of state.published ? binsOf(rows, "groups") : [])
    for (const [model, { value }] of published(set, task.name, rows[0].metric, name))
      found.set(model, { ...found.get(model), [String(name)]: value });
  return [...found];
}
/** For who saves the charts, and reads them without the boxes above. */
export const lineLegend = (lines: BinLine[]): HTMLElement =>
  h(
    "p",
    { class: "legend" },
    lines.map(({ row, look }) => h("span", null, sample(look), " ", nameOf(row.id))),
  );

interface Column {
  bin: Partial<Items>;
  x: number;
}
/** The horizontal positions of bins; the bin of unknown values stands a little apart, on the right. */
function columnsOf(rows: Row[], by: By) {
  const bins = binsOf(rows, by);
  const unknown = rows.some((r) => itemsOf(r, by).some((b) => b.low === null));
  const wide = (PLOT.right - PLOT.left) / (bins.length + (unknown ? 1.35 : 0));
  const columns: Column[] = bins.map((bin, i) => ({ bin, x: PLOT.left + wide * (i + 0.5) }));
  if (unknown) columns.push({ bin: { low: null, high: null }, x: PLOT.left + wide * (bins.length + 0.85) });
  return { columns, wide, apart: unknown && bins.length > 0 ? PLOT.left + wide * (bins.length + 0.18) : null };
}
/** Names of bins and how many items each has, below. Names of groups are long: they lean, below the counts. */
function feet(columns: Column[], rows: Row[], by: By) {
  const names = by === "groups";
  const row = PLOT.bottom + (names ? 16 : 31);
  const howMany = ({ bin }: Column) => {
    const all = rows.flatMap((r) => itemsOf(r, by).filter(binLike(bin))).map((b) => b.n);
    return Math.max(...all) === Math.min(...all) ? num(all[0]) : `≤${num(Math.max(...all))}`;
  };
  const [down, y] = [PLOT.bottom + 16, PLOT.bottom + 30];
  return [
    columns.map((c) => [
      names
        ? label(c.x + 4, y, shortened(binName(c.bin), 105), "end", { transform: `rotate(-35 ${c.x + 4} ${y})` })
        : label(c.x, down, binName(c.bin), "middle"),
      label(c.x, row, howMany(c), "middle", { class: "count" }),
    ]),
    label(PLOT.left - 5, row, "n", "end"),
  ];
}

/** A model's point; it is joined to the others, but for that of what could not be told, and groups. */
const pointOf = ({ row }: BinLine, b: Items, columns: Column[]): LinePoint => ({
  at: columns.findIndex((c) => binLike(b)(c.bin)),
  value: b.value,
  low: b.interval[0],
  high: b.interval[1],
  words: `${labelOf(row.id)}, ${binWords(b)}`,
  cell: cellIndex.get(placeOf(row)),
  cls: b.n < 10 ? "few" : "",
  more: { "data-bin": binName(b) },
  alone: b.name !== undefined || b.low === null,
});

export function binPanel(by: By, title: string, task: Task, lines: BinLine[]): HTMLElement {
  const rows = lines.map((x) => x.row);
  const first = rows.length ? cellIndex.get(placeOf(rows[0])) : undefined;
  const chance: Maybe = isChoice(task) && state.perturb !== "circular" ? first?.chance : null;
  const metric = rows.length ? `${metricName(rows[0].metric)} %` : ""; // all models may be unticked
  const { columns, wide, apart } = columnsOf(rows, by);
  const all = rows.flatMap((r) => itemsOf(r, by));
  const end = valueEnd(all, chance);
  const up = scale(0, end, PLOT.bottom, PLOT.top);
  const frame = { ground: PLOT, across: (i: number) => columns[i].x, up };
  const ticks = QUARTERS.map((v) => v * end);
  const ofOptions = ({ bin, x }: Column) => {
    const level = up(1 / Number(bin.low));
    return bin.low !== null && line("chance dotted", x - 0.4 * wide, x + 0.4 * wide, level, level);
  };
  const values = (r: Row) => itemsOf(r, by).map((b) => `${binName(b)} ${pct(b.value)}`);
  const told = (r: Row) => `${labelOf(r.id)}: ${values(r).join(", ")}`;
  const points = new Points();
  const one = (line: BinLine, i: number) => {
    const shift = aside(i, lines.length, 5, 0.6 * wide);
    const more = { "data-series": labelOf(line.row.id) };
    const drawn = itemsOf(line.row, by).map((b) => pointOf(line, b, columns));
    return points.series(frame, {
      line: line.row.id,
      look: line.look,
      more,
      points: drawn,
      dash: dashOf(line.look),
      shift,
      r: 4,
    });
  };
  return points.panel(
    {
      data: { "data-by": by },
      title,
      small: [metric, isNumber(chance) && by !== "options" && ` · ${t("chanceIs", pct(chance))}`],
      cls: "curve",
      size: [PLOT.width, PLOT.bottom + (by === "groups" ? 96 : 36)],
      words: `${title}, ${metric}. ${rows.map(told).join("; ")}`,
    },
    upAxis(frame, ticks, (v) => pct(v, 0)),
    apart !== null && line("chance", apart, apart, PLOT.top, PLOT.bottom),
    feet(columns, rows, by),
    isNumber(chance) && by === "options" ? columns.map(ofOptions) : chanceLine(frame, chance),
    lines.map(one),
  );
}
