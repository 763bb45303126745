// Learning curves of LoRA sweeps.
import { button, h } from "../../common/dom.ts";
import { saveCsv } from "../../common/files.ts";
import { isNumber, num, pct, sumOf } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { curvePanel } from "../charts/curves.ts";
import { LOOKS } from "../charts/glyphs.ts";
import { chartAndTable, savers } from "../charts/picture.ts";
import { labelPanel } from "../charts/positions.ts";
import { picker } from "../controls.ts";
import { address, data, fileStem } from "../data.ts";
import { setNames } from "../filters.ts";
import { metricName } from "../metrics.ts";
import { perturbName, setLabel, taskName } from "../names.ts";
import { tasks } from "../offered.ts";
import { state } from "../state.ts";
import { framed } from "../tables/frame.ts";
import { opener } from "../tables/sheet.ts";
import { asChosen, cellOf, silentOf } from "../told.ts";

/** The rows of "learning" in results.json, each with its run and a key for its base model and training pool. */
function learningRows() {
  return data.runs
    .flatMap((run, i) =>
      (run.learning ?? []).map((r) => ({ ...r, run: i, pool: address(i, r.base, r.trained_on, r.allow_leak) })),
    )
    .filter((r) => asChosen(r));
}

function poolName(rows, pool) {
  const row = rows.find((r) => r.pool === pool),
    differ = (name) => new Set(rows.map((r) => r[name])).size > 1;
  const more = [
    differ("run") && data.runs[row.run]?.name,
    (differ("trained_on") || row.trained_on !== "both") &&
      t(
        "trainedOn",
        String(row.trained_on).replace(/^\S+/, (x) => x.toUpperCase()),
      ),
    row.allow_leak && t("allowLeak"),
  ].filter(Boolean);
  return plain(row.base + (more.length ? ` (${more.join(", ")})` : ""));
}

export function drawCurves() {
  const every = learningRows();
  if (!every.length) return null;
  const pools = [...new Set(every.map((r) => r.pool))],
    pool = pools.includes(state.curvePool) ? state.curvePool : pools[0],
    name = poolName(every, pool);
  const rows = every.filter((r) => r.pool === pool),
    kinds = [...new Set(rows.map((r) => r.perturb))],
    plainest = kinds.includes("none") ? "none" : kinds[0];
  const sets = setNames().filter((x) => rows.some((r) => r.set === x)),
    set = sets.includes(state.curveSet) ? state.curveSet : sets.at(-1);
  const figureOf = (id, title, series) => [
    h("div", { class: "titled" }, h("h3", null, title), savers(id, `${name} · ${title}`)),
    h(
      "div",
      { class: "panels curves", id },
      tasks
        .map((x) => [x, series(rows.filter((r) => r.task === x.name))])
        .filter(([, list]) => list.length)
        .map(([x, list]) => curvePanel(x, list)),
    ),
  ];
  const first = t("curvesBySet") + (plainest === "none" ? "" : ` · ${plainest}`),
    second = `${t("curvesByPerturb")} · ${setLabel(set)}`;
  const bySet = (list) =>
    list
      .filter((r) => r.perturb === plainest)
      .map((row) => ({ row, name: setLabel(row.set), look: sets.indexOf(row.set) === sets.length - 1 ? 0 : 6 }));
  const byPerturb = (list) =>
    list
      .filter((r) => r.set === set)
      .map((row) => ({ row, name: row.perturb, look: kinds.indexOf(row.perturb) % LOOKS.length }));
  const seeds = rows.some((r) => r.points.some((p) => p.interval === "seeds")),
    unlike = rows.some((r) => new Set([...r.points, ...(r.before ? [r.before] : [])].map((p) => p.items)).size > 1);
  return h(
    "section",
    { class: "block", id: "learning" },
    h("h2", null, t("learning")),
    h(
      "p",
      { class: "note" },
      t("learningNote"),
      " ",
      t(seeds ? "seedNote" : "itemNote"),
      unlike && h("span", { class: "warn" }, " ≠ ", t("differWays")),
    ),
    h(
      "div",
      { class: "controls" },
      pools.length > 1 && picker("curvePool", t("baseModel"), pools, pool, (v) => poolName(every, v)),
      sets.length > 1 && picker("curveSet", t("setBelow"), sets, set, (v) => setLabel(v)),
      button(t("csvCurves"), () => exportCurves(every), { id: "csv-curves", class: "push" }),
    ),
    figureOf("curves-sets", first, bySet),
    kinds.length > 1 && [
      figureOf("curves-perturbed", second, byPerturb),
      h(
        "p",
        { class: "note" },
        kinds
          .filter((k) => k !== "none")
          .map(perturbName)
          .join(inChinese() ? "；" : "; "),
      ),
    ],
    curveTable(rows),
    labelPanels(
      rows.filter((r) => r.set === set),
      name,
      set,
    ),
  );
}

