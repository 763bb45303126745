// Significance groups: letters beside the values of the overview. The tests are report.py's; nothing is computed here.
import { h } from "../../common/dom.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { tick } from "../controls.ts";
import { address, data, models } from "../data.ts";
import { state } from "../state.ts";
import { inSight, metricOf, perturbOf, scoringOf, setLabel, setNames, taskName, tasks } from "../view.ts";

let groupIndex;

const groupPlace = (x, metric, adapters) =>
  address(x.set, x.task, x.split, x.variant, x.shots, x.scoring, x.perturb, metric, adapters);

/** The groups of a column as it is in view: with the adapters of sweeps only where they are shown and there are any. */
export function groupOf(set, task) {
  groupIndex ??= new Map((data.groups ?? []).map((x) => [groupPlace(x, x.metric, Boolean(x.adapters)), x]));
  const here = { ...state, set, task: task.name, scoring: scoringOf(task), perturb: perturbOf(task) },
    at = (adapters) => groupIndex.get(groupPlace(here, metricOf(task), adapters));
  return state.adapters ? (at(true) ?? at(false)) : at(false);
}

const groupsInView = () =>
  setNames()
    .flatMap((set) => tasks.map((x) => [set, x, groupOf(set, x)]))
    .filter(([, , found]) => found);

export const haveGroups = () => groupsInView().length > 0;

export const lettersOf = (cell, task) => (state.letters && groupOf(cell.set, task)?.letters[cell.id]) || "";

export function lettersControl() {
  return haveGroups() && tick("letters", t("showLetters"));
}

export function lettersNote() {
  if (!state.letters || !haveGroups()) return null;
  const out = new Map(); // model and reason -> columns
  for (const [set, task, found] of groupsInView())
    for (const [id, why] of Object.entries(found.left_out)) {
      if (!models.has(id) || !inSight(models.get(id))) continue;
      const key = address(plain(models.get(id).label), why);
      out.set(key, [...(out.get(key) ?? []), `${setLabel(set)} ${taskName(task)}`]);
    }
  const lines = [...out].map(([key, columns]) => {
    const [label, why] = key.split("\t");
    return t(
      "letterless",
      label,
      t(`out.${why}`),
      columns.length > 3 ? t("nColumns", columns.length) : columns.join(inChinese() ? "、" : ", "),
    );
  });
  const pages = new Set(data.runs.map((r) => r.name)).size > 1 || data.runs.length > 1;
  return h(
    "p",
    { class: "note", id: "letters-note" },
    h("span", { class: "letters alike", "aria-hidden": "true" }, "a"),
    " ",
    t("lettersNote"),
    pages && ` ${t("lettersRuns")}`,
    lines.length > 0 && [" ", t("noLetters"), " ", lines.join(inChinese() ? "；" : "; "), inChinese() ? "。" : "."],
  );
}
