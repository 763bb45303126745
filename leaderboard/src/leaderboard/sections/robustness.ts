// Robustness: each item put otherwise, what stands where, other wordings, more shots. The numbers are results.json's.
import { h } from "../../common/dom.ts";
import { isNumber, num, pct, signed } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { unfold } from "../beside.ts";
import { modelKeys } from "../charts/looks.ts";
import { chartAndTable, savers } from "../charts/picture.ts";
import { positionPanel } from "../charts/positions.ts";
import { shotPanels, slopePanels } from "../charts/slopes.ts";
import { strip } from "../charts/strips.ts";
import { wordingPanels } from "../charts/wordings.ts";
import { picker } from "../controls.ts";
import { isChoice, models, nameNode, taskOf } from "../data.ts";
import { cellAt, perturbOf, setNames } from "../filters.ts";
import { metricName } from "../metrics.ts";
import { perturbName, setLabel, setTitle, taskName } from "../names.ts";
import { tasks } from "../offered.ts";
import { state } from "../state.ts";
import { framed, signNode } from "../tables/frame.ts";
import { opener } from "../tables/sheet.ts";
import { asChosen, grouped, told } from "../told.ts";
import { changeTable } from "./slopes.ts";

export function drawRobustness() {
  const here = {
    drops: told("drops").filter((r) => asChosen(r)),
    positions: told("positions").filter((r) => asChosen(r)),
  };
  const wordings = told("wordings").filter((r) => asChosen(r, "variant")),
    shots = told("shots").filter((r) => asChosen(r, "shots"));
  const every = Object.values(here).flat().concat(wordings, shots);
  if (!every.length) return null;
  const sets = setNames().filter((x) => every.some((r) => r.set === x)),
    set = sets.includes(state.robustSet) ? state.robustSet : sets.at(-1);
  const all = tasks.filter((x) => every.some((r) => r.task === x.name && r.set === set));
  const task = all.find((x) => x.name === state.robustTask) ?? all.find(isChoice) ?? all[0];
  const mine = (rows) => rows.filter((r) => r.task === task.name && r.set === set);
  const drops = mine(here.drops),
    name = `${taskName(task)} · ${setLabel(set)}`,
    ofTask = (rows) => rows.filter((r) => r.task === task.name && r.perturb === perturbOf(task)),
    worded = ofTask(wordings),
    shot = ofTask(shots);
  const ids = [...models.keys()].filter((id) => [...drops, ...worded, ...shot].some((r) => r.id === id));
  const headed = (key, id, note, ...rest) => [
    h(
      "div",
      { class: "titled" },
      h("h3", null, t(key)),
      savers(id, `${t(key)} · ${key === "slopes" ? name : taskName(task)}`),
    ),
    h("p", { class: "note" }, note),
    rest,
  ];
  return h(
    "section",
    { class: "block", id: "robustness" },
    h("h2", null, t("robustness")),
    h(
      "div",
      { class: "controls" },
      picker(
        "robustTask",
        t("task"),
        all.map((x) => x.name),
        task.name,
        (v) => taskName(taskOf(v)),
      ),
      picker("robustSet", t("set"), sets, set, setTitle),
    ),
    drops.length > 0 && [
      h("h3", null, t("changes")),
      h("p", { class: "note" }, t("changesNote")),
      changeTable(drops, task),
    ],
    modelKeys(ids),
    drops.length > 0 &&
      headed(
        "slopes",
        "slopes",
        t("slopesNote"),
        slopePanels(drops),
        unfold("drops", t("numbersOf", t("drops")), () => dropTable(drops, task)),
      ),
    positionPanels(mine(here.positions), task),
    worded.length > 0 && headed("wordings", "wording-spread", t("spreadNote"), wordingPanels(worded)),
    mine(wordings).length > 0 &&
      unfold("wordings", t("numbersOf", t("wordings")), () =>
        byName(mine(wordings), "wordings", (row) => [pct(row.mean), pct(row.spread), plain(row.worst)], [
          t("meanHead"),
          t("spread"),
          t("worst"),
        ]),
      ),
    shot.length > 0 && headed("byShots", "shots-lines", t("shotsNote"), shotPanels(shot)),
    mine(shots).length > 0 && unfold("byShots", t("numbersOf", t("byShots")), () => byName(mine(shots), "byShots")),
  );
}

const FEWEST = 6; // differing dialogues with which p can be below 0.05: as in metrics/statistics.py

