// By length, distance and options.
import { button, h, kept } from "../../common/dom.ts";
import { NAMES, num, sumOf } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import { drawLinesOf } from "../actions.ts";
import {
  type BinLine,
  type By,
  binLike,
  binName,
  binPanel,
  binsOf,
  type Items,
  lineLegend,
  paperGroups,
  type Row,
} from "../charts/bins.ts";
import { lookOf, sample } from "../charts/looks.ts";
import { savers } from "../charts/picture.ts";
import { picker } from "../controls.ts";
import { modelOf, nameNode, taskOf } from "../data.ts";
import { setLabel, taskName } from "../names.ts";
import { state } from "../state.ts";
import { sheetNode } from "../tables/sheet.ts";
import { taskAndSet, toldOf } from "../told.ts";
import type { Sheet, SheetColumn, SheetRow, SheetValue } from "../types.ts";

const BY: [By, string][] = [
  ["turns", "byTurns"],
  ["distance", "byDistance"],
  ["options", "byOptions"],
  ["answers", "byAnswers"],
  ["groups", "byGroups"],
];
const MOST_LINES = 6;

/** The fields that identify a group of items. */
type Named = Pick<Items, "name" | "low" | "high">;
const toldBy = (row: Row, by: By): Items[] => row[by] ?? [];

export function drawBreakdown() {
  const every = toldOf("breakdowns");
  if (!every.length) return null;
  const { all, task, sets, set, mine } = taskAndSet(every, state.sliceTask, state.sliceSet);
  const lines = linesShown(mine);
  const title = `${t("breakdown")} · ${taskName(task)} · ${setLabel(set)}`;
  const drawnBy = BY.filter(([by]) => binsOf(mine, by).length > 0 && (by !== "options" || binsOf(mine, by).length > 1));
  const one = binsOf(mine, "options");
  return h(
    "section",
    { class: "block", id: "breakdown" },
    h("div", { class: "titled" }, h("h2", null, t("breakdown")), savers("breakdown-charts", title)),
    h("p", { class: "note" }, t("breakdownNote")),
    h(
      "div",
      { class: "controls" },
      picker(
        "sliceTask",
        t("task"),
        all.map((x) => x.name),
        task.name,
        (v) => taskName(taskOf(v)),
      ),
      picker("sliceSet", t("set"), sets, set, (v) => setLabel(v)),
    ),
    linePicker(mine, lines),
    h(
      "div",
      { class: "panels curves", id: "breakdown-charts" },
      drawnBy.map(([by, name]) => binPanel(by, t(name), task, lines)),
      lineLegend(lines),
    ),
    h(
      "p",
      { class: "note" },
      drawnBy.some(([by]) => by === "distance") ? t("distanceNote") : t("noPlaces"),
      one.length === 1 && ` ${t("sameOptions", binName(one[0]))}`,
    ),
    binTable(lines, title, paperGroups(mine, task, set)),
  );
}

function overall(row: Row): number {
  const turns = toldBy(row, "turns");
  return sumOf(turns.map((b) => b.n * b.value)) / sumOf(turns.map((b) => b.n));
}

/** Models before baselines. */
const modelsFirst = (a: Row, b: Row): number => Number(modelOf(a.id).baseline) - Number(modelOf(b.id).baseline);

/** The rows drawn, each with its look: those picked, or the best, models before baselines. */
function linesShown(rows: Row[]): BinLine[] {
  const best = [...rows]
    .sort((a, b) => modelsFirst(a, b) || overall(b) - overall(a))
    .slice(0, MOST_LINES)
    .map((r) => r.id);
  return (state.slicePicked ?? best).flatMap((id) => {
    const row = rows.find((r) => r.id === id);
    return row ? [{ row, look: lookOf(id) }] : [];
  });
}

function linePicker(rows: Row[], lines: BinLine[]) {
  if (rows.length < 2) return null;
  const taken = lines.length;
  const picked = state.slicePicked ?? lines.map((x) => x.row.id);
  const pick = (id: string, on: boolean) => drawLinesOf(on ? [...picked, id] : picked.filter((x) => x !== id));
  const order = [...rows].sort((a, b) => modelsFirst(a, b) || NAMES.compare(a.model, b.model));
  return h(
    "fieldset",
    { class: "picker" },
    h("legend", null, t("shownModels", MOST_LINES)),
    order.map((r) => {
      const line = lines.find((x) => x.row === r);
      return kept(
        `slice-${r.id}`,
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            checked: Boolean(line),
            disabled: !line && taken >= MOST_LINES,
            onchange: (e) => pick(r.id, e.currentTarget.checked),
          }),
          line && sample(line.look),
          nameNode(modelOf(r.id)),
        ),
      );
    }),
    state.slicePicked &&
      rows.length > MOST_LINES &&
      kept(
        "slice-best",
        button(t("bestModels", MOST_LINES), () => drawLinesOf(null), { class: "small" }),
      ),
  );
}

/** Every group's value, interval and number of items: a column a model, and the papers' where they tell of groups. */
function binTable(lines: BinLine[], title: string, paper: [string, Record<string, number>][]) {
  const names = lines.map(({ row }): string => modelOf(row.id).label);
  const rows = lines.map((x) => x.row);
  const figures = { kind: "percent", interval: "aligned", intervalDigits: 1, named: true } as const;
  const values = (by: By, b: Named): SheetValue[] => rows.map((r) => binCell(toldBy(r, by).find(binLike(b))));
  const papers = (by: By, b: Named): (SheetValue | null)[] =>
    paper.map(([, of]) => (by === "groups" ? { value: of[b.name ?? ""] ?? null } : null));
  const sheet: Sheet = {
    name: "breakdown",
    title,
    columns: [
      { heading: t("group") },
      ...names.map((heading): SheetColumn => ({ heading, ...figures })),
      ...paper.map(([heading]): SheetColumn => ({ heading, below: t("paperAlone"), kind: "percent", named: true })),
    ],
    rows: BY.flatMap(([by, name]) => {
      const bins = everyBin(rows, by).map(
        (b): SheetRow => ({ cells: [binName(b), ...values(by, b), ...papers(by, b)] }),
      );
      return bins.length ? [{ kind: "group", cells: [t(name)], marks: { by } }, ...bins] : [];
    }),
    look: "robust curvetable bintable",
  };
  return h(
    "details",
    { class: "numbers" },
    h("summary", null, t("breakdownNumbers")),
    sheetNode(sheet, { id: "breakdown", heading: null }),
  );
}

/** The groups of a property; that of items of which it could not be told last. */
function everyBin(rows: Row[], by: By): Named[] {
  const unknown = rows.some((r) => toldBy(r, by).some((b) => "low" in b && b.low === null));
  return [...binsOf(rows, by), ...(unknown ? [{ low: null, high: null }] : [])];
}

const binCell = (b: Items | undefined): SheetValue =>
  b ? { value: b.value, low: b.interval[0], high: b.interval[1], asides: [`n ${num(b.n)}`] } : { value: null };
