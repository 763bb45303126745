// Correlations of metrics of spans and texts: per item (results.json's) and over the models in view (computed here).
import { h, type Kid } from "../../common/dom.ts";
import { isNumber, num } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import type { MetricCorrelation } from "../../types/results.ts";
import { coefficient, heatmap } from "../charts/heat.ts";
import { savers } from "../charts/picture.ts";
import { columnCells, sameItems } from "../columns.ts";
import { picker, tick } from "../controls.ts";
import { address, counts, data, isChoice, metricRows, models, scoreOf, taskOf } from "../data.ts";
import { cellAt, inPlace, inSight, setNames } from "../filters.ts";
import { baseName, isPaper, metricName } from "../metrics.ts";
import { setLabel, taskName } from "../names.ts";
import { tasks } from "../offered.ts";
import { state } from "../state.ts";
import { kendall, midranks, pearson } from "../statistics.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Sheet, SheetColumn, SheetValue, Task } from "../types.ts";

const CORRELATED = 5; // models, at least: as in metric_correlations.py

/** Figures of every two metrics, in the order (0,1), (0,2) … (1,2) …: as an entry of results.json, or of the models in view. */
type Correlated = Pick<MetricCorrelation, "metrics" | "models" | "n" | "of" | "spearman" | "kendall">;

function overModels(set: string, task: Task): Correlated | null {
  const cells = [...models.values()]
    .filter((m) => !m.baseline && inSight(m))
    .flatMap((m) => cellAt(m.id, set, task.name, "generate", "none") ?? [])
    .filter((c) => counts(c).failed + counts(c).missing === 0);
  if (cells.length < CORRELATED || !sameItems(cells)) return null;
  const metrics = Object.keys(cells[0].metrics ?? {}).filter((m) => cells.every((c) => isNumber(scoreOf(c, m))));
  const columns = metrics.map((m) => cells.map((c) => Number(scoreOf(c, m)?.toFixed(12))));
  const ranked = columns.map(midranks);
  const pairs = metrics.flatMap((_, i) => metrics.slice(i + 1).map((__, j) => [i, i + 1 + j]));
  return {
    metrics,
    models: cells.length,
    n: cells.length,
    of: cells.length,
    spearman: pairs.map(([i, j]) => pearson(ranked[i], ranked[j])),
    kendall: pairs.map(([i, j]) => kendall(columns[i], columns[j])),
  };
}

/** A matrix to show: a task of a set, over a run's items or over the models in view. */
interface Source {
  basis: string;
  run: string;
  set: string;
  task: Task;
  found: () => Correlated | null;
}

function sources(): Source[] {
  const texts = tasks.filter((x) => !isChoice(x));
  const ofItems = data.runs.flatMap((run, i) =>
    (run.metric_correlations ?? [])
      .filter((x) => x.basis === "items" && inPlace(x))
      .map((x) => ({ basis: "items", run: String(i), set: x.set, task: taskOf(x.task), found: () => x })),
  );
  const enough = (set: string, task: Task) =>
    columnCells(set, task).filter((c) => !models.get(c.id)?.baseline).length >= CORRELATED;
  const ofModels = setNames().flatMap((set) =>
    texts
      .filter((task) => enough(set, task))
      .map((task) => ({ basis: "models", run: "", set, task, found: () => overModels(set, task) })),
  );
  return [...ofItems, ...ofModels];
}

/** The wish where it is there, else what stands at `otherwise`. */
const among = (all: string[], wish: string, otherwise = 0): string =>
  all.includes(wish) ? wish : (all.at(otherwise) ?? "");

export function drawCorrelations() {
  const every = sources();
  if (!every.length) return null;
  const bases = [...new Set(every.map((x) => x.basis))];
  const basis = among(bases, state.corrBasis);
  const runs = [...new Set(every.filter((x) => x.basis === basis).map((x) => x.run))];
  const run = among(runs, state.corrRun);
  const here = every.filter((x) => x.basis === basis && x.run === run);
  const sets = setNames().filter((x) => here.some(({ set }) => set === x));
  const set = among(sets, state.corrSet, -1);
  const all = tasks.filter((x) => here.some((y) => y.set === set && y.task.name === x.name)).map((x) => x.name);
  const task = among(all, state.corrTask);
  const found = here.find((x) => x.set === set && x.task.name === task)?.found() ?? null;
  const title = `${t("correlations")} · ${taskName(taskOf(task))} · ${setLabel(set)} · ${t(`basis.${basis}`)}`;
  return h(
    "section",
    { class: "block", id: "correlations" },
    h("div", { class: "titled" }, h("h2", null, t("correlations")), found && savers("metric-correlations", title)),
    h("p", { class: "note" }, t("correlationsNote"), " ", t(`about.basis.${basis}`)),
    h(
      "div",
      { class: "controls" },
      bases.length > 1 && picker("corrBasis", t("basis"), bases, basis, (v) => t(`basis.${v}`)),
      runs.length > 1 && picker("corrRun", t("run"), runs, run, (v) => plain(data.runs[Number(v)].name)),
      picker("corrTask", t("task"), all, task, (v) => taskName(taskOf(v))),
      sets.length > 1 && picker("corrSet", t("set"), sets, set, (v) => setLabel(v)),
      found?.metrics.some(isPaper) && tick("corrPaper", t("withPaper")),
    ),
    found ? matrixOf(found, title) : h("p", { class: "notice" }, t("differ")),
  );
}

type FigureAt = (a: string, b: string) => number | null;

/** (row, column) -> ρ above the diagonal, τ below. */
function figureAt(found: Correlated): FigureAt {
  const place = new Map<string, number | null>();
  let n = 0;
  found.metrics.forEach((a, i) =>
    found.metrics.slice(i + 1).forEach((b) => {
      place.set(address(a, b), found.spearman[n]);
      place.set(address(b, a), found.kendall[n++]);
    }),
  );
  return (a, b) => place.get(address(a, b)) ?? null;
}

function matrixOf(found: Correlated, title: string): Kid {
  const known = [...metricRows.keys()];
  const order = (m: string) => known.length * Number(isPaper(m)) + known.indexOf(baseName(m));
  const names = found.metrics.filter((m) => state.corrPaper || !isPaper(m)).sort((a, b) => order(a) - order(b));
  const at = figureAt(found);
  const many = found.of > found.n;
  const n = t(many ? "nSampled" : "nPoints", num(found.n), num(found.of), num(found.models));
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
function matrixTable(names: string[], at: FigureAt, title: string) {
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
