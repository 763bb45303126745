// Average ranks of models over the tasks of a set, with Friedman's test and Nemenyi's critical difference (Demšar 2006).
// They follow what the overview shows (metric, wording, shots …), so they are computed here; ranking.py has the same.
import { h, s } from "../../common/dom.ts";
import { isNumber, sumOf } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { place, ROW } from "../charts/axis.ts";
import { savers } from "../charts/picture.ts";
import { counts, data, nameNode, setsThere } from "../data.ts";
import { baseName, isLower, metricName } from "../metrics.ts";
import { friedman, midranks } from "../statistics.ts";
import { cellAt, metricOf, ownRows, sameItems, setLabel, setNames, setTitle, taskName, tasks } from "../view.ts";

const RANKED = { models: 3, columns: 5 }; // fewer say nothing of ranks: as in ranking.py

/** Ranks of one set as it is in view, best first; null unless two models have two columns. */
function averageRanks(set) {
  const rows = ownRows(false),
    cell = (r, x) => cellAt(r.model.id, set, x.name),
    cells = (x) => rows.map((r) => cell(r, x)).filter(Boolean);
  const there = tasks.filter((x) => cells(x).length),
    columns = there.filter((x) => sameItems(cells(x)));
  const whole = (r, x) => {
    const c = cell(r, x);
    return c && counts(c).failed + counts(c).missing === 0 && isNumber(r.value(set, x));
  };
  const ranked = rows.filter((r) => columns.every((x) => whole(r, x)));
  if (ranked.length < 2 || columns.length < 2) return null;
  const byColumn = columns.map((x) =>
    midranks(ranked.map((r) => (isLower(metricOf(x)) ? 1 : -1) * Number(r.value(set, x).toFixed(12)))),
  );
  const found = ranked.map((r, i) => {
    const own = byColumn.map((c) => c[i]);
    return { model: r.model, own, mean: sumOf(own) / own.length, low: Math.min(...own), high: Math.max(...own) };
  });
  const k = found.length,
    n = columns.length,
    enough = k >= RANKED.models && n >= RANKED.columns,
    test = enough && friedman(byColumn),
    q = data.nemenyi?.[k];
  return {
    set,
    columns,
    rows: found.sort((a, b) => a.mean - b.mean),
    left: rows.filter((r) => !ranked.includes(r)),
    unlike: there.filter((x) => !columns.includes(x)),
    test,
    cd: test && test.p < 0.05 && q ? q * Math.sqrt((k * (k + 1)) / (6 * n)) : null,
  };
}

/** Neighbours in rank that differ by less than the critical difference, the longest such rows of them: [first, last]. */
function cliques(rows, cd) {
  const found = [];
  rows.forEach((r, i) => {
    const last = rows.findLastIndex((x) => x.mean - r.mean < cd);
    if (last > i && last > (found.at(-1)?.[1] ?? -1)) found.push([i, last]);
  });
  return found;
}

