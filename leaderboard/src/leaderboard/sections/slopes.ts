// Changes under perturbation: at a glance, and with all their numbers.
import { h } from "../../common/dom.ts";
import { isNumber, type Maybe, num, pct, pWords, signed, sumOf } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import { type Change, changeWords, holmWords, isSure, kindsIn } from "../charts/slopes.ts";
import { isChoice } from "../data.ts";
import { cellAt } from "../filters.ts";
import { metricName } from "../metrics.ts";
import { perturbName, setLabel, taskName } from "../names.ts";
import { grouped } from "../result_rows.ts";
import { nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Model, Sheet, SheetColumn, SheetRow, SheetValue, Task } from "../types.ts";

/** Models × perturbations: the change in points, shaded by its size. The worst on average come first. */
export function changeTable(rows: Change[], task: Task) {
  const kinds: string[] = kindsIn(rows);
  const shade = Math.max(0.01, ...rows.map((r) => Math.abs(r.drop ?? 0)));
  const mean = (list: Change[]): number => sumOf(list.map((r) => r.drop ?? 0)) / list.length;
  const lines = grouped(rows);
  const kindColumn = (kind: string): SheetColumn => ({
    ...{ heading: kind, kind: "percent", signed: true, interval: "drawn", shade },
    ...{ spoken: perturbName(kind), marks: { perturb: kind } },
  });
  const sheet: Sheet = {
    name: "changes",
    title: `${t("changes")} · ${taskName(task)} · ${setLabel(rows[0].set)}`,
    columns: [
      { heading: t("model") },
      { heading: t("perturbNone"), below: `${metricName(rows[0].metric)} %`, kind: "percent" },
      ...kinds.map(kindColumn),
    ],
    rows: lines
      .sort(([, a], [, b]) => mean(a) - mean(b))
      .map(
        ([model, list]): SheetRow => ({
          cells: [
            nameCell(model),
            baseCell(list[0]),
            ...kinds.map((k) => changeCell(list.find((r) => r.perturb === k))),
          ],
          marks: { model: model.label },
        }),
      ),
    look: "robust heats",
  };
  return h("div", { id: "changes" }, sheetNode(sheet, { id: "changes-table", heading: null }));
}

function baseCell({ id, set, task, scoring, metric, base }: Change): SheetValue {
  const cell = cellAt(id, set, task, scoring, "none");
  return { value: cell?.metrics?.[metric]?.value ?? base, cell };
}

function changeCell(row: Change | undefined): SheetValue {
  if (!row) return { value: null };
  const sure: boolean = isSure(row);
  return {
    value: row.drop,
    text: signed(row.drop),
    tone: sure ? "strong" : "",
    sign: sure ? "*" : "",
    title: changeWords(row),
    cell: cellAt(row.id, row.set, row.task, row.scoring, row.perturb),
  };
}

/** Whether so few dialogues differ that p cannot be below 0.05 after Holm's correction; earlier versions say only how many differ. */
const tooFew = (row: Change) => (row.least_p_holm ?? 2 ** (1 - (row.differ ?? Infinity))) >= 0.05;

/** Every change: value, change with its test, and what flipped. A block a model, which begins with its items as they are. */
export function dropTable(rows: Change[], task: Task) {
  const [{ metric, set }] = rows;
  const choices: boolean = isChoice(task);
  const notes = [
    t("dropsNote"),
    choices && t("sameChoiceNote"),
    rows.some((r) => "consistency" in r) && t("about.circular"),
  ];
  const sheet: Sheet = {
    name: "drops",
    title: `${t("drops")} · ${taskName(task)} · ${setLabel(set)}`,
    columns: [
      { heading: t("perturb") },
      { heading: metricName(metric), kind: "percent", range: [0, 1], rangeHeading: t("beside"), interval: "drawn" },
      { heading: `${t("change")} (${t("interval")})`, kind: "percent", signed: true, intervalDigits: 1 },
      { heading: t("nHead"), kind: "count" },
      { heading: t("flips"), kind: "percent" },
      ...(choices ? [{ heading: t("sameChoice"), kind: "percent" } as const] : []),
    ],
    rows: grouped(rows).flatMap(([m, list]) => [
      { kind: "group", cells: [nameCell(m)] },
      ...baseRow(m, list[0]),
      ...list.map((row) => dropRow(m, row, choices)),
    ]),
    look: "robust",
  };
  return sheetNode(sheet, {
    id: "drops-table",
    heading: null,
    note: h("p", { class: "note" }, notes.filter(Boolean).join(" ")),
  });
}

function baseRow(model: Model, { set, task, scoring, metric }: Change): SheetRow[] {
  const cell = cellAt(model.id, set, task, scoring, "none");
  const m = cell?.metrics?.[metric];
  return m ? [{ cells: [t("perturbNone"), { value: m.value, low: m.low, high: m.high, cell }] }] : [];
}

const share = (v: Maybe): SheetValue => ({
  value: v ?? null,
  text: isNumber(v) ? `${pct(v)} %` : "–",
});

function dropRow(model: Model, row: Change, choices: boolean): SheetRow {
  const cell = cellAt(model.id, row.set, row.task, row.scoring, row.perturb);
  const base = row.base ?? 0;
  const [low, high] = [Math.max(0, base + (row.low ?? 0)), Math.min(1, base + (row.high ?? 0))];
  const sure = isSure(row);
  const change: SheetValue = {
    value: row.drop,
    low: row.low,
    high: row.high,
    tone: sure ? "strong" : "",
    sign: sure ? "*" : tooFew(row) ? "?" : "",
    title: `${row.test} p ${pWords(Number(row.p))}, ${holmWords(row)}`,
  };
  const flips = `✓→✕ ${num(row.right_to_wrong)} · ✕→✓ ${num(row.wrong_to_right)}`;
  const same = row.consistency ?? row.same_choice;
  const values: SheetValue[] = [
    { value: row.value, base: row.base, low, high, cell },
    change,
    { value: row.items, asides: [`(${num(row.dialogues)})`] },
    { ...share(row.flip_rate), asides: [flips] },
    ...(choices ? [{ ...share(same), asides: "consistency" in row ? [t("consistent")] : [] }] : []),
  ];
  return { cells: [perturbName(row.perturb), ...values], marks: { perturb: row.perturb } };
}
