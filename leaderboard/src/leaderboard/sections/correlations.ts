// How metrics of spans and texts go together: per item (results.json's) and over the models in view (computed here).
import { h } from "../../common/dom.ts";
import { isNumber, num } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { coefficient, heatmap } from "../charts/heat.ts";
import { savers } from "../charts/picture.ts";
import { picker, tick } from "../controls.ts";
import { address, counts, data, isChoice, metricRows, models, taskOf } from "../data.ts";
import { baseName, isPaper, metricName } from "../metrics.ts";
import { state } from "../state.ts";
import { kendall, midranks, pearson } from "../statistics.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Sheet, SheetColumn, SheetValue } from "../types.ts";
import { cellAt, columnCells, inPlace, inSight, sameItems, setLabel, setNames, taskName, tasks } from "../view.ts";

const CORRELATED = 5; // models, at least: as in metric_correlations.py

/** The same shape as an entry of results.json: figures of every two metrics, in the order (0,1), (0,2) … (1,2) … */
function overModels(set, task) {
  const cells = [...models.values()]
    .filter((m) => !m.baseline && inSight(m))
    .map((m) => cellAt(m.id, set, task.name, "generate", "none"))
    .filter((c) => c && counts(c).failed + counts(c).missing === 0);
  if (cells.length < CORRELATED || !sameItems(cells)) return null;
  const metrics = Object.keys(cells[0].metrics ?? {}).filter((m) => cells.every((c) => isNumber(c.metrics[m]?.value)));
  const columns = metrics.map((m) => cells.map((c) => Number(c.metrics[m].value.toFixed(12)))),
    ranked = columns.map(midranks),
    pairs = metrics.flatMap((_, i) => metrics.slice(i + 1).map((__, j) => [i, i + 1 + j]));
  return {
    task: task.name,
    set,
    metrics,
    models: cells.length,
    n: cells.length,
    of: cells.length,
    spearman: pairs.map(([i, j]) => pearson(ranked[i], ranked[j])),
    kendall: pairs.map(([i, j]) => kendall(columns[i], columns[j])),
  };
}

export function drawCorrelations() {
  const items = data.runs
    .flatMap((run, i) => (run.metric_correlations ?? []).map((x) => ({ ...x, run: String(i) })))
    .filter((x) => x.basis === "items" && inPlace(x));
  const texts = tasks.filter((x) => !isChoice(x)),
    over = setNames()
      .flatMap((set) => texts.map((x) => [set, x]))
      .filter(([set, x]) => columnCells(set, x).filter((c) => !models.get(c.id).baseline).length >= CORRELATED);
  if (!items.length && !over.length) return null;
  const bases = [items.length > 0 && "items", over.length > 0 && "models"].filter(Boolean),
    basis = bases.includes(state.corrBasis) ? state.corrBasis : bases[0];
  const runs = [...new Set(items.map((x) => x.run))],
    run = runs.includes(state.corrRun) ? state.corrRun : runs[0];
  const places = basis === "items" ? items.filter((x) => x.run === run).map((x) => [x.set, taskOf(x.task)]) : over;
  const sets = setNames().filter((x) => places.some(([set]) => set === x)),
    set = sets.includes(state.corrSet) ? state.corrSet : sets.at(-1);
  const all = texts.filter((x) => places.some(([one, y]) => one === set && y.name === x.name)),
    task = all.find((x) => x.name === state.corrTask) ?? all[0];
  const found =
    basis === "items"
      ? items.find((x) => x.run === run && x.set === set && x.task === task.name)
      : overModels(set, task);
  const title = `${t("correlations")} · ${taskName(task)} · ${setLabel(set)} · ${t(`basis.${basis}`)}`;
  return h(
    "section",
    { class: "block", id: "correlations" },
    h("div", { class: "titled" }, h("h2", null, t("correlations")), found && savers("metric-correlations", title)),
    h("p", { class: "note" }, t("correlationsNote"), " ", t(`about.basis.${basis}`)),
    h(
      "div",
      { class: "controls" },
      bases.length > 1 && picker("corrBasis", t("basis"), bases, basis, (v) => t(`basis.${v}`)),
      basis === "items" && runs.length > 1 && picker("corrRun", t("run"), runs, run, (v) => plain(data.runs[v].name)),
      picker(
        "corrTask",
        t("task"),
        all.map((x) => x.name),
        task.name,
        (v) => taskName(taskOf(v)),
      ),
      sets.length > 1 && picker("corrSet", t("set"), sets, set, (v) => setLabel(v)),
      found?.metrics.some(isPaper) && tick("corrPaper", t("withPaper")),
    ),
    found ? matrixOf(found, title) : h("p", { class: "notice" }, t("differ")),
  );
}

/** (row, column) -> ρ above the diagonal, τ below. */
function figureAt(found) {
  const place = new Map();
  let n = 0;
  found.metrics.forEach((a, i) =>
    found.metrics.slice(i + 1).forEach((b) => {
      place.set(address(a, b), found.spearman[n]);
      place.set(address(b, a), found.kendall[n++]);
    }),
  );
  return (a, b) => place.get(address(a, b)) ?? null;
}

function matrixOf(found, title) {
  const known = [...metricRows.keys()],
    names = found.metrics
      .filter((m) => state.corrPaper || !isPaper(m))
      .sort((a, b) => isPaper(a) - isPaper(b) || known.indexOf(baseName(a)) - known.indexOf(baseName(b)));
  const at = figureAt(found),
    many = found.of > found.n,
    n = t(many ? "nSampled" : "nPoints", num(found.n), num(found.of), num(found.models));
  return [
    h("p", { class: "note", id: "correlated" }, n),
    h(
      "div",
      { class: "scroll bare", tabindex: 0, role: "region", "aria-label": title },
      h("div", { id: "metric-correlations", class: "heatbox" }, heatmap(names, at)),
    ),
    h("details", { class: "numbers" }, h("summary", null, t("asTable")), matrixTable(names, at, title)),
  ];
}

/** The same figures as a table. */
function matrixTable(names: string[], at: (a: string, b: string) => number | null, title: string) {
  const cell = (a: string, b: string): SheetValue => ({ value: at(a, b), text: a === b ? "" : coefficient(at(a, b)) });
  const sheet: Sheet = {
    name: "correlations",
    title: `${title} · ${t("asTable")}`,
    columns: [
      { heading: t("metricHead") },
      ...names.map((m): SheetColumn => ({ heading: metricName(m), kind: "number" })),
    ],
    rows: names.map((a) => ({ cells: [metricName(a), ...names.map((b) => cell(a, b))] })),
    look: "robust matrix",
  };
  return sheetNode(sheet, { id: "metric-correlations-table", heading: null });
}
