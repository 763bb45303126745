// The overview: models by tasks.
import { button, choice, h, kept, unseen } from "../../common/dom.ts";
import { saveCsv } from "../../common/files.ts";
import { isNumber, mean, num, pct } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { choose, chooseMetricOf, sortBy } from "../actions.ts";
import { cellRoute, go } from "../address.ts";
import { leakNote, leaky, spanNode, statusBar } from "../beside.ts";
import {
  chanceOf,
  columnCells,
  entryAt,
  ordered,
  ownRows,
  paperRows,
  published,
  sameItems,
  tablesOf,
} from "../columns.ts";
import { picker, tick } from "../controls.ts";
import {
  adapters,
  address,
  benchmarkOf,
  counts,
  data,
  distinct,
  FIRST,
  fileStem,
  manyBenchmarks,
  models,
  nameNode,
  scoreOf,
  setsThere,
} from "../data.ts";
import { benchmarksShown, cellAt, haveIntervals, inView, perturbOf, scoringOf } from "../filters.ts";
import { figure, isLower, isPaper, longName, metricName, publishedAs, span, spreadOf } from "../metrics.ts";
import { perturbName, setLabel, taskName } from "../names.ts";
import { choiceMetrics, metricOf, ownMetrics, tasks, textMetrics } from "../offered.ts";
import { state } from "../state.ts";
import { SCORINGS, STATUSES } from "../statuses.ts";
import { framed } from "../tables/frame.ts";
import { filterBar } from "./filters.ts";
import { haveGroups, lettersControl, lettersNode, lettersNote, lettersOf } from "./groups.ts";
import { notes } from "./notes.ts";

/** A picker for each of the tasks that have the same metrics. */
function metricPickers() {
  const alike = new Map();
  for (const x of tasks) {
    const there = ownMetrics.get(x.name) ?? [],
      key = address(x.benchmark, ...x.metrics, "", ...there);
    if (there.length > 1) alike.set(key, [...(alike.get(key) ?? []), x]);
  }
  return [...alike.values()].map((mine) => {
    const names = mine.map((x) => x.name),
      of = mine.length > 2 ? `${mine[0].short} – ${mine.at(-1).short}` : mine.map((x) => x.short).join(", ");
    const pick = (metric) => chooseMetricOf(mine, metric);
    return kept(
      `metric-${names[0]}`,
      choice(
        `${t("metricHead")} (${benchmarkOf(mine[0]).title}: ${of})`,
        ownMetrics.get(names[0]),
        metricOf(mine[0]),
        pick,
        longName,
      ),
    );
  });
}

/** A mean and its interval; of how many sets, where some are missing. */
function meanCell(entry, task, rank) {
  if (!entry) return h("td", { class: "v" }, h("span", { class: "num none" }, "–"));
  const metric = metricOf(task),
    m = entry.metrics[metric],
    text = figure(metric, m?.value),
    of = setsThere.get(task.benchmark).length;
  return h(
    "td",
    { class: "v" },
    h(
      "span",
      {
        class: `num ${rank}`,
        title: `${metricName(metric)} ${text} · ${t("interval")} ${span(metric, m?.low, m?.high, 1)} · SD ${figure(metric, m?.sd).replace("+", "")}`,
      },
      text,
    ),
    spanNode(metric, m),
    entry.sets.length < of && h("span", { class: "flag bad" }, `! ${entry.sets.length}/${of}`),
  );
}

export const drawTables = () =>
  h(
    "section",
    { class: "block" },
    h("h2", null, t("overview")),
    h("p", { class: "note" }, t("overviewNote"), state.intervals && haveIntervals() && ` ${t("intervalNote")}`),
    filterBar(),
    controls(),
    notes(),
    legend(),
    lettersNote(),
    benchmarksShown().map((b) => tablesOf(b).map(overviewTable)),
  );

