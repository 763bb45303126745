// The ways of asking compared.
import { button, h } from "../../common/dom.ts";
import { isNumber, mean, pct } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { lostFlag, silentShare, spanNode, statusBar } from "../beside.ts";
import { sameItems } from "../columns.ts";
import { picker } from "../controls.ts";
import { counts, data, isChoice, models, nameNode, taskOf } from "../data.ts";
import { cellAt, inPlace, inSight, perturbOf, setNames } from "../filters.ts";
import { setLabel, setTitle, taskName } from "../names.ts";
import { tasks } from "../offered.ts";
import { state } from "../state.ts";
import { framed } from "../tables/frame.ts";

// Its columns: [scoring, metric, heading]. What texts are compared by makes columns of their own.
const WAYS = [
  ["generate", "accuracy", "generate"],
  ["constrained", "accuracy", "constrained"],
  ["labels", "accuracy", "labels"],
  ["texts", "accuracy_token", "perToken"],
  ["texts", "accuracy_sum", "perSum"],
  ["texts", "accuracy_char", "perChar"],
  ["texts", "accuracy_prior", "lessPrior"],
];

/** Accuracy by way of asking, a row a model, for one choice task or their mean: format failure apart from ignorance. */
export function drawScorings() {
  const cells = data.cells.filter(
    (c) => inPlace(c) && isChoice(taskOf(c.task)) && c.perturb === perturbOf(taskOf(c.task)),
  );
  const there = new Set(cells.map((c) => c.scoring));
  if (there.size < 2 && !there.has("texts")) return null;
  const sets = setNames(),
    set = sets.includes(state.waySet) ? state.waySet : sets.at(-1);
  const all = tasks.filter((x) => cells.some((c) => c.task === x.name && c.set === set));
  const chosen = all.some((x) => x.name === state.wayTask) ? [taskOf(state.wayTask)] : all;
  const ways = WAYS.filter(([way]) => there.has(way)),
    texts = ways.filter(([way]) => way === "texts").length;
  const rows = [...models.values()].filter(
    (m) => inSight(m) && cells.some((c) => c.id === m.id && c.set === set && (c.scoring !== "generate" || !m.baseline)),
  );
  const chances = chosen.map(
    (x) => cells.find((c) => c.set === set && c.task === x.name && isNumber(c.chance))?.chance,
  );
  const head = (text, props, extra) => h("th", { scope: "col", ...props }, text, extra);
  return h(
    "section",
    { class: "block" },
    h("h2", { id: "byscoring" }, t("byScoring")),
    h("p", { class: "note" }, t("byScoringNote"), chosen.length > 1 && ` ${t("meanNote")}`),
    h(
      "div",
      { class: "controls" },
      picker("wayTask", t("task"), ["", ...all.map((x) => x.name)], chosen.length > 1 ? "" : chosen[0]?.name, (v) =>
        v ? taskName(taskOf(v)) : t("meanOf", all.length),
      ),
      picker("waySet", t("set"), sets, set, setTitle),
    ),
    framed(
      h(
        "table",
        { class: "scorings" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            head(t("model"), { rowspan: 2 }),
            ways.map(
              ([way, , label]) =>
                way !== "texts" && [
                  head(t(label), { rowspan: 2 }),
                  way === "generate" && head(t("noAnswer"), { rowspan: 2 }),
                ],
            ),
            texts > 0 && head(t("texts"), { colspan: texts, scope: "colgroup" }),
          ),
          texts > 0 &&
            h(
              "tr",
              null,
              ways.map(([way, , label]) => way === "texts" && head(t(label))),
            ),
        ),
        h(
          "tbody",
          { class: "chance" },
          h(
            "tr",
            null,
            h("th", { scope: "row" }, t("chance")),
            ways.map(([way]) => [h("td", { class: "v" }, pct(mean(chances))), way === "generate" && h("td")]),
          ),
        ),
        h(
          "tbody",
          null,
          rows.map((m) => scoringRow(m, ways, set, chosen)),
        ),
      ),
      {
        id: "by-scoring",
        title: `${t("byScoring")} · ${setLabel(set)} · ${chosen.length > 1 ? t("meanOf", chosen.length) : chosen.map(taskName)}`,
        where: t("byScoring"),
      },
    ),
  );
}

function scoringRow(model, ways, set, chosen) {
  const cellsOf = (way) => chosen.map((x) => cellAt(model.id, set, x.name, way));
  const unlike = chosen.some((_, i) => !sameItems(ways.map(([way]) => cellsOf(way)[i]).filter(Boolean)));
  return h(
    "tr",
    null,
    h("th", { scope: "row" }, nameNode(model), unlike && h("small", { class: "warn" }, t("differWays"))),
    ways.map(([way, metric, label]) => {
      const cells = cellsOf(way),
        found = cells.map((c) => c?.metrics?.[metric]),
        value = mean(found.map((m) => m?.value));
      const text = pct(value),
        only = cells.length === 1 && cells[0];
      const words = `${plain(model.label)}, ${way === "texts" ? `${t("texts")}, ` : ""}${t(label)}: ${text}`;
      const node = only
        ? button(h("span", { class: "num" }, text), () => go(cellRoute(only)), { class: "cell", "aria-label": words })
        : h("span", { class: `num${value === null ? " none" : ""}` }, text);
      const amiss = way !== "generate" && cells.some((c) => c && counts(c).none > 0);
      return [
        h(
          "td",
          { class: "v", "data-way": label },
          node,
          only && spanNode(metric, found[0]),
          amiss && h("span", { class: "flag" }, silentShare(cells), " ", t("noAnswer")),
          lostFlag(cells),
        ),
        way === "generate" &&
          h(
            "td",
            { class: "v", "data-way": "silent" },
            silentShare(cells),
            only && counts(only).none > 0 && statusBar(only),
          ),
      ];
    }),
  );
}
