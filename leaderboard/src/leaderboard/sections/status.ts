// What became of the requests.
import { button, h } from "../../common/dom.ts";
import { num, pct } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { statusBar } from "../beside.ts";
import { ownRows } from "../columns.ts";
import { picker, tick } from "../controls.ts";
import { counts, models, nameNode, scoreOf, taskOf } from "../data.ts";
import { allSets, cellAt, setNames } from "../filters.ts";
import { figure, metricName } from "../metrics.ts";
import { setLabel, setTitle, taskName } from "../names.ts";
import { metricOf, tasks } from "../offered.ts";
import { state } from "../state.ts";
import { STATUSES } from "../statuses.ts";
import { framed } from "../tables/frame.ts";

export function drawStatus() {
  const rows = [...ownRows(false), ...ownRows(true)];
  const amiss = (c) => {
    const n = counts(c);
    return n.none + n.failed + n.missing > 0;
  };
  const sets = setNames().filter((x) => !state.statusSet || x === state.statusSet);
  const bodies = rows
    .filter((r) => !state.statusModel || r.model.id === state.statusModel)
    .map((row) => {
      const cells = tasks
        .flatMap((x) => sets.map((set) => cellAt(row.model.id, set, x.name)))
        .filter((c) => c && (!state.issues || amiss(c)));
      return (
        cells.length > 0 &&
        h(
          "tbody",
          null,
          h(
            "tr",
            { class: "group" },
            h("th", { scope: "rowgroup" }, nameNode(row.model)),
            h("td", { colspan: STATUSES.length + 5 }),
          ),
          cells.map(statusRow),
        )
      );
    })
    .filter(Boolean);
  if (!rows.length) return null;
  const heads = [t("task"), t("set"), t("ofAll"), t("ofParsed"), t("items"), ...STATUSES.map((x) => t(x)), t("share")];
  return h(
    "section",
    { class: "block" },
    h("h2", { id: "status" }, t("status")),
    h("p", { class: "note" }, t("statusNote")),
    h(
      "div",
      { class: "controls" },
      picker("statusModel", t("model"), ["", ...rows.map((r) => r.model.id)], state.statusModel, (v) =>
        v ? plain(models.get(v).label) : t("allModels"),
      ),
      picker("statusSet", t("set"), ["", ...setNames()], state.statusSet, (v) =>
        v ? setTitle(v) : t(allSets().length > 2 ? "all" : "allSets"),
      ),
      tick("issues", t("onlyIssues")),
    ),
    bodies.length
      ? framed(
          h(
            "table",
            { class: "status" },
            h(
              "thead",
              null,
              h(
                "tr",
                null,
                heads.map((x) => h("th", { scope: "col" }, x)),
              ),
            ),
            bodies,
          ),
          { id: "status-table", title: t("status"), tall: true },
        )
      : h("p", { class: "notice" }, t("noRows")),
  );
}

function statusRow(cell) {
  const n = counts(cell),
    task = taskOf(cell.task);
  const number = (v, cls) => h("td", { class: `v ${v ? cls : "zero"}` }, num(v));
  return h(
    "tr",
    null,
    h(
      "th",
      { scope: "row" },
      button(taskName(task), () => go(cellRoute(cell)), { class: "link" }),
    ),
    h("td", null, setLabel(cell.set)),
    h(
      "td",
      { class: "v" },
      h("small", null, metricName(metricOf(task)), " "),
      figure(metricOf(task), scoreOf(cell, metricOf(task))),
    ),
    h("td", { class: "v" }, pct(cell.accuracy_of_parsed)),
    number(cell.items, ""),
    STATUSES.map((x) => number(n[x], x === "parsed" ? "" : `k-${x}`)),
    h("td", null, statusBar(cell)),
  );
}
