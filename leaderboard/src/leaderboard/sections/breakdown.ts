// By length, distance and options.
import { button, h, kept } from "../../common/dom.ts";
import { NAMES, num, pct, sumOf } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { t } from "../../common/words.ts";
import { drawLinesOf } from "../actions.ts";
import { binLike, binName, binPanel, binsOf, lineLegend, paperGroups } from "../charts/bins.ts";
import { lookOf, sample } from "../charts/looks.ts";
import { savers } from "../charts/picture.ts";
import { picker } from "../controls.ts";
import { models, nameNode, taskOf } from "../data.ts";
import { setLabel, taskName } from "../names.ts";
import { state } from "../state.ts";
import { framed, headRow } from "../tables/frame.ts";
import { taskAndSet, toldOf } from "../told.ts";

const BY = [
    ["turns", "byTurns"],
    ["distance", "byDistance"],
    ["options", "byOptions"],
    ["answers", "byAnswers"],
    ["groups", "byGroups"],
  ],
  MOST_LINES = 6;

export function drawBreakdown() {
  const every = toldOf("breakdowns");
  if (!every.length) return null;
  const { all, task, sets, set, mine } = taskAndSet(every, state.sliceTask, state.sliceSet),
    lines = linesShown(mine);
  const title = `${t("breakdown")} · ${taskName(task)} · ${setLabel(set)}`,
    drawnBy = BY.filter(([by]) => binsOf(mine, by).length > 0 && (by !== "options" || binsOf(mine, by).length > 1));
  const one = binsOf(mine, "options");
  return h(
    "section",
    { class: "block", id: "breakdown" },
    h("div", { class: "titled" }, h("h2", null, t("breakdown")), savers("breakdown-charts", title)),
    h("p", { class: "note" }, t("breakdownNote")),
    h(
      "div",
      { class: "controls" },
      picker(
        "sliceTask",
        t("task"),
        all.map((x) => x.name),
        task.name,
        (v) => taskName(taskOf(v)),
      ),
      picker("sliceSet", t("set"), sets, set, (v) => setLabel(v)),
    ),
    linePicker(mine, lines),
    h(
      "div",
      { class: "panels curves", id: "breakdown-charts" },
      drawnBy.map(([by, name]) => binPanel(by, t(name), task, lines)),
      lineLegend(lines),
    ),
    h(
      "p",
      { class: "note" },
      drawnBy.some(([by]) => by === "distance") ? t("distanceNote") : t("noPlaces"),
      one.length === 1 && ` ${t("sameOptions", binName(one[0]))}`,
    ),
    binTable(lines, title, paperGroups(mine, task, set)),
  );
}

const overall = (row) => sumOf(row.turns.map((b) => b.n * b.value)) / sumOf(row.turns.map((b) => b.n));

/** The rows drawn, each with its look: those picked, or the best, models before baselines. */
function linesShown(rows) {
  const best = [...rows]
    .sort((a, b) => models.get(a.id).baseline - models.get(b.id).baseline || overall(b) - overall(a))
    .slice(0, MOST_LINES)
    .map((r) => r.id);
  return (state.slicePicked ?? best)
    .map((id) => ({ row: rows.find((r) => r.id === id), look: lookOf(id) }))
    .filter((x) => x.row);
}

function linePicker(rows, lines) {
  if (rows.length < 2) return null;
  const taken = lines.length,
    picked = state.slicePicked ?? lines.map((x) => x.row.id);
  const pick = (id, on) => drawLinesOf(on ? [...picked, id] : picked.filter((x) => x !== id));
  const order = [...rows].sort(
    (a, b) => models.get(a.id).baseline - models.get(b.id).baseline || NAMES.compare(a.model, b.model),
  );
  return h(
    "fieldset",
    { class: "picker" },
    h("legend", null, t("shownModels", MOST_LINES)),
    order.map((r) => {
      const line = lines.find((x) => x.row === r);
      return kept(
        `slice-${r.id}`,
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            checked: Boolean(line),
            disabled: !line && taken >= MOST_LINES,
            onchange: (e) => pick(r.id, e.target.checked),
          }),
          line && sample(line.look),
          nameNode(models.get(r.id)),
        ),
      );
    }),
    state.slicePicked &&
      rows.length > MOST_LINES &&
      kept(
        "slice-best",
        button(t("bestModels", MOST_LINES), () => drawLinesOf(null), { class: "small" }),
      ),
  );
}

function binTable(lines, title, paper) {
  const heads = [
      t("group"),
      ...lines.map(({ row }) => nameNode(models.get(row.id))),
      ...paper.map(([model]) => [data$("span", "", model), h("small", null, ` ${t("paperAlone")}`)]),
    ],
    rows = lines.map((x) => x.row);
  const value = (b) =>
    h(
      "td",
      { class: "v" },
      b
        ? [
            pct(b.value),
            h("span", { class: "ci" }, `${pct(b.interval[0])}–${pct(b.interval[1])}`),
            h("small", null, ` n ${num(b.n)}`),
          ]
        : "–",
    );
  return h(
    "details",
    { class: "numbers" },
    h("summary", null, t("breakdownNumbers")),
    framed(
      h(
        "table",
        { class: "robust curvetable bintable" },
        headRow(heads),
        BY.map(([by, name]) => {
          const bins = [
            ...binsOf(rows, by),
            ...(rows.some((r) => (r[by] ?? []).some((b) => b.low === null)) ? [{ low: null, high: null }] : []),
          ];
          return (
            bins.length > 0 &&
            h(
              "tbody",
              { "data-by": by },
              h(
                "tr",
                { class: "group" },
                h("th", { scope: "rowgroup" }, t(name)),
                h("td", { colspan: lines.length + paper.length }),
              ),
              bins.map((b) =>
                h(
                  "tr",
                  null,
                  h("th", { scope: "row" }, binName(b)),
                  rows.map((r) => value(r[by]?.find(binLike(b)))),
                  paper.map(([, of]) => h("td", { class: "v" }, by === "groups" ? pct(of[b.name]) : "")),
                ),
              ),
            )
          );
        }),
      ),
      { id: "breakdown", title },
    ),
  );
}
