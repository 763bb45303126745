// Significance groups: letters beside the values of the overview. The tests are report.py's; nothing is computed here.
import { h } from "../../common/dom.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { tick } from "../controls.ts";
import { address, data, models } from "../data.ts";
import { state } from "../state.ts";
import type { Cell, Groups, Place, Task } from "../types.ts";
import { inSight, metricOf, perturbOf, scoringOf, setLabel, setNames, taskName, tasks } from "../view.ts";

let groupIndex: Map<string, Groups> | undefined;

const groupPlace = (x: Place, metric: string, adapters: boolean) =>
  address(x.set, x.task, x.split, x.variant, x.shots, x.scoring, x.perturb, metric, adapters);

/** The groups of a column as it is in view: with the adapters of sweeps only where they are shown and there are any. */
export function groupOf(set: string, task: Task): Groups | undefined {
  const index =
    groupIndex ?? new Map((data.groups ?? []).map((x) => [groupPlace(x, x.metric, Boolean(x.adapters)), x]));
  groupIndex = index;
  const here = { ...state, set, task: task.name, scoring: scoringOf(task), perturb: perturbOf(task) };
  const at = (adapters: boolean) => index.get(groupPlace(here, metricOf(task), adapters));
  return state.adapters ? (at(true) ?? at(false)) : at(false);
}

const groupsInView = (): { set: string; task: Task; found: Groups }[] =>
  setNames().flatMap((set) =>
    tasks.flatMap((task) => {
      const found = groupOf(set, task);
      return found ? [{ set, task, found }] : [];
    }),
  );

export const haveGroups = () => groupsInView().length > 0;

export const lettersOf = (cell: Cell, task: Task): string =>
  (state.letters && groupOf(cell.set, task)?.letters[cell.id]) || "";

export function lettersControl() {
  return haveGroups() && tick("letters", t("showLetters"));
}

/** Models that are in no group, each with the reason -> the columns. */
function leftOut(): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const { set, task, found } of groupsInView())
    for (const [id, why] of Object.entries(found.left_out)) {
      const model = models.get(id);
      if (!model || !inSight(model)) continue;
      const key = address(plain(model.label), why);
      out.set(key, [...(out.get(key) ?? []), `${setLabel(set)} ${taskName(task)}`]);
    }
  return out;
}

export function lettersNote() {
  if (!state.letters || !haveGroups()) return null;
  const lines = [...leftOut()].map(([key, columns]) => {
    const [label, why] = key.split("\t");
    const where = columns.length > 3 ? t("nColumns", columns.length) : columns.join(inChinese() ? "、" : ", ");
    return t("letterless", label, t(`out.${why}`), where);
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