function dropTable(rows, task) {
  if (!rows.length) return null;
  const several = rows.some((r) => "consistency" in r),
    choices = isChoice(task);
  const heads = [
    t("perturb"),
    t("beside"),
    metricName(rows[0].metric),
    `${t("change")} (${t("interval")})`,
    t("nHead"),
    t("flips"),
    choices && t("sameChoice"),
  ].filter(Boolean);
  return framed(
    h(
      "table",
      { class: "robust" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          heads.map((x, i) => h("th", { scope: "col", class: i > 1 && "v" }, x)),
        ),
      ),
      grouped(rows).map(([m, list]) =>
        h(
          "tbody",
          null,
          h(
            "tr",
            { class: "group" },
            h("th", { scope: "rowgroup" }, nameNode(m)),
            h("td", { colspan: heads.length - 1 }),
          ),
          baseRow(m, list, heads.length),
          list.map((row) => dropRow(m, row, choices)),
        ),
      ),
    ),
    {
      id: "drops-table",
      title: `${t("drops")} · ${taskName(task)} · ${setLabel(rows[0].set)}`,
      note: h(
        "p",
        { class: "note" },
        t("dropsNote"),
        choices && ` ${t("sameChoiceNote")}`,
        several && ` ${t("about.circular")}`,
      ),
    },
  );
}

function baseRow(model, rows, columns) {
  const cell = cellAt(model.id, rows[0].set, rows[0].task, rows[0].scoring, "none"),
    m = cell?.metrics?.[rows[0].metric];
  return (
    m &&
    h(
      "tr",
      null,
      h("th", { scope: "row" }, t("perturbNone")),
      h("td", { class: "inplot" }, strip(m.value, null, m)),
      h("td", { class: "v" }, opener(cell, pct(m.value))),
      h("td", { colspan: columns - 3 }),
    )
  );
}

function dropRow(model, row, choices) {
  const cell = cellAt(model.id, row.set, row.task, row.scoring, row.perturb),
    sure = row.p_holm < 0.05,
    same = row.consistency ?? row.same_choice;
  return h(
    "tr",
    { "data-perturb": row.perturb },
    h("th", { scope: "row" }, perturbName(row.perturb)),
    h(
      "td",
      { class: "inplot" },
      strip(row.value, row.base, { low: Math.max(0, row.base + row.low), high: Math.min(1, row.base + row.high) }),
    ),
    h("td", { class: "v" }, opener(cell, pct(row.value))),
    h(
      "td",
      { class: "v", title: `${row.test} p=${row.p.toFixed(3)}, Holm ${row.p_holm.toFixed(3)}` },
      h(
        sure ? "strong" : "span",
        null,
        signed(row.drop),
        sure ? signNode(" *") : row.differ < FEWEST && signNode(" ?"),
      ),
      h("small", null, ` ${signed(row.low)} … ${signed(row.high)}`),
    ),
    h("td", { class: "v" }, num(row.items), h("small", null, ` (${num(row.dialogues)})`)),
    h(
      "td",
      { class: "v" },
      `${pct(row.flip_rate)} %`,
      h("small", null, ` ✓→✕ ${num(row.right_to_wrong)} · ✕→✓ ${num(row.wrong_to_right)}`),
    ),
    choices &&
      h(
        "td",
        { class: "v" },
        isNumber(same) ? `${pct(same)} %` : "–",
        "consistency" in row && h("small", null, ` ${t("consistent")}`),
      ),
  );
}

/** Where gold stands and what the model chose, for the perturbation in view. */
function positionPanels(rows, task) {
  const shown = rows.filter((r) => r.perturb === perturbOf(task));
  if (!shown.length) return null;
  return [
    h(
      "div",
      { class: "titled" },
      h("h3", null, t("positions"), perturbOf(task) !== "none" && h("span", { class: "tag" }, state.perturb)),
      chartAndTable("by-position", `${t("positions")} · ${taskName(task)} · ${setLabel(shown[0].set)}`),
    ),
    h("p", { class: "note" }, t("positionsNote")),
    h(
      "div",
      { class: "panels positions", id: "by-position" },
      grouped(shown).map(([m, [row]]) => positionPanel(m, row)),
    ),
  ];
}

/** Values by wording or by number of shots, a row a model and perturbation; `more` makes further columns. */
function byName(rows, key, more = () => [], heads = []) {
  if (!rows.length) return null;
  const names = [...new Set(rows.flatMap((r) => Object.keys(r.values)))].sort((a, b) =>
    Number.isNaN(a) ? a.localeCompare(b) : a - b,
  );
  const several = new Set(rows.map((r) => r.perturb)).size > 1;
  const head = (x, i) => h("th", { scope: "col", class: i > 0 && "v" }, x);
  return framed(
    h(
      "table",
      { class: `robust ${key}` },
      h("thead", null, h("tr", null, [t("model"), ...names.map(plain), ...heads].map(head))),
      h(
        "tbody",
        null,
        rows.map((row) =>
          h(
            "tr",
            null,
            h(
              "th",
              { scope: "row" },
              nameNode(models.get(row.id)),
              several && h("small", null, perturbName(row.perturb)),
            ),
            [...names.map((name) => pct(row.values[name])), ...more(row)].map((v) => h("td", { class: "v" }, v)),
          ),
        ),
      ),
    ),
    {
      id: `${key}-table`,
      title: `${t(key)} · ${taskName(taskOf(rows[0].task))} · ${setLabel(rows[0].set)}`,
      note: h("p", { class: "note" }, t(`${key}Note`)),
    },
  );
}
