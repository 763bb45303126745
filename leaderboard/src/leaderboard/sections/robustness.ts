// Robustness: each item put otherwise, what stands where, other wordings, more shots. The numbers are results.json's.
import { h, type Kid } from "../../common/dom.ts";
import { NAMES } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import type { ShotValues, Wordings } from "../../types/results.ts";
import { modelKeys } from "../charts/looks.ts";
import { savers } from "../charts/picture.ts";
import { shotPanels, slopePanels } from "../charts/slopes.ts";
import { wordingPanels } from "../charts/wordings.ts";
import { picker } from "../controls.ts";
import { isChoice, modelOf, models, taskOf } from "../data.ts";
import { unfold } from "../details.ts";
import { perturbOf, setNames } from "../filters.ts";
import { tasks } from "../metric_choice.ts";
import { perturbName, setLabel, setTitle, taskName } from "../names.ts";
import { asChosen, resultRows, type WithModel } from "../result_rows.ts";
import { state } from "../state.ts";
import { nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Sheet, SheetCell, SheetColumn, SheetValue, Task } from "../types.ts";
import { positionPanels } from "./positions.ts";
import { changeTable, dropTable } from "./slopes.ts";

type Drops = Parameters<typeof dropTable>[0];
type Named = WithModel<Wordings | ShotValues>;

/** A chart below its heading and what saves it. */
const headed = (key: string, id: string, title: string, note: string, ...rest: Kid[]): Kid => [
  h("div", { class: "titled" }, h("h3", null, t(key)), savers(id, `${t(key)} · ${title}`)),
  h("p", { class: "note" }, note),
  rest,
];

const numbers = (key: string, draw: () => Kid): Kid => unfold(key, t("numbersOf", t(key)), draw);

export function drawRobustness() {
  const rows = {
    drops: resultRows("drops").filter((r) => asChosen(r)),
    positions: resultRows("positions").filter((r) => asChosen(r)),
    wordings: resultRows("wordings").filter((r) => asChosen(r, "variant")),
    shots: resultRows("shots").filter((r) => asChosen(r, "shots")),
  };
  const every: { task: string; set: string }[] = Object.values(rows).flat();
  if (!every.length) return null;
  const sets = setNames().filter((x) => every.some((r) => r.set === x));
  const set = sets.includes(state.robustSet) ? state.robustSet : sets[sets.length - 1];
  const all = tasks.filter((x) => every.some((r) => r.task === x.name && r.set === set));
  const task = all.find((x) => x.name === state.robustTask) ?? all.find(isChoice) ?? all[0];
  const mine = <R extends { task: string; set: string }>(list: R[]) =>
    list.filter((r) => r.task === task.name && r.set === set);
  const names = all.map((x) => x.name);
  return h(
    "section",
    { class: "block", id: "robustness" },
    h("h2", null, t("robustness")),
    h(
      "div",
      { class: "controls" },
      picker("robustTask", t("task"), names, task.name, (v) => taskName(taskOf(v))),
      picker("robustSet", t("set"), sets, set, setTitle),
    ),
    changes(mine(rows.drops), task),
    highlights([...mine(rows.drops), ...ofTask(rows.wordings, task), ...ofTask(rows.shots, task)]),
    slopes(mine(rows.drops), task),
    positionPanels(mine(rows.positions), task),
    wordings(ofTask(rows.wordings, task), mine(rows.wordings), task),
    shots(ofTask(rows.shots, task), mine(rows.shots), task),
  );
}

/** Rows of a task as it is perturbed now, of all sets. */
const ofTask = <R extends { task: string; perturb: string }>(rows: R[], task: Task): R[] =>
  rows.filter((r) => r.task === task.name && r.perturb === perturbOf(task));

const highlights = (rows: { id: string }[]): Kid =>
  modelKeys([...models.keys()].filter((id) => rows.some((r) => r.id === id)));

const changes = (drops: Drops, task: Task): Kid =>
  drops.length > 0 && [
    h("h3", null, t("changes")),
    h("p", { class: "note" }, t("changesNote")),
    changeTable(drops, task),
  ];

function slopes(drops: Drops, task: Task): Kid {
  if (!drops.length) return null;
  const title = `${taskName(task)} · ${setLabel(drops[0].set)}`;
  const table = numbers("drops", () => dropTable(drops, task));
  return headed("slopes", "slopes", title, t("slopesNote"), slopePanels(drops), table);
}

const wordings = (all: WithModel<Wordings>[], mine: WithModel<Wordings>[], task: Task): Kid => [
  all.length > 0 && headed("wordings", "wording-spread", taskName(task), t("spreadNote"), wordingPanels(all)),
  mine.length > 0 && numbers("wordings", () => wordingTable(mine)),
];

const shots = (all: WithModel<ShotValues>[], mine: WithModel<ShotValues>[], task: Task): Kid => [
  all.length > 0 && headed("byShots", "shots-lines", taskName(task), t("shotsNote"), shotPanels(all)),
  mine.length > 0 && numbers("byShots", () => byName(mine, "byShots")),
];

/** Values by wording or by number of shots, a row a model and perturbation; `more`: further columns and their cells. */
function byName(rows: Named[], key: string, heads: SheetColumn[] = [], more: (row: Named) => SheetCell[] = () => []) {
  const names = [...new Set(rows.flatMap((r) => Object.keys(r.values)))].sort(NAMES.compare);
  const several = new Set(rows.map((r) => r.perturb)).size > 1;
  const name = (row: Named): SheetValue => ({
    ...nameCell(modelOf(row.id)),
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

const wordingTable = (rows: WithModel<Wordings>[]) =>
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