function controls() {
  const several = (name, key) => {
    const all = distinct(name).filter((v) => v !== "nll"); // which is how probes are asked, and nothing else
    const order = { scoring: SCORINGS, perturb: data.perturbations.map((x) => x.name) }[name],
      names = order?.filter((x) => all.includes(x)) ?? all;
    return (
      all.length > 1 &&
      kept(
        key,
        choice(t(key), names, state[name], (v) => choose(name, v), { scoring: t, perturb: perturbName }[name] ?? plain),
      )
    );
  };
  const groups = [
    [t("profileDefault"), textMetrics.filter((m) => !isPaper(m))],
    [t("profilePaper"), textMetrics.filter(isPaper)],
  ].filter(([, list]) => list.length);
  return h(
    "div",
    { class: "controls" },
    textMetrics.length > 1 && picker("metric", t("metric"), groups, state.metric, longName),
    choiceMetrics.length > 1 && picker("metricChoice", t("metricChoice"), choiceMetrics, state.metricChoice, longName),
    metricPickers(),
    several("variant", "variant"),
    several("shots", "shots"),
    several("scoring", "scoring"),
    several("perturb", "perturb"),
    several("split", "split"),
    haveIntervals() && tick("intervals", t("intervals")),
    lettersControl(),
    data.published.length > 0 && tick("published", t("published")),
    adapters().length > 0 && tick("adapters", t("showAdapters", adapters().length)),
    button(t("csv"), exportCsv, { id: "csv", class: "push" }),
  );
}

function legend() {
  const seen = STATUSES.filter((x) => data.cells.some((c) => inView(c) && counts(c)[x] > 0));
  return (
    seen.length > 1 &&
    h(
      "p",
      { class: "legend" },
      seen.map((x) => h("span", null, h("i", { class: `s-${x}`, "aria-hidden": "true" }), t(x))),
    )
  );
}

/** Row -> "best" or "second" among the own models. Cells with failed or missing items, and unlike columns, are not ranked. */
function ranks(rows, { set, task, sets }) {
  const whole = (c) => c && counts(c).failed + counts(c).missing === 0,
    complete = (row) => sets.every((x) => whole(cellAt(row.model.id, x, task.name)));
  const value = (row) => (complete(row) ? row.value(set, task) : null)?.toFixed(12);
  const values = [...new Set(rows.map(value).filter(Boolean))].sort((a, b) =>
    isLower(metricOf(task)) ? a - b : b - a,
  );
  const ranked = rows.filter(value).length > 1 && sets.every((x) => sameItems(columnCells(x, task)));
  return (row) => (ranked && ["best", "second"][values.indexOf(value(row))]) || "";
}

function overviewTable({ id, b, title, columns }) {
  if (!columns.length) return null;
  const here = (row) => !manyBenchmarks() || columns.some((c) => entryAt(row.model.id, c));
  const own = ordered(ownRows(false).filter(here), columns),
    base = ordered(ownRows(true).filter(here), columns);
  const paper = state.published ? ordered(paperRows(columns), columns) : [];
  const average = paper.filter((r) => r.label === "Average"),
    sets = columns.map((c) => c.set).filter((x) => x !== null);
  const place = new Map(columns.map((c) => [c, ranks(own, { ...c, sets: c.set === null ? sets : [c.set] })]));
  const body = (rows, heading, row, cls) => rows.length > 0 && h("tbody", { class: cls }, heading, rows.map(row));
  const heading = (text) =>
    h(
      "tr",
      { class: "group" },
      h("th", { scope: "rowgroup" }, text),
      columns.map(() => h("td")),
    );
  const modelRow = (ranked) => (row) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, nameNode(row.model)),
      columns.map((c) => {
        const rank = ranked ? place.get(c)(row) : "",
          entry = entryAt(row.model.id, c);
        return c.set === null ? meanCell(entry, c.task, rank) : valueCell(entry, c.task, rank, ranked);
      }),
    );
  const figureCell = (text, task) =>
    h("td", { class: "v" }, h("span", { class: "num" }, text), spanNode(metricOf(task), null));
  const paperRow = (row) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, row.label === "Average" ? t("average") : data$("span", "name", row.label)),
      columns.map((c) => figureCell(figure(metricOf(c.task), row.value(c.set, c.task)), c.task)),
    );
  const chances = columns.map((c) =>
    c.set === null ? mean(sets.map((x) => chanceOf(x, c.task))) : chanceOf(c.set, c.task),
  );
  return framed(
    h(
      "table",
      {
        class:
          "overview" +
          (state.letters && haveGroups() ? " lettered" : "") +
          (state.intervals && haveIntervals() ? "" : " narrow"),
        "data-set": id,
      },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          sortHead("", t("model")),
          columns.map((c) => columnHead(c, id)),
        ),
      ),
      (b.name === FIRST || chances.some(isNumber)) &&
        h(
          "tbody",
          { class: "chance" },
          h(
            "tr",
            null,
            h("th", { scope: "row" }, t("chance")),
            columns.map((c, i) => figureCell(pct(chances[i]), c.task)),
          ),
        ),
      body(own, heading(t("own")), modelRow(true), "own"),
      body(base, heading(t("baselines")), modelRow(false), "base"),
      body(paper.filter((r) => r.label !== "Average").concat(average), paperHead(paper[0], columns), paperRow, "paper"),
    ),
    { id, title: manyBenchmarks() ? title : `${b.title} ${title}`, heading: h("h3", { id: `set-${id}` }, title) },
  );
}

