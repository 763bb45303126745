// What stands where, and what was chosen.
import { h, unseen } from "../../common/dom.ts";
import { isNumber, num, pct } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { nameNode } from "../data.ts";
import { bars } from "./strips.ts";

export function positionPanel(model, row) {
  const sum = (list) => list.reduce((a, b) => a + b, 0),
    part = (list, i) => (sum(list) ? list[i] / sum(list) : null);
  const most = row.chosen.indexOf(Math.max(...row.chosen));
  return h(
    "figure",
    { class: "panel", "data-model": plain(model.label) },
    h(
      "figcaption",
      null,
      h("strong", null, nameNode(model)),
      h(
        "small",
        null,
        isNumber(row.bias) &&
          `${t("bias")} ${pct(row.bias)} % · ${t("mostly", plain(row.labels[most]), pct(part(row.chosen, most)))}`,
      ),
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
          [t("chosenShare"), t("goldShare"), t("rightThere")].map((x) => h("th", { scope: "col", class: "v" }, x)),
        ),
      ),
      h(
        "tbody",
        null,
        row.labels.map((label, i) =>
          h(
            "tr",
            null,
            h("th", { scope: "row" }, data$("span", "", label)),
            h("td", { class: "inplot" }, bars(part(row.chosen, i), part(row.gold, i))),
            h(
              "td",
              { class: "v" },
              i === most && sum(row.chosen) > 0
                ? h("strong", null, pct(part(row.chosen, i)))
                : pct(part(row.chosen, i)),
            ),
            h("td", { class: "v" }, pct(part(row.gold, i))),
            h(
              "td",
              { class: "v" },
              row.gold[i] ? pct(row.right[i] / row.gold[i]) : "–",
              h("small", null, ` /${num(row.gold[i])}`),
            ),
          ),
        ),
      ),
    ),
    row.silent > 0 && h("p", { class: "note" }, t("silentN", num(row.silent))),
  );
}
