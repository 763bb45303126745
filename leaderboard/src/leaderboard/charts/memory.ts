// Known facts against right answers: a panel for each task, a point for each model.
import { h } from "../../common/dom.ts";
import { isNumber, pct } from "../../common/numbers.ts";
import { shortened } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { chanceOf } from "../columns.ts";
import { tasks } from "../metric_choice.ts";
import { setLabel, taskName } from "../names.ts";
import { cellOf, memoryRows, unansweredNote, type WithModel } from "../result_rows.ts";
import type { Task } from "../types.ts";
import { type Box, rangeOf, roomBeside, scale } from "./axis.ts";
import { labelOf, lookOf, pickedOf } from "./looks.ts";
import { chanceLine, label, line, Points, upAxis } from "./marks.ts";

type Against = ReturnType<typeof memoryRows>[number];

const GROUND = { width: 380, left: 32, right: 368, top: 12, bottom: 228 };
const TENTHS = [0, 0.25, 0.5, 0.75, 1];

/** A panel for each task and set whose facts a model was asked for; null if there are none. */
export function memoryPanels(): HTMLElement | null {
  const rows = memoryRows().filter((r) => isNumber(r.facts?.value) && isNumber(r.all?.value));
  if (!rows.length) return null;
  const sets = [...new Set(rows.map((r) => r.set))];
  const panels = sets.flatMap((set) =>
    tasks.map((task) => {
      const mine = rows.filter((r) => r.task === task.name && r.set === set);
      return mine.length > 0 && memoryPanel(task, set, mine);
    }),
  );
  return h("div", { class: "panels", id: "memory-chart" }, panels);
}

function memoryPanel(task: Task, set: string, rows: Against[]): HTMLElement {
  const { left, right, top, bottom, width } = GROUND;
  const chance = chanceOf(set, task);
  const ends = rows.flatMap((r) => r.all?.interval ?? []);
  const range = rangeOf([chance, ...ends], 1);
  const [across, up] = [scale(0, 1, left + 8, right - 8), scale(range.low, range.high, bottom - 4, top + 4)];
  const frame = { ground: GROUND, across, up };
  const picked = pickedOf(rows.map((r) => r.id));
  const taken = rows.map((r): Box => {
    const [x, y] = [across(r.facts?.value ?? 0), up(r.all?.value ?? 0)];
    return [x - 6, y - 6, x + 6, y + 6];
  });
  const nameOf = (r: Against) => {
    const name = shortened(labelOf(r.id), 120);
    const free = roomBeside(across(r.facts?.value ?? 0), up(r.all?.value ?? 0), name, taken, GROUND);
    return free && label(free.x, free.y, name, free.anchor, { class: "dotname" });
  };
  const points = new Points();
  const one = (r: Against) =>
    points.series(frame, {
      line: r.id,
      look: lookOf(r.id),
      cls: picked.length && !picked.includes(r.id) ? "dim" : "",
      more: { "data-model": labelOf(r.id) },
      points: [
        {
          at: r.facts?.value ?? 0,
          value: r.all?.value ?? 0,
          low: r.all?.interval[0],
          high: r.all?.interval[1],
          words: wordsOf(r),
          cell: cellOf({ ...r, run: Number(r.id.split("\t")[0]) }, r.model),
        },
      ],
      below: [nameOf(r)],
    });
  return points.panel(
    {
      data: { "data-task": task.name },
      title: `${taskName(task)} · ${setLabel(set)}`,
      small: isNumber(chance) ? `${t("chance")} ${pct(chance, 0)}` : null,
      cls: "curve scatter",
      size: [width, bottom + 36],
      words: `${taskName(task)}: ${t("memoryAcross")}, ${t("memoryUp")}. ${t("linesLabel", rows.length)}`,
    },
    upAxis(frame, range.ticks, (v) => Math.round(100 * v)),
    TENTHS.map((v) => [
      line("grid", across(v), across(v), top, bottom),
      label(across(v), bottom + 14, pct(v, 0), "middle"),
    ]),
    label((left + right) / 2, bottom + 31, `${t("memoryAcross")} %`, "middle"),
    chanceLine(frame, chance),
    rows.map(one),
  );
}

/** The description of a point: the share of known facts, and the accuracy on all items and on those whose facts the model knows. */
function wordsOf(r: WithModel<Against>): string {
  const figures = (name: "all" | "known" | "rest") => {
    const of = r[name];
    return of ? `${t(`memory.${name}`)} ${pct(of.value)} % (n=${of.n})` : "";
  };
  const known = `${t("memoryAcross")} ${pct(r.facts?.value ?? 0)} %`;
  const cell = cellOf({ ...r, run: Number(r.id.split("\t")[0]) }, r.model);
  const said = [known, figures("all"), figures("known"), figures("rest")].filter(Boolean).join(", ");
  return `${labelOf(r.id)}: ${said}${unansweredNote(cell)}`;
}
