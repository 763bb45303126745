// Robustness: each item put otherwise, what stands where, other wordings, more shots. The numbers are results.json's.

import { h } from "../../common/dom.ts";
import { isNumber, NAMES, num, pct, sumOf } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import type { Drop as DropTold, Positions1, ShotValues, Wording } from "../../types/results.ts";
import { unfold } from "../beside.ts";
import { modelKeys } from "../charts/looks.ts";
import { savers } from "../charts/picture.ts";
import { isSure, shotPanels, slopePanels, wordingPanels } from "../charts/slopes.ts";
import { picker } from "../controls.ts";
import { isChoice, models, nameNode, taskOf } from "../data.ts";
import { metricName } from "../metrics.ts";
import { state } from "../state.ts";
import { nameCell } from "../tables/make.ts";
import { sheetNode, sheetPanels } from "../tables/sheet.ts";
import { asChosen, grouped, told } from "../told.ts";
import type { Cell, Model, Sheet, SheetCell, SheetColumn, SheetRow, SheetValue, Task } from "../types.ts";
import { cellAt, perturbName, perturbOf, setLabel, setNames, setTitle, taskName, tasks } from "../view.ts";
import { changeTable } from "./slopes.ts";

type Drop = DropTold & { id: string };
type Positions = Positions1 & { id: string };
type Named = (Wording | ShotValues) & { id: string };

export function drawRobustness() {
  const here = {
    drops: told("drops").filter((r) => asChosen(r)),
    positions: told("positions").filter((r) => asChosen(r)),
  };
  const wordings = told("wordings").filter((r) => asChosen(r, "variant")),
    shots = told("shots").filter((r) => asChosen(r, "shots"));
  const every = Object.values(here).flat().concat(wordings, shots);
  if (!every.length) return null;
  const sets = setNames().filter((x) => every.some((r) => r.set === x)),
    set = sets.includes(state.robustSet) ? state.robustSet : sets.at(-1);
  const all = tasks.filter((x) => every.some((r) => r.task === x.name && r.set === set));
  const task = all.find((x) => x.name === state.robustTask) ?? all.find(isChoice) ?? all[0];
  const mine = (rows) => rows.filter((r) => r.task === task.name && r.set === set);
  const drops = mine(here.drops),
    name = `${taskName(task)} · ${setLabel(set)}`,
    ofTask = (rows) => rows.filter((r) => r.task === task.name && r.perturb === perturbOf(task)),
    worded = ofTask(wordings),
    shot = ofTask(shots);
  const ids = [...models.keys()].filter((id) => [...drops, ...worded, ...shot].some((r) => r.id === id));
  const headed = (key, id, note, ...rest) => [
    h(
      "div",
      { class: "titled" },
      h("h3", null, t(key)),
      savers(id, `${t(key)} · ${key === "slopes" ? name : taskName(task)}`),
    ),
    h("p", { class: "note" }, note),
    rest,
  ];
  return h(
    "section",
    { class: "block", id: "robustness" },
    h("h2", null, t("robustness")),
    h(
      "div",
      { class: "controls" },
      picker(
        "robustTask",
        t("task"),
        all.map((x) => x.name),
        task.name,
        (v) => taskName(taskOf(v)),
      ),
      picker("robustSet", t("set"), sets, set, setTitle),
    ),
    drops.length > 0 && [
      h("h3", null, t("changes")),
      h("p", { class: "note" }, t("changesNote")),
      changeTable(drops, task),
    ],
    modelKeys(ids),
    drops.length > 0 &&
      headed(
        "slopes",
        "slopes",
        t("slopesNote"),
        slopePanels(drops, task),
        unfold("drops", t("numbersOf", t("drops")), () => dropTable(drops, task)),
      ),
    positionPanels(mine(here.positions), task),
    worded.length > 0 && headed("wordings", "wording-spread", t("spreadNote"), wordingPanels(worded)),
    mine(wordings).length > 0 && unfold("wordings", t("numbersOf", t("wordings")), () => wordingTable(mine(wordings))),
    shot.length > 0 && headed("byShots", "shots-lines", t("shotsNote"), shotPanels(shot)),
    mine(shots).length > 0 && unfold("byShots", t("numbersOf", t("byShots")), () => byName(mine(shots), "byShots")),
  );
}

const FEWEST = 6; // differing dialogues with which p can be below 0.05: as in metrics/statistics.py

