// Learning curves of LoRA sweeps.
import { button, h, put, s, unseen } from "../../common/dom.ts";
import { saveCsv } from "../../common/files.ts";
import { isNumber, num, pct } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { PLOT } from "../charts/axis.ts";
import { colourOf, glyph, LOOKS } from "../charts/looks.ts";
import { chartAndTable, savers } from "../charts/picture.ts";
import { picker } from "../controls.ts";
import { address, cellIndex, data, fileStem, placeOf, taskOf } from "../data.ts";
import { metricName } from "../metrics.ts";
import { state } from "../state.ts";
import { framed } from "../tables/frame.ts";
import { bars, opener } from "../tables/sheet.ts";
import { asChosen, silentOf, total } from "../told.ts";
import { perturbName, setLabel, setNames, taskName, tasks } from "../view.ts";

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

const cellOf = (row, model) => cellIndex.get(placeOf({ ...row, id: `${row.run}\t${model}` }));

function curvePanel(task, series) {
  const largest = Math.max(...series.flatMap(({ row }) => row.points.map((p) => p.size))),
    metric = series[0].row.metric;
  const across = (size) => PLOT.left + 8 + (size / largest) * (PLOT.right - PLOT.left - 16),
    up = (v) => PLOT.bottom - v * (PLOT.bottom - PLOT.top);
  const readout = h("p", { class: "note readout unsaved", "aria-hidden": "true" }, "\u00a0");
  const line = (cls, x1, y1, x2, y2) => s("line", { class: cls, x1, x2, y1, y2 });
  const chances = [...new Set(series.map(({ row }) => row.chance).filter(isNumber))],
    legend = legendOf(
      series,
      chances.length > 0,
      series.some(({ row }) => row.before),
    );
  const summary = series
    .map(
      ({ row, name }) =>
        `${name}: ${[row.before && `${t("base")} ${pct(row.before.value)}`, ...row.points.map((p) => `${p.size} ${pct(p.value)}`)].filter(Boolean).join(", ")}`,
    )
    .join("; ");
  const plot = s(
    "svg",
    {
      class: "plot curve",
      viewBox: `0 0 ${PLOT.width} ${legend.bottom}`,
      role: "group",
      "aria-label": `${taskName(task)}, ${metricName(metric)} %. ${summary}`,
    },
    [0, 0.25, 0.5, 0.75, 1].map((v) => [
      line("grid", PLOT.left, up(v), PLOT.right, up(v)),
      s("text", { x: PLOT.left - 5, y: up(v) + 4, "text-anchor": "end" }, pct(v, 0)),
    ]),
    ticks(series, across).map(([size, label]) => [
      line("grid", across(size), PLOT.bottom, across(size), PLOT.bottom + 4),
      label && s("text", { x: across(size), y: PLOT.bottom + 17, "text-anchor": "middle" }, plain(size)),
    ]),
    s("text", { x: (PLOT.left + PLOT.right) / 2, y: PLOT.bottom + 33, "text-anchor": "middle" }, t("trainingItems")),
    chances.map((v) => line("chance dotted", PLOT.left, up(v), PLOT.right, up(v))),
    series.map((one, i) =>
      curve(one, (i - (series.length - 1) / 2) * Math.min(3, 10 / series.length), across, up, readout),
    ),
    legend.nodes,
  );
  return h(
    "figure",
    { class: "panel", "data-task": task.name },
    h("figcaption", null, h("strong", null, taskName(task)), h("small", null, `${metricName(metric)} %`)),
    plot,
    readout,
  );
}

/** Sizes on the axis; a label that would touch its neighbour is left out, from the right. */
function ticks(series, across) {
  const sizes = [...new Set([0, ...series.flatMap(({ row }) => row.points.map((p) => p.size))])].sort((a, b) => b - a);
  let free = Infinity;
  return sizes.map((size) => {
    const half = 3.6 * String(size).length,
      fits = across(size) + half < free && (size === 0 || across(size) - half > across(0) + 8);
    if (fits) free = across(size) - half - 4;
    return [size, fits];
  });
}

