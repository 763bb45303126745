// What judges said: scores, controls, judge against metrics.
import { h, unseen } from "../../common/dom.ts";
import { isNumber, num } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { hasWord, t } from "../../common/words.ts";
import { unfold } from "../beside.ts";
import { jointPanels } from "../charts/joint.ts";
import { modelKeys } from "../charts/looks.ts";
import { savers } from "../charts/picture.ts";
import { scatterPanels } from "../charts/scatter.ts";
import { bars } from "../charts/strips.ts";
import { picker } from "../controls.ts";
import { data, models, nameNode, taskOf } from "../data.ts";
import { inPlace, setNames } from "../filters.ts";
import { judgedCells, judgedControls, plus, points, whoName, whoOf } from "../judged.ts";
import { metricName } from "../metrics.ts";
import { setLabel, taskName } from "../names.ts";
import { tasks } from "../offered.ts";
import { state } from "../state.ts";
import { framed, headRow } from "../tables/frame.ts";
import { sheetNode, sheetsOf } from "../tables/sheet.ts";

export function drawJudge() {
  const cells = judgedCells().filter((c) => c.control === "plain" && inPlace(c));
  if (!cells.length) return null;
  const every = [...new Set(cells.flatMap((c) => Object.keys(c.scales).map((scale) => whoOf(c, scale))))];
  const who = every.includes(state.judgeWho) ? state.judgeWho : every[0],
    scale = who.split("\t")[2];
  const mine = cells.filter((c) => c.scales[scale] && whoOf(c, scale) === who);
  const all = tasks.filter((x) => mine.some((c) => c.task === x.name)),
    task = all.find((x) => x.name === state.judgeTask) ?? all[0];
  const sets = setNames().filter((x) => mine.some((c) => c.task === task.name && c.set === x)),
    set = sets.includes(state.judgeSet) ? state.judgeSet : sets.at(-1);
  return h(
    "section",
    { class: "block", id: "judge" },
    h("h2", null, t("judge")),
    h("p", { class: "note" }, t("judgeNote")),
    h("div", { class: "controls" }, picker("judgeWho", t("judgeWho"), every, who, whoName)),
    judgeSheets("judge-means", ({ about }) => whoOf(about, about.scale) === who),
    judgeControls(who),
    attackKinds(who),
    panelMedians(who),
    besideMetrics(mine, who, scale, all, task, sets, set),
  );
}

/** The judge against automatic metrics: means of cells, items of one task and set, correlations. */
function besideMetrics(mine, who, scale, all, task, sets, set) {
  const here = mine.filter((c) => c.task === task.name && c.set === set && models.has(c.id)),
    known = mine.filter((c) => models.has(c.id)),
    ids = [...models.keys()].filter((id) => known.some((c) => c.id === id));
  const offered = [...new Set(mine.flatMap((c) => Object.keys(c.scales[scale].metrics)))],
    metric = offered.includes(state.judgeMetric) ? state.judgeMetric : offered[0];
  const over = data.runs
    .flatMap((run) => run.judged?.models ?? [])
    .filter((r) => whoOf(r, r.scale) === who && inPlace(r) && r.perturb === "none");
  const scatter = scatterPanels(
      known.filter((c) => c.perturb === "none"),
      scale,
      metric,
      over,
    ),
    title = `${whoName(who)} · ${metricName(metric)}`,
    place = `${taskName(task)} · ${setLabel(set)}`;
  return [
    h("h3", null, t("judgeMetrics")),
    h("div", { class: "controls" }, picker("judgeMetric", t("metricHead"), offered, metric, metricName)),
    modelKeys(ids),
    scatter && [
      h(
        "div",
        { class: "titled" },
        h("h4", null, t("judgeScatter")),
        savers("judge-scatter", `${t("judgeScatter")} · ${title}`),
      ),
      h("p", { class: "note" }, t("judgeScatterNote")),
      scatter,
    ],
    h(
      "div",
      { class: "titled" },
      h("h4", null, t("judgeJoint")),
      savers("judge-joint", `${t("judgeJoint")} · ${title} · ${place}`),
    ),
    h("p", { class: "note" }, t("judgeJointNote")),
    h(
      "div",
      { class: "controls" },
      all.length > 1 &&
        picker(
          "judgeTask",
          t("task"),
          all.map((x) => x.name),
          task.name,
          (v) => taskName(taskOf(v)),
        ),
      sets.length > 1 && picker("judgeSet", t("set"), sets, set, (v) => setLabel(v)),
    ),
    jointPanels(here, scale, metric),
    unfold("judge-metrics", `${t("judgeCorrelations")} · ${place}`, () => [
      h("p", { class: "note" }, t("judgeMetricsNote")),
      judgeMetrics(here, who, set, task),
    ]),
    judgeSheets("judge-metrics", () => true),
  ];
}

