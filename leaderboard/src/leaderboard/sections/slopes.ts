// Changes under perturbation at a glance.
import { signed } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import type { Drop } from "../../types/results.ts";
import { changeWords, isSure, kindsIn } from "../charts/slopes.ts";
import { metricName } from "../metrics.ts";
import { nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import { grouped } from "../told.ts";
import type { Model, Sheet, SheetColumn, SheetRow, SheetValue, Task } from "../types.ts";
import { cellAt, perturbName, setLabel, taskName } from "../view.ts";

type Change = Drop & { id: string };

/** Models × perturbations: the change in points, shaded by its size. The worst on average come first. */
export function changeTable(rows: Change[], task: Task) {
  const kinds: string[] = kindsIn(rows);
  const shade = Math.max(0.01, ...rows.map((r) => Math.abs(r.drop)));
  const mean = (list: Change[]): number => list.reduce((sum, r) => sum + r.drop, 0) / list.length;
  const lines: [Model, Change[]][] = grouped(rows);
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
  return sheetNode(sheet, { id: "changes-table", heading: null });
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
