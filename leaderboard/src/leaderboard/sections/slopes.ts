// Changes under perturbation: at a glance, and as slopes; wordings and shots.
import { h } from "../../common/dom.ts";
import { pct, signed } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { changeWords, isSure, kindsIn } from "../charts/slopes.ts";
import { nameNode } from "../data.ts";
import { cellAt } from "../filters.ts";
import { metricName } from "../metrics.ts";
import { perturbName, setLabel, taskName } from "../names.ts";
import { framed, signNode } from "../tables/frame.ts";
import { opener } from "../tables/sheet.ts";
import { grouped } from "../told.ts";

/** Models × perturbations: the change in points, shaded by its size. The worst on average come first. */
export function changeTable(rows, task) {
  const kinds = kindsIn(rows),
    most = Math.max(0.01, ...rows.map((r) => Math.abs(r.drop)));
  const lines = grouped(rows)
    .map(([m, list]) => [m, list, list.reduce((sum, r) => sum + r.drop, 0) / list.length])
    .sort((a, b) => a[2] - b[2]);
  const td = (row) => {
    const cell = cellAt(row.id, row.set, row.task, row.scoring, row.perturb),
      node = h(
        "td",
        { class: `v heat ${row.drop < 0 ? "worse" : "better"}`, "data-perturb": row.perturb },
        opener(cell, [isSure(row) ? h("strong", null, signed(row.drop), signNode(" *")) : signed(row.drop)]),
      );
    node.style.setProperty("--share", `${Math.round((42 * Math.abs(row.drop)) / most)}%`);
    node.title = plain(changeWords(row));
    return node;
  };
  const base = (m, list) => {
    const cell = cellAt(m.id, list[0].set, list[0].task, list[0].scoring, "none"),
      x = cell?.metrics?.[list[0].metric];
    return h("td", { class: "v" }, opener(cell, pct(x?.value ?? list[0].base)));
  };
  return framed(
    h(
      "table",
      { class: "robust heats", id: "changes" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, t("model")),
          h(
            "th",
            { scope: "col", class: "v" },
            `${t("perturbNone")}`,
            h("small", null, `${metricName(rows[0].metric)} %`),
          ),
          kinds.map((k) =>
            h(
              "th",
              { scope: "col", class: "v", title: perturbName(k) },
              k.split("_").map((x, i) => [i > 0 && ["_", h("wbr")], x]),
            ),
          ),
        ),
      ),
      h(
        "tbody",
        null,
        lines.map(([m, list]) =>
          h(
            "tr",
            { "data-model": plain(m.label) },
            h("th", { scope: "row" }, nameNode(m)),
            base(m, list),
            kinds.map((k) => {
              const row = list.find((r) => r.perturb === k);
              return row ? td(row) : h("td", { class: "v zero" }, "–");
            }),
          ),
        ),
      ),
    ),
    { id: "changes-table", title: `${t("changes")} · ${taskName(task)} · ${setLabel(rows[0].set)}` },
  );
}