const scrolled = (label, id, table) => framed(table, { id, title: `${t("judge")} · ${label}` });

/** Of all judges, for a panel is of several; those of the judge in view stand out. */
function judgeControls(who) {
  const lit = ({ about }) => about.judges.some((judge) => whoOf({ judge, rubric: about.rubric }, about.scale) === who);
  return judgeSheets("judge-controls", () => true, { lit });
}

/** The sheets of a kind, of all runs. */
const judgeSheets = (name, wanted, options) =>
  sheetsOf((sheet) => sheet.name === name && wanted(sheet)).map((sheet, n) =>
    sheetNode(sheet, { id: n ? `${name}-${n + 1}` : name, ...options }),
  );

function attackKinds(who) {
  const rows = judgedControls("attacks").filter((r) => r.n > 0 && whoOf(r, r.scale) === who);
  return rows.map((r) =>
    h(
      "details",
      null,
      h("summary", null, t("byKind")),
      scrolled(
        t("byKind"),
        "judge-attacks",
        h(
          "table",
          { class: "places kinds" },
          headRow([t("kindHead"), unseen(t("asBars")), t("raisedHead")]),
          h(
            "tbody",
            null,
            Object.entries(r.by_kind).map(([kind, x]) =>
              h(
                "tr",
                null,
                h("th", { scope: "row" }, hasWord(`kind.${kind}`) ? t(`kind.${kind}`) : plain(kind)),
                h("td", { class: "inplot" }, x.n > 0 && bars(x.raised / x.n, null)),
                h("td", { class: "v" }, x.n ? `${num(x.raised)} / ${num(x.n)}` : "–"),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function panelMedians(who) {
  const [, rubric, scale] = who.split("\t");
  const rows = judgedControls("panel").filter((r) => r.rubric === rubric && r.scale === scale && r.n > 0);
  return rows.map((r) =>
    h(
      "details",
      null,
      h("summary", null, t("medians"), h("small", null, ` ${r.judges.map(plain).join(" · ")}`)),
      scrolled(
        t("medians"),
        "judge-medians",
        h(
          "table",
          { class: "robust" },
          headRow([t("model"), t("task"), t("judgeMean"), "n"], 2),
          h(
            "tbody",
            null,
            r.cells
              .filter(inPlace)
              .map((c) =>
                h(
                  "tr",
                  null,
                  h("th", { scope: "row" }, plain(c.model)),
                  h("td", null, taskName(taskOf(c.task)), h("small", null, ` ${setLabel(c.set)}`)),
                  h("td", { class: "v" }, points(c.value), h("small", null, ` ${points(c.low)} … ${points(c.high)}`)),
                  h("td", { class: "v" }, num(c.n)),
                ),
              ),
          ),
        ),
      ),
    ),
  );
}

function judgeMetrics(cells, who, set, task) {
  const scale = who.split("\t")[2],
    over = data.runs
      .flatMap((run) => run.judged?.models ?? [])
      .filter(
        (r) => whoOf(r, r.scale) === who && r.set === set && r.task === task.name && inPlace(r) && r.perturb === "none",
      )[0];
  const known = (x) => x && isNumber(x.pearson);
  const names = [...new Set(cells.flatMap((c) => Object.keys(c.scales[scale].metrics)))].filter(
    (m) => known(over?.metrics[m]) || cells.some((c) => known(c.scales[scale].metrics[m])),
  );
  const three = (x) =>
    h("td", { class: "v" }, known(x) ? [x.pearson, x.spearman, x.kendall].map(plus).join(" · ") : "–");
  return scrolled(
    `${t("judgeMetrics")} · ${taskName(task)} · ${setLabel(set)}`,
    "judge-metrics",
    h(
      "table",
      { class: "robust beside" },
      headRow([
        t("metricHead"),
        ...cells.map((c) => nameNode(models.get(c.id))),
        ...(over ? [t("overModels", over.models)] : []),
      ]),
      h(
        "tbody",
        null,
        names.map((m) =>
          h(
            "tr",
            null,
            h("th", { scope: "row" }, metricName(m)),
            cells.map((c) => three(c.scales[scale].metrics[m])),
            over && three(over.metrics[m]),
          ),
        ),
      ),
    ),
  );
}
