// A diagram of average ranks with the critical difference (Demšar 2006).
import { h, s } from "../../common/dom.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { nameNode } from "../data.ts";
import { setLabel, setTitle, taskName } from "../names.ts";
import { RANKED } from "../statistics.ts";
import { place, ROW } from "./axis.ts";

/** Neighbours in rank that differ by less than the critical difference, the longest such rows of them: [first, last]. */
export function cliques(rows, cd) {
  const found = [];
  rows.forEach((r, i) => {
    const last = rows.findLastIndex((x) => x.mean - r.mean < cd);
    if (last > i && last > (found.at(-1)?.[1] ?? -1)) found.push([i, last]);
  });
  return found;
}

export const rankFigure = (v) => v.toFixed(2),
  pValue = (p) => (p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`);

export function rankPanel(found) {
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