function paperHead(row, columns) {
  const source = (c) => [
    ...new Set([...(row?.columns.get(address(c.set ?? "", c.task.name))?.values() ?? [])].flatMap((e) => e.sources)),
  ];
  const words = (all) => (all.length ? sourceWords(all) : "–");
  return h(
    "tr",
    { class: "group" },
    h("th", { scope: "rowgroup" }, t("paper"), h("small", null, t("paperNote"))),
    columns.map((c) => h("td", { class: "v" }, words(source(c)))),
  );
}

/** "Tables 2, 3" in the page's language; what is in no table, by its section. */
function sourceWords(all) {
  const [inTables, others] = [all.filter((x) => x.startsWith("Table ")), all.filter((x) => !x.startsWith("Table "))],
    and = inChinese() ? "、" : ", ";
  return [
    inTables.length > 0 && t("table", inTables.map((x) => x.replace(/^Table /, "")).join(and)),
    ...others.map((x) => t("section", x.replace(/^Section /, ""))),
  ]
    .filter(Boolean)
    .join(and);
}

function sortHead(key, label, extra) {
  const on = state.sort.key === key;
  const flip = () => sortBy(key);
  return h(
    "th",
    { scope: "col", "aria-sort": on ? (state.sort.down ? "descending" : "ascending") : "none" },
    h(
      "button",
      { type: "button", class: "sort", onclick: flip, "data-sort": key },
      h("span", null, label),
      h("span", { class: "arrow", "aria-hidden": "true" }, on ? (state.sort.down ? "▾" : "▴") : ""),
    ),
    extra,
  );
}