const rankFigure = (v) => v.toFixed(2),
  pValue = (p) => (p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`);

export function drawRanks() {
  const all = setNames()
    .filter((set) => !data.benchmarks.some((b) => b.averaged && setsThere.get(b.name).includes(set)))
    .map(averageRanks)
    .filter(Boolean);
  if (!all.length) return null;
  const mixed = all.some((x) => new Set(x.columns.map((c) => baseName(metricOf(c)))).size > 1);
  return h(
    "section",
    { class: "block", id: "ranks" },
    h("div", { class: "titled" }, h("h2", null, t("ranks")), savers("rank-plots", t("ranks"))),
    h("p", { class: "note" }, t("ranksNote"), all.some((x) => x.cd) && ` ${t("ranksPlot")}`),
    h("p", { class: "notice caution" }, t("ranksCaution"), mixed && ` ${t("ranksMixed")}`),
    h("div", { class: "panels", id: "rank-plots" }, all.map(rankPanel)),
    all.map((x) =>
      h("details", { class: "numbers" }, h("summary", null, t("ranksNumbers"), " · ", setTitle(x.set)), rankTable(x)),
    ),
  );
}

function rankPanel(found) {
  const { rows, cd, test, set, columns } = found,
    k = rows.length,
    bars = cd ? cliques(rows, cd) : [];
  const top = (cd ? 22 : 0) + 20,
    head = top + 8 + bars.length * 7,
    height = head + k * ROW,
    across = (rank) => place((rank - 1) / Math.max(1, k - 1));
  const line = (cls, x1, x2, y1, y2) => s("line", { class: cls, x1: across(x1), x2: across(x2), y1, y2 });
  const step = Math.ceil((k - 1) / 9),
    marks = Array.from({ length: k }, (_, i) => i + 1).filter((v) => (v - 1) % step === 0);
  const words = rows.map((r) => `${plain(r.model.label)} ${rankFigure(r.mean)} (${r.low}–${r.high})`).join("; ");
  const plot = s(
    "svg",
    {
      class: "plot cd",
      width: "100%",
      height,
      role: "img",
      "aria-label": `${t("ranks")}, ${setLabel(set)}: ${words}${cd ? `; ${t("cdIs", rankFigure(cd))}` : ""}`,
    },
    cd && [
      line("ruler", 1, Math.min(k, 1 + cd), 8, 8),
      [1, Math.min(k, 1 + cd)].map((v) => line("ruler", v, v, 4, 12)),
      s("text", { x: across(Math.min(k, 1 + cd)), y: 12, dx: 6 }, cd < 0.85 * (k - 1) && "CD"),
    ],
    marks.map((v) => [
      line("grid", v, v, top, height),
      s("text", { x: across(v), y: top - 5, "text-anchor": "middle" }, String(v)),
    ]),
    bars.map(([a, b], i) =>
      s(
        "line",
        {
          class: "clique",
          x1: across(rows[a].mean),
          x2: across(rows[b].mean),
          y1: top + 7 + i * 7,
          y2: top + 7 + i * 7,
        },
        s(
          "title",
          null,
          t(
            "noDifference",
            rows
              .slice(a, b + 1)
              .map((r) => plain(r.model.label))
              .join(", "),
          ),
        ),
      ),
    ),
    rows.map((r, i) => {
      const y = head + i * ROW + ROW / 2;
      return s(
        "g",
        { class: "own" },
        line("whisker", r.low, r.high, y, y),
        [r.low, r.high].map((v) => line("whisker", v, v, y - 3, y + 3)),
        s(
          "circle",
          { class: "dot full", cx: across(r.mean), cy: y, r: 4.5 },
          s("title", null, `${plain(r.model.label)} ${rankFigure(r.mean)} (${r.low}–${r.high})`),
        ),
      );
    }),
  );
  const names = h(
    "div",
    { class: "names" },
    rows.map((r) => h("div", null, nameNode(r.model))),
  );
  names.style.paddingTop = `${head}px`;
  const verdict = [
    t("overTasks", columns.length),
    test && `${t("friedman")} χ² = ${test.statistic.toFixed(2)}, p ${pValue(test.p)}`,
    cd ? t("cdIs", rankFigure(cd)) : test ? t("noCd") : t("tooFew", RANKED.models, RANKED.columns),
  ];
  return h(
    "figure",
    { class: "panel", "data-set": set },
    h("figcaption", null, h("strong", null, setTitle(set)), h("small", null, verdict.filter(Boolean).join(" · "))),
    h("div", { class: "plotrow" }, names, plot),
    found.left.length > 0 &&
      h(
        "p",
        { class: "note" },
        t("ranksLeft"),
        " ",
        found.left.map((r, i) => [i > 0 && ", ", data$("span", "", r.label)]),
      ),
    found.unlike.length > 0 && h("p", { class: "note" }, t("ranksUnlike"), " ", found.unlike.map(taskName).join(", ")),
  );
}

function rankTable({ set, rows, columns }) {
  const head = (x, i) => h("th", { scope: "col", class: i > 0 && "v" }, x),
    best = (v) => (v === 1 ? h("strong", null, "1") : String(v));
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": `${t("ranks")} ${setLabel(set)}` },
    h(
      "table",
      { class: "robust ranks", "data-set": set },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          [
            t("model"),
            t("meanRank"),
            t("fromToRank"),
            ...columns.map((x) => [taskName(x), h("small", null, metricName(metricOf(x)))]),
          ].map(head),
        ),
      ),
      h(
        "tbody",
        null,
        rows.map((r) =>
          h(
            "tr",
            null,
            h("th", { scope: "row" }, nameNode(r.model)),
            h("td", { class: "v" }, h("strong", null, rankFigure(r.mean))),
            h("td", { class: "v" }, `${r.low}–${r.high}`),
            r.own.map((v) => h("td", { class: "v" }, best(v))),
          ),
        ),
      ),
    ),
  );
}
