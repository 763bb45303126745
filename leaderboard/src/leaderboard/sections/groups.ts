// Significance groups: letters beside the values of the overview, from the tests of evalsuite/analyses/significance.py.
import { h } from "../../common/dom.ts";
import { plain } from "../../common/text.ts";
import { inChinese, listed, sentences, t } from "../../common/words.ts";
import { tick } from "../controls.ts";
import { data, mapKey, models } from "../data.ts";
import { isShown, perturbOf, scoringOf, setNames } from "../filters.ts";
import { metricOf, tasks } from "../metric_choice.ts";
import { setLabel, taskName } from "../names.ts";
import { state } from "../state.ts";
import type { Cell, Place, SignificanceGroups, Task } from "../types.ts";

let index: Map<string, SignificanceGroups> | undefined;

const groupKey = (x: Place, metric: string, adapters: boolean) =>
  mapKey(x.set, x.task, x.split, x.variant, x.shots, x.scoring, x.perturb, metric, adapters);

/** The groups of a column in view: with the adapters of sweeps if they are shown. */
export function groupOf(set: string, task: Task) {
  index ??= new Map((data.groups ?? []).map((x) => [groupKey(x, x.metric, Boolean(x.adapters)), x]));
  const here = { ...state, set, task: task.name, scoring: scoringOf(task), perturb: perturbOf(task) };
  const metric = metricOf(task);
  return (state.adapters && index.get(groupKey(here, metric, true))) || index.get(groupKey(here, metric, false));
}

const groupsInView = () =>
  setNames().flatMap((set) =>
    tasks.flatMap((task) => {
      const groups = groupOf(set, task);
      return groups ? [{ set, task, groups }] : [];
    }),
  );

export const haveGroups = () => groupsInView().length > 0;

export const lettersOf = (cell: Cell, task: Task) => (state.letters && groupOf(cell.set, task)?.letters[cell.id]) || "";

export const lettersControl = () => haveGroups() && tick("letters", t("showLetters"));

/** Models without a letter, each with the reason and the columns. */
function letterless() {
  const columnsByReason = new Map<string, string[]>();
  for (const { set, task, groups } of groupsInView())
    for (const [id, why] of Object.entries(groups.left_out)) {
      const model = models.get(id);
      if (!model || !isShown(model)) continue;
      const key = mapKey(plain(model.label), why);
      columnsByReason.set(key, [...(columnsByReason.get(key) ?? []), `${setLabel(set)} ${taskName(task)}`]);
    }
  return [...columnsByReason].map(([key, columns]) => {
    const [label, why] = key.split("\t");
    const where = columns.length > 3 ? t("nColumns", columns.length) : listed(columns);
    return t("letterless", label, t(`out.${why}`), where);
  });
}

export function lettersNote() {
  if (!state.letters || !haveGroups()) return null;
  const lines = letterless();
  return h(
    "p",
    { class: "note", id: "letters-note" },
    h("span", { class: "letters alike", "aria-hidden": "true" }, "a"),
    " ",
    sentences(t("lettersNote"), data.runs.length > 1 && t("lettersRuns")),
    lines.length > 0 && [" ", t("noLetters"), " ", lines.join(inChinese() ? "；" : "; "), inChinese() ? "。" : "."],
  );
}
