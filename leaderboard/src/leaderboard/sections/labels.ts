// The labels that adapters choose, compared with those of their training items.
import { h } from "../../common/dom.ts";
import { isNumber, num, pct } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import type { Curve, LabelCheck } from "../../types/results.ts";
import { savers } from "../charts/picture.ts";
import { picker } from "../controls.ts";
import { taskOf } from "../data.ts";
import { perturbName, setLabel, taskName } from "../names.ts";
import { state } from "../state.ts";
import { sheetPanels } from "../tables/sheet.ts";
import type { Sheet, SheetColumn, SheetRow, SheetValue } from "../types.ts";
import { share } from "./positions.ts";

export type CurveRow = Curve & { run: number; pool: string };

const KINDS = ["shuffle", "both"]; // perturbations under which a preference for labels shows: as in analyses/learning.py

/** The shares of labels in training items, answers and gold: a panel for each task. */
export function labelPanels(rows: CurveRow[], name: string, set: string) {
  const there = rows.filter((r) => r.points.some((p) => p.labels));
  if (!there.length) return null;
  const kinds: string[] = [...new Set(there.map((r) => r.perturb))];
  const kind = [state.labelPerturb, ...KINDS].find((k) => kinds.includes(k)) ?? kinds[0];
  const sizes = [...new Set(there.flatMap((r) => r.points.map((p) => p.size)))].sort((a, b) => a - b);
  const size = sizes.includes(state.labelSize) ? state.labelSize : sizes[sizes.length - 1];
  const shown = there.flatMap((row) => {
    const x = row.points.find((p) => p.size === size)?.labels;
    return x && row.perturb === kind ? [{ row, x }] : [];
  });
  const title = `${name} · ${t("labelCheck")} · ${setLabel(set)} · ${kind} · ${t("nItems", num(size))}`;
  const drawn = shown.length
    ? sheetPanels(labelSheet(shown, title), "curves-labels", (n) => labelAround(shown[n]))
    : null;
  return [
    h(
      "div",
      { class: "titled" },
      h("h3", null, t("labelCheck"), " · ", setLabel(set)),
      h("span", { class: "savers" }, savers("curves-labels", title), drawn?.savers),
    ),
    h("p", { class: "note" }, t("labelNote")),
    h(
      "div",
      { class: "controls" },
      kinds.length > 1 && picker("labelPerturb", t("perturb"), kinds, kind, perturbName),
      sizes.length > 1 && picker("labelSize", t("trainingItems"), sizes, size, (v) => num(v)),
    ),
    h(
      "div",
      { class: "panels positions", id: "curves-labels" },
      drawn ? drawn.panels : h("p", { class: "notice" }, t("noRows")),
    ),
  ];
}

interface Labels {
  row: CurveRow;
  x: LabelCheck;
}

function labelSheet(shown: Labels[], title: string): Sheet {
  const columns = [t("trainedShare"), t("saidShare"), t("goldShare")].map(
    (heading): SheetColumn => ({ heading, kind: "percent" }),
  );
  const cells = (x: LabelCheck, i: number): SheetValue[] => {
    const tone = i === x.most ? "strong" : "";
    const figures = [x.trained, x.chosen, x.gold].map((list) => ({ value: share(list, i), tone }) as const);
    return [{ value: x.labels[i], tone }, { value: share(x.chosen, i) ?? 0, base: share(x.trained, i) }, ...figures];
  };
  return {
    name: "labels",
    title,
    columns: [{ heading: t("option") }, { heading: "", kind: "bars" }, ...columns],
    rows: shown.flatMap(({ row, x }): SheetRow[] => [
      { kind: "group", cells: [taskName(taskOf(row.task))] },
      ...x.labels.map((_, i) => ({ cells: cells(x, i) })),
    ]),
    look: "places",
    fixed: true,
  };
}

function labelAround({ row, x }: Labels) {
  const most = [plain(x.labels[x.most]), pct(share(x.trained, x.most)), pct(x.share), pct(x.gold_share)];
  const verdict = isNumber(x.share) ? t("mostTrained", ...most) : t("saidNone");
  const distances = isNumber(x.distance) && h("small", null, ` ${t("distances", pct(x.distance), pct(x.bias))}`);
  return {
    props: { "data-labels": row.task },
    above: [
      h("figcaption", null, h("strong", null, taskName(taskOf(row.task)))),
      h("p", { class: "verdict" }, verdict, distances),
    ],
    below: [x.silent > 0 && h("p", { class: "note" }, t("silentN", num(x.silent)))],
  };
}
