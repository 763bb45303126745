// The chart of results by task: a row for each model, a dot for each set.
import { div, h, note, section } from "../../common/dom.ts";
import { t } from "../../common/words.ts";
import { dotPanel } from "../charts/dots.ts";
import { panels } from "../charts/marks.ts";
import { savers } from "../charts/picture.ts";
import { inChosenOrder, ownRows, rankColumns, tablesOf } from "../columns.ts";
import { benchmarkOf, isFirstBenchmarkOnly } from "../data.ts";
import { benchmarksShown, cellsInView, haveIntervals } from "../filters.ts";
import { tasks } from "../metric_choice.ts";
import { state } from "../state.ts";
import type { Task } from "../types.ts";

export function drawChart() {
  if (!cellsInView().length) return null;
  const inTables = new Set(
    benchmarksShown()
      .flatMap(tablesOf)
      .flatMap(({ columns }) => columns.map(({ task }) => task)),
  );
  const drawn = tasks.filter((x) => inTables.has(x));
  if (!drawn.length) return null;
  const rows = (task: Task) => {
    const rankedBy = rankColumns(benchmarkOf(task));
    return [...inChosenOrder(ownRows(false), rankedBy), ...inChosenOrder(ownRows(true), rankedBy)];
  };
  return section(
    "accuracy",
    div("titled", h("h2", null, t("chart")), savers("charts", t("chart"))),
    note(
      t(isFirstBenchmarkOnly() ? "chartNote" : "chartNoteSets"),
      state.intervals && haveIntervals() && t("whiskerNote"),
      cellsInView().some((c) => c.estimate) && t("estimateMarks"),
    ),
    panels(
      "charts",
      drawn.map((x) => dotPanel(x, rows(x))),
    ),
  );
}