function curveTable(rows) {
  const sizes = [...new Set(rows.flatMap((r) => r.points.map((p) => p.size)))].sort((a, b) => a - b),
    heads = [t("trainingItems"), t("zeroBase"), ...sizes.map(num), t("chance")];
  const between = (m) => isNumber(m.low) && h("span", { class: "ci" }, `${pct(m.low)}–${pct(m.high)}`);
  const silent = (cell) => silentOf(cell) && h("span", { class: "flag" }, silentOf(cell).slice(3));
  const value = (row, m) => {
    if (!m) return h("td", { class: "v" }, "–");
    const seeds = m.seeds ?? [{ model: row.base, value: m.value }];
    if (seeds.length === 1)
      return h(
        "td",
        { class: "v" },
        opener(cellOf(row, seeds[0].model), pct(m.value)),
        between(m),
        silent(cellOf(row, seeds[0].model)),
      );
    return h(
      "td",
      { class: "v" },
      h("span", { class: "num" }, pct(m.value)),
      between(m),
      h(
        "small",
        { class: "seeds" },
        seeds.map((x) => h("span", null, `${t("seed")} ${plain(x.seed)} `, opener(cellOf(row, x.model), pct(x.value)))),
      ),
    );
  };
  return h(
    "details",
    { class: "numbers" },
    h("summary", null, t("curveNumbers")),
    framed(
      h(
        "table",
        { class: "robust curvetable" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            heads.map((x, i) => h("th", { scope: "col", class: i > 0 && "v" }, x)),
          ),
        ),
        tasks
          .map((x) => [x, rows.filter((r) => r.task === x.name)])
          .filter(([, list]) => list.length)
          .map(([x, list]) =>
            h(
              "tbody",
              null,
              h(
                "tr",
                { class: "group" },
                h("th", { scope: "rowgroup" }, `${taskName(x)}, ${metricName(list[0].metric)} %`),
                h("td", { colspan: heads.length - 1 }),
              ),
              list.map((row) =>
                h(
                  "tr",
                  { "data-row": [row.task, row.set, row.perturb].join(" ") },
                  h(
                    "th",
                    { scope: "row" },
                    `${setLabel(row.set)} · ${row.perturb === "none" ? t("perturbNone") : row.perturb}`,
                  ),
                  value(row, row.before),
                  sizes.map((size) =>
                    value(
                      row,
                      row.points.find((p) => p.size === size),
                    ),
                  ),
                  h("td", { class: "v" }, pct(row.chance)),
                ),
              ),
            ),
          ),
      ),
      { id: "curves-table", title: `${t("learning")} · ${poolName(rows, rows[0].pool)}` },
    ),
  );
}

function exportCurves(rows) {
  const lines = [
    [
      "run",
      "base",
      "trained_on",
      "allow_leak",
      "task",
      "set",
      "split",
      "prompt",
      "shots",
      "scoring",
      "perturb",
      "metric",
      "chance",
      "size",
      "seed",
      "model",
      "value",
      "low",
      "high",
      "interval",
      "items",
      "most_trained",
      "share_in_training",
      "share_of_answers",
      "distance_to_training",
      "distance_to_gold",
      "no_answer",
    ],
  ];
  for (const r of rows) {
    const head = [
        data.runs[r.run]?.name,
        r.base,
        r.trained_on,
        r.allow_leak,
        r.task,
        r.set,
        r.split,
        r.variant,
        r.shots,
        r.scoring,
        r.perturb,
        r.metric,
        r.chance,
      ],
      none = Array(6).fill("");
    if (r.before)
      lines.push([
        ...head,
        0,
        "",
        r.base,
        r.before.value,
        r.before.low,
        r.before.high,
        "items",
        r.before.items,
        ...none,
      ]);
    for (const p of r.points) {
      const x = p.labels,
        check = x
          ? [x.labels[x.most], x.trained[x.most] / sumOf(x.trained), x.share, x.distance, x.bias, x.silent]
          : none;
      lines.push([
        ...head,
        p.size,
        p.seeds.length > 1 ? "mean" : p.seeds[0].seed,
        p.seeds.length > 1 ? "" : p.seeds[0].model,
        p.value,
        p.low,
        p.high,
        p.interval,
        p.items,
        ...check,
      ]);
      if (p.seeds.length > 1)
        for (const one of p.seeds)
          lines.push([...head, p.size, one.seed, one.model, one.value, one.low, one.high, "items", p.items, ...none]);
    }
  }
  saveCsv(`${fileStem()}-learning-curves.csv`, lines);
}

function labelPanels(rows, name, set) {
  const there = rows.filter((r) => r.points.some((p) => p.labels));
  if (!there.length) return null;
  const kinds = [...new Set(there.map((r) => r.perturb))],
    kind = [state.labelPerturb, "shuffle", "both"].find((k) => kinds.includes(k)) ?? kinds[0];
  const sizes = [...new Set(there.flatMap((r) => r.points.map((p) => p.size)))].sort((a, b) => a - b),
    size = sizes.includes(state.labelSize) ? state.labelSize : sizes.at(-1);
  const shown = there
    .filter((r) => r.perturb === kind)
    .map((r) => [r, r.points.find((p) => p.size === size)?.labels])
    .filter(([, x]) => x);
  const title = `${t("labelCheck")} · ${setLabel(set)} · ${kind} · ${t("nItems", num(size))}`;
  return [
    h(
      "div",
      { class: "titled" },
      h("h3", null, t("labelCheck"), " · ", setLabel(set)),
      chartAndTable("curves-labels", `${name} · ${title}`),
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
      shown.length ? shown.map(([row, x]) => labelPanel(row, x)) : h("p", { class: "notice" }, t("noRows")),
    ),
  ];
}