/** Every change: value, change with its test, and what flipped. A block a model, which begins with its items as they are. */
function dropTable(rows: Drop[], task: Task) {
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
    rows: grouped(rows).flatMap(([m, list]: [Model, Drop[]]) => [
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

function baseRow(model: Model, { set, task, scoring, metric }: Drop): SheetRow[] {
  const cell: Cell | undefined = cellAt(model.id, set, task, scoring, "none");
  const m = cell?.metrics?.[metric];
  return m ? [{ cells: [t("perturbNone"), { value: m.value, low: m.low, high: m.high, cell }] }] : [];
}

const share = (v: number | null | undefined): SheetValue => ({
  value: v ?? null,
  text: isNumber(v) ? `${pct(v)} %` : "–",
});

function dropRow(model: Model, row: Drop, choices: boolean): SheetRow {
  const cell = cellAt(model.id, row.set, row.task, row.scoring, row.perturb);
  const [low, high] = [Math.max(0, row.base + row.low), Math.min(1, row.base + row.high)];
  const sure = isSure(row);
  const change: SheetValue = {
    value: row.drop,
    low: row.low,
    high: row.high,
    tone: sure ? "strong" : "",
    sign: sure ? "*" : (row.differ ?? FEWEST) < FEWEST ? "?" : "",
    title: `${row.test} p=${row.p.toFixed(3)}, Holm ${row.p_holm.toFixed(3)}`,
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

/** Where gold stands and what the model chose, for the perturbation in view. */
function positionPanels(rows: Positions[], task: Task) {
  const shown = rows.filter((r) => r.perturb === perturbOf(task));
  if (!shown.length) return null;
  const all: [Model, Positions][] = grouped(shown).map(([m, [row]]: [Model, Positions[]]) => [m, row]);
  const title = `${t("positions")} · ${taskName(task)} · ${setLabel(shown[0].set)}`;
  const columns = [t("chosenShare"), t("goldShare"), t("rightThere")].map(
    (heading): SheetColumn => ({ heading, kind: "percent" }),
  );
  const sheet: Sheet = {
    name: "positions",
    title,
    columns: [{ heading: t("option") }, { heading: "", kind: "bars" }, ...columns],
    rows: all.flatMap(([m, row]) => [
      { kind: "group", cells: [{ ...nameCell(m), asides: biasWords(row) }] },
      ...row.labels.map((label, i): SheetRow => ({ cells: [label, ...positionCells(row, i)] })),
    ]),
    look: "places",
    fixed: true,
  };
  const { panels, savers: tables } = sheetPanels(sheet, "by-position", (n) => {
    const [m, row] = all[n];
    const bias = h("small", null, biasWords(row));
    return {
      props: { "data-model": plain(m.label) },
      above: [h("figcaption", null, h("strong", null, nameNode(m)), bias)],
      below: [row.silent > 0 && h("p", { class: "note" }, t("silentN", num(row.silent)))],
    };
  });
  const tag = perturbOf(task) !== "none" && h("span", { class: "tag" }, state.perturb);
  return [
    h(
      "div",
      { class: "titled" },
      h("h3", null, t("positions"), tag),
      h("span", { class: "savers" }, savers("by-position", title), tables),
    ),
    h("p", { class: "note" }, t("positionsNote")),
    h("div", { class: "panels positions", id: "by-position" }, panels),
  ];
}

const part = (list: number[], i: number): number | null => (sumOf(list) ? list[i] / sumOf(list) : null);

const mostChosen = ({ chosen }: Positions): number => chosen.indexOf(Math.max(...chosen));

function biasWords(row: Positions): string[] {
  const most = mostChosen(row);
  const mostly = t("mostly", plain(row.labels[most]), pct(part(row.chosen, most)));
  return isNumber(row.bias) ? [`${t("bias")} ${pct(row.bias)} % · ${mostly}`] : [];
}

function positionCells(row: Positions, i: number): SheetValue[] {
  const [chosen, gold] = [part(row.chosen, i), part(row.gold, i)];
  const most = i === mostChosen(row) && sumOf(row.chosen) > 0;
  const right = row.gold[i] ? row.right[i] / row.gold[i] : null;
  return [
    { value: chosen ?? 0, base: gold },
    { value: chosen, tone: most ? "strong" : "" },
    { value: gold },
    { value: right, asides: [`/${num(row.gold[i])}`] },
  ];
}

/** Values by wording or by number of shots, a row a model and perturbation; `more`: further columns and their cells. */
function byName(rows: Named[], key: string, heads: SheetColumn[] = [], more: (row: Named) => SheetCell[] = () => []) {
  const names = [...new Set(rows.flatMap((r) => Object.keys(r.values)))].sort(NAMES.compare);
  const several = new Set(rows.map((r) => r.perturb)).size > 1;
  const name = (row: Named): SheetValue => ({
    ...nameCell(models.get(row.id)),
    asides: several ? [perturbName(row.perturb)] : [],
  });
  const sheet: Sheet = {
    name: key,
    title: `${t(key)} · ${taskName(taskOf(rows[0].task))} · ${setLabel(rows[0].set)}`,
    columns: [
      { heading: t("model") },
      ...names.map((x): SheetColumn => ({ heading: plain(x), kind: "percent" })),
      ...heads,
    ],
    rows: rows.map((row) => ({
      cells: [name(row), ...names.map((x) => ({ value: row.values[x] ?? null })), ...more(row)],
    })),
    look: `robust ${key}`,
  };
  return sheetNode(sheet, { id: `${key}-table`, heading: null, note: h("p", { class: "note" }, t(`${key}Note`)) });
}

const wordingTable = (rows: Named[]) =>
  byName(
    rows,
    "wordings",
    [
      { heading: t("meanHead"), kind: "percent" },
      { heading: t("spread"), kind: "percent" },
      { heading: t("worst"), align: "right" },
    ],
    (row) => ("mean" in row ? [row.mean, row.spread, row.worst] : []),
  );