/** A line with its markers and whiskers, moved aside by `shift` so that whiskers do not cover each other, and its base. */
function curve({ row, name, look }, shift, across, up, readout) {
  const at = (p) => [across(p.size) + shift, up(p.value)],
    before = row.before;
  const whisker = (x, m) =>
    isNumber(m.low) &&
    s("path", {
      class: "whisker",
      d: `M${x} ${up(m.low)}V${up(m.high)}M${x - 3} ${up(m.low)}h6M${x - 3} ${up(m.high)}h6`,
    });
  const between = (m) => (isNumber(m.low) ? ` (${pct(m.low)}–${pct(m.high)})` : "");
  const spot = (x, m, label, model) => {
    const cell = model !== undefined && cellOf(row, model),
      words = `${label}: ${pct(m.value)} %${between(m)}${silentOf(cell)}`,
      show = () => {
        put(readout, words);
      };
    const enter = cell && (() => go(cellRoute(cell)));
    return s(
      "g",
      {
        class: "spot",
        tabindex: 0,
        role: cell ? "button" : "img",
        "aria-label": words,
        onmouseenter: show,
        onfocus: show,
        onclick: enter || show,
        onkeydown:
          enter &&
          ((e) => {
            if (e.key === "Enter" || e.key === " ") {
              e.preventDefault();
              enter();
            }
          }),
      },
      s("circle", { class: "hit", cx: x, cy: up(m.value), r: 10 }),
      glyph(look, x, up(m.value)),
      s("title", null, words),
    );
  };
  return s(
    "g",
    { class: `series ${colourOf(look)}`, "data-series": name },
    before &&
      s("line", { class: "baseline", x1: PLOT.left, x2: PLOT.right, y1: up(before.value), y2: up(before.value) }),
    before && whisker(across(0) + shift, before),
    row.points.length > 1 &&
      s("polyline", {
        class: "path",
        "stroke-dasharray": LOOKS[look][0],
        points: row.points
          .map((p) =>
            at(p)
              .map((v) => v.toFixed(1))
              .join(","),
          )
          .join(" "),
      }),
    row.points.map((p) => whisker(at(p)[0], p)),
    before && spot(across(0) + shift, before, `${name}, ${t("base")}`, row.base),
    row.points.map((p) =>
      spot(
        at(p)[0],
        p,
        `${name}, ${t("nItems", num(p.size))}${p.seeds.length > 1 ? `, ${t("nSeeds", p.seeds.length)}` : ""}`,
        p.seeds.length > 1 ? undefined : p.seeds[0].model,
      ),
    ),
  );
}

function legendOf(series, chance, base) {
  let x = PLOT.left,
    y = PLOT.bottom + 54;
  const entry = (cls, sample, text) => {
    const width = 36 + [...text].reduce((sum, c) => sum + (c > "\u2e80" ? 11.5 : 6.3), 0);
    if (x + width > PLOT.width && x > PLOT.left) {
      x = PLOT.left;
      y += 17;
    }
    const node = s("g", { class: cls }, sample(x, y - 4), s("text", { x: x + 30, y }, text));
    x += width + 8;
    return node;
  };
  const stroke = (cls, dash) => (a, b) =>
    s("line", { class: cls, x1: a, x2: a + 25, y1: b, y2: b, "stroke-dasharray": dash });
  const nodes = series.map(({ name, look }) =>
    entry(
      `series ${colourOf(look)}`,
      (a, b) => [stroke("path", LOOKS[look][0])(a, b), glyph(look, a + 12.5, b)],
      plain(name),
    ),
  );
  if (base) nodes.push(entry("series", stroke("baseline"), t("baseLine")));
  if (chance) nodes.push(entry("", stroke("chance dotted"), t("chance")));
  return { nodes, bottom: y + 6 };
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
          ? [x.labels[x.most], x.trained[x.most] / total(x.trained), x.share, x.distance, x.bias, x.silent]
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

function labelPanel(row, x) {
  const part = (list, i) => (total(list) ? list[i] / total(list) : null);
  const heads = [t("trainedShare"), t("saidShare"), t("goldShare")];
  return h(
    "figure",
    { class: "panel", "data-labels": row.task },
    h("figcaption", null, h("strong", null, taskName(taskOf(row.task)))),
    h(
      "p",
      { class: "verdict" },
      isNumber(x.share)
        ? t("mostTrained", plain(x.labels[x.most]), pct(part(x.trained, x.most)), pct(x.share), pct(x.gold_share))
        : t("saidNone"),
      isNumber(x.distance) && h("small", null, ` ${t("distances", pct(x.distance), pct(x.bias))}`),
    ),
    h(
      "table",
      { class: "places" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, t("option")),
          h("th", { scope: "col" }, unseen(t("asBars"))),
          heads.map((v) => h("th", { scope: "col", class: "v" }, v)),
        ),
      ),
      h(
        "tbody",
        null,
        x.labels.map((label, i) =>
          h(
            "tr",
            { class: i === x.most && "most" },
            h("th", { scope: "row" }, data$("span", "", label)),
            h("td", { class: "inplot" }, bars(part(x.chosen, i), part(x.trained, i))),
            [x.trained, x.chosen, x.gold].map((list) => h("td", { class: "v" }, pct(part(list, i)))),
          ),
        ),
      ),
    ),
    x.silent > 0 && h("p", { class: "note" }, t("silentN", num(x.silent))),
  );
}
