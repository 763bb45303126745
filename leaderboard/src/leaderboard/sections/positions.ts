// Positions of the gold option and of the chosen ones.
import { h } from "../../common/dom.ts";
import { isNumber, num, pct, sumOf } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import type { Positions as Row } from "../../types/results.ts";
import { savers } from "../charts/picture.ts";
import { nameNode } from "../data.ts";
import { perturbOf } from "../filters.ts";
import { setLabel, taskName } from "../names.ts";
import { grouped, type WithModel } from "../result_rows.ts";
import { state } from "../state.ts";
import { nameCell } from "../tables/make.ts";
import { sheetPanels } from "../tables/sheet.ts";
import type { Sheet, SheetColumn, SheetRow, SheetValue, Task } from "../types.ts";

type Positions = WithModel<Row>;

/** Positions of the gold option and of the model's choices, for the perturbation in view. */
export function positionPanels(rows: Positions[], task: Task) {
  const shown = rows.filter((r) => r.perturb === perturbOf(task));
  if (!shown.length) return null;
  const all = grouped(shown).map(([m, [row]]) => ({ m, row }));
  const title = `${t("positions")} · ${taskName(task)} · ${setLabel(shown[0].set)}`;
  const columns = [t("chosenShare"), t("goldShare"), t("rightThere")].map(
    (heading): SheetColumn => ({ heading, kind: "percent" }),
  );
  const sheet: Sheet = {
    name: "positions",
    title,
    columns: [{ heading: t("option") }, { heading: "", kind: "bars" }, ...columns],
    rows: all.flatMap(({ m, row }): SheetRow[] => [
      { kind: "group", cells: [{ ...nameCell(m), asides: biasWords(row) }] },
      ...row.labels.map((label, i) => ({ cells: [label, ...positionCells(row, i)] })),
    ]),
    look: "places",
    fixed: true,
  };
  const { panels, savers: tables } = sheetPanels(sheet, "by-position", (n) => {
    const { m, row } = all[n];
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

/** The share of the i-th count in the sum; null if the sum is 0. */
export const share = (list: number[], i: number): number | null => (sumOf(list) ? list[i] / sumOf(list) : null);

const mostChosen = ({ chosen }: Positions): number => chosen.indexOf(Math.max(...chosen));

function biasWords(row: Positions): string[] {
  const most = mostChosen(row);
  const mostly = t("mostly", plain(row.labels[most]), pct(share(row.chosen, most)));
  return isNumber(row.bias) ? [`${t("bias")} ${pct(row.bias)} % · ${mostly}`] : [];
}

function positionCells(row: Positions, i: number): SheetValue[] {
  const [chosen, gold] = [share(row.chosen, i), share(row.gold, i)];
  const most = i === mostChosen(row) && sumOf(row.chosen) > 0;
  const right = row.gold[i] ? row.right[i] / row.gold[i] : null;
  return [
    { value: chosen ?? 0, base: gold },
    { value: chosen, tone: most ? "strong" : "" },
    { value: gold },
    { value: right, asides: [`/${num(row.gold[i])}`] },
  ];
}