function columnHead({ key, task, set, label }, table) {
  const cells = set === null ? [] : columnCells(set, task);
  const ns = cells.map((c) => c.items / (c.facts?.samples ?? 1)); // items, each asked several times or once
  const [low, high] = [Math.min(...ns), Math.max(...ns)];
  const n = cells.length > 0 && `n=${low === high ? num(low) : `${num(low)}–${num(high)}`}`;
  const parts = (metricName(metricOf(task)) + (n ? `, ${n}` : "")).split(/\s*(?=[（(])|(?<=,)\s/); // where the line may break
  return kept(
    `sort-${table}-${key}`,
    sortHead(key, label, [
      h(
        "small",
        null,
        parts.map((x) => [h("span", { class: "together" }, x), " "]),
        !sameItems(cells) && h("span", { class: "warn", title: t("differ") }, "≠", unseen(t("differ"))),
      ),
      [...new Map(cells.map((c) => [leakNote(c), leaky(c)]))].map(
        ([text, bad]) => text && h("small", { class: `leak${bad ? " warn" : ""}` }, text),
      ),
    ]),
  );
}

function valueCell(cell, task, rank, own) {
  if (!cell) return h("td", { class: "v" }, h("span", { class: "num none" }, "–"));
  const n = counts(cell),
    metric = metricOf(task),
    m = cell.metrics?.[metric],
    text = figure(metric, scoreOf(cell, metric));
  const between = span(metric, m?.low, m?.high, 1),
    group = own && lettersOf(cell, task);
  const label = `${plain(models.get(cell.id).label)}, ${taskName(task)}, ${setLabel(cell.set)}: ${text}${between && `, ${t("interval")} ${between}`}`;
  return h(
    "td",
    { class: "v" },
    h(
      "button",
      {
        type: "button",
        class: `cell ${rank}`,
        onclick: () => go(cellRoute(cell)),
        "aria-label": label + (rank ? `, ${t(rank)}` : "") + (group ? `, ${t("groupIs", group)}` : ""),
        title: `${metricName(metric)} ${text} · ${between && `${t("interval")} ${between} · `}${isNumber(m?.spread) ? `${t("sampleSpread")} ${spreadOf(metric, m, 1)} · ` : ""}n=${m?.n ?? 0}`,
      },
      h("span", { class: "num" }, text),
    ),
    own && lettersNode(cell, task),
    spanNode(metric, m),
    n.none > 0 && h("span", { class: "flag" }, statusBar(cell), `${num(n.none)} ${t("noAnswer")}`),
    n.failed > 0 && h("span", { class: "flag bad" }, `! ${num(n.failed)} ${t("failedN")}`),
    n.missing > 0 && h("span", { class: "flag bad" }, `! ${num(n.missing)} ${t("missingN")}`),
    cell.not_finite && h("span", { class: "flag bad" }, `! ${t("notFinite", cell.not_finite)}`),
  );
}

function exportCsv() {
  const head = [
    "group",
    "model",
    "run",
    "set",
    "task",
    "split",
    "prompt",
    "shots",
    "scoring",
    "perturb",
    "metric",
    "value",
    "low",
    "high",
    "wilson_low",
    "wilson_high",
    "n",
    "items",
    "leaked",
    "drop_leaked",
    "chance",
    "accuracy_of_parsed",
    ...STATUSES,
    "source",
    "signature",
  ];
  const lines = [head];
  for (const { set, task } of benchmarksShown()
    .flatMap(tablesOf)
    .flatMap((x) => x.columns)) {
    const metric = metricOf(task);
    for (const row of [...ownRows(false), ...ownRows(true)]) {
      const c = entryAt(row.model.id, { set, task });
      if (!c) continue;
      const n = set === null ? {} : counts(c),
        m = c.metrics?.[metric] ?? {};
      lines.push([
        row.model.baseline ? "baseline" : "model",
        c.model,
        data.runs[row.model.run]?.name,
        set ?? "mean",
        task.name,
        c.split,
        c.variant,
        c.shots,
        c.scoring,
        c.perturb,
        metric,
        m.value,
        m.low,
        m.high,
        ...(m.wilson ?? ["", ""]),
        m.n,
        c.items,
        c.facts?.leaked,
        c.facts?.drop_leaked,
        c.chance,
        c.accuracy_of_parsed,
        ...STATUSES.map((x) => n[x]),
        "",
        m.signature,
      ]);
    }
    if (state.published)
      for (const [model, p] of published(set, task.name, metric)) {
        lines.push([
          "published",
          model,
          "",
          set ?? "mean",
          task.name,
          "",
          "",
          state.shots,
          scoringOf(task),
          perturbOf(task),
          publishedAs(task, metric),
          p.value,
          ...Array(10).fill(""),
          ...STATUSES.map(() => ""),
          p.sources.join("; "),
          "",
        ]);
      }
  }
  saveCsv(`${fileStem()}-leaderboard.csv`, lines);
}
