// How metrics of spans and texts go together: per item (results.json's) and over the models in view (computed here).
import { h, s } from "../../common/dom.ts";
import { isNumber, num } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { savers } from "../charts/picture.ts";
import { picker, tick } from "../controls.ts";
import { address, counts, data, isChoice, metricRows, models, taskOf } from "../data.ts";
import { baseName, isPaper, metricName } from "../metrics.ts";
import { state } from "../state.ts";
import { kendall, midranks, pearson } from "../statistics.ts";
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

const coefficient = (v) =>
  isNumber(v)
    ? v
        .toFixed(2)
        .replace("-", "−")
        .replace(/^(−?)0\./, "$1.")
    : "–";

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
    h(
      "details",
      { class: "numbers" },
      h("summary", null, t("asTable")),
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": t("asTable") },
        h(
          "table",
          { class: "robust matrix" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              h("th", { scope: "col" }, t("metricHead")),
              names.map((m) => h("th", { scope: "col", class: "v" }, metricName(m))),
            ),
          ),
          h(
            "tbody",
            null,
            names.map((a) =>
              h(
                "tr",
                null,
                h("th", { scope: "row" }, metricName(a)),
                names.map((b) => h("td", { class: "v" }, a === b ? "" : coefficient(at(a, b)))),
              ),
            ),
          ),
        ),
      ),
    ),
  ];
}

const HEAT = { width: 44, height: 26 };

function heatmap(names, at) {
  const wide = (text) => [...text].reduce((sum, c) => sum + (c > "\u2e80" ? 11.5 : 6.4), 0),
    longest = Math.max(...names.map((m) => wide(metricName(m))));
  const left = longest + 10,
    top = 0.71 * longest + 16,
    right = left + names.length * HEAT.width,
    bottom = top + names.length * HEAT.height;
  const x = (i) => left + i * HEAT.width,
    y = (i) => top + i * HEAT.height,
    px = (v) => v.toFixed(1);
  const cell = (a, b, i, j) => {
    const v = at(a, b);
    return s(
      "g",
      null,
      s("rect", {
        class: v < 0 ? "against" : "with",
        x: px(x(j) + 1),
        y: px(y(i) + 1),
        width: HEAT.width - 2,
        height: HEAT.height - 2,
        rx: 3,
        opacity: isNumber(v) ? (0.03 + 0.46 * v * v).toFixed(2) : 0,
      }),
      s(
        "text",
        { class: "value", x: px(x(j) + HEAT.width / 2), y: px(y(i) + 17), "text-anchor": "middle" },
        coefficient(v),
      ),
      s("title", null, `${metricName(a)} · ${metricName(b)}: ${j > i ? "ρ" : "τ"} ${coefficient(v)}`),
    );
  };
  const corner = right + 0.71 * longest + 4;
  return s(
    "svg",
    { class: "plot heat", width: px(corner), height: px(bottom + 24), "aria-hidden": "true" },
    names.map((m, i) => [
      s("text", { class: "head", x: px(left - 8), y: px(y(i) + 17), "text-anchor": "end" }, metricName(m)),
      s(
        "text",
        {
          class: "head",
          x: px(x(i) + HEAT.width / 2),
          y: px(top - 8),
          transform: `rotate(-45 ${px(x(i) + HEAT.width / 2)} ${px(top - 8)})`,
        },
        metricName(m),
      ),
    ]),
    names.map((a, i) =>
      names.map((b, j) =>
        i === j
          ? s("line", {
              class: "grid",
              x1: px(x(i) + 6),
              x2: px(x(i) + HEAT.width - 6),
              y1: px(y(i) + 5),
              y2: px(y(i) + HEAT.height - 5),
            })
          : cell(a, b, i, j),
      ),
    ),
    s("text", { x: px(right), y: px(bottom + 18), "text-anchor": "end" }, t("aboveBelow")),
  );
}
