// What stands around the form: how far the work is, and what has been found in the dialogue.
import { $, button, h, put, visible } from "../common/dom.ts";
import { key$ } from "../common/keys.ts";
import { num } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import { add, nothing, show } from "./acts.ts";
import { current, done, exportRows, importRows, returned, rows, settled, touched, wrongsOf } from "./rows.ts";
import { data, draw, state } from "./state.ts";

export const warning = () => !state.keeps && h("p", { class: "notice caution" }, t("keepsNothing"));

export function drawProgress() {
  const count = rows.filter(done).length,
    wrong = rows.reduce((sum, row) => sum + (touched(row) ? wrongsOf(row).length : 0), 0),
    bar = h("i", null);
  bar.style.width = `${(100 * count) / rows.length}%`;
  put(
    $("progress"),
    h("strong", { id: "count" }, t("finished", num(count), num(rows.length))),
    h("span", { class: "track", "aria-hidden": "true" }, bar),
    wrong > 0 && h("span", { class: "warn", id: "wrongs" }, t("wrongs", num(wrong))),
    h("span", { class: "data" }, visible(state.annotator)),
    button(
      t("someoneElse"),
      () => {
        state.annotator = "";
        draw();
      },
      { class: "small", id: "change" },
    ),
    button(t("export"), exportRows, { class: "small primary", id: "export" }),
    importer(),
    warning(),
  );
}

/** Is there commonsense knowledge? What has been found, and more of it, or none. */
export function drawList() {
  const row = current(),
    wrong = wrongsOf(row);
  return [
    h("h2", { class: "low" }, t("isThere")),
    row.annotations.length > 0 &&
      h(
        "ol",
        { class: "found" },
        row.annotations.map((k, i) => {
          const mine = wrong.filter((p) => p.field.startsWith(`annotations[${i}]`)).length;
          return h(
            "li",
            null,
            h(
              "button",
              { type: "button", class: "mark", "aria-pressed": i === state.of, "data-of": i, onclick: () => show(i) },
              h(
                "span",
                { class: "data", lang: "zh-CN" },
                visible(`${k.instance || "…"}｜${k.domain || "…"}：${k.slot || "…"} = ${k.value || "…"}`),
              ),
              h(
                "span",
                { class: "pill" },
                k.proposed
                  ? t("proposed")
                  : returned(k) || (data.inspect && settled(k))
                    ? t(`is.${k.verdict}`)
                    : mine
                      ? t("toMend", num(mine))
                      : data.inspect
                        ? "…"
                        : "✓",
              ),
            ),
          );
        }),
      ),
    h(
      "div",
      { class: "row2" },
      button([t(row.annotations.length ? "another" : "thereIs"), " ", key$("n")], add, { id: "add", class: "primary" }),
      button([t("thereIsNot"), " ", key$("0")], nothing, {
        id: "nothing",
        "aria-pressed": row.nothing,
        disabled: row.annotations.length > 0,
      }),
    ),
  ];
}

function importer() {
  const input = h("input", {
    type: "file",
    class: "sr",
    accept: ".jsonl,.json,.txt",
    id: "file",
    tabindex: -1,
    "aria-label": t("import"),
    onchange: async () => {
      const [taken, left] = importRows(await input.files[0].text());
      state.said = t("imported", taken) + (left ? t("refusedLines", left) : "");
      draw();
    },
  });
  return [button(t("import"), () => input.click(), { class: "small", id: "import" }), input];
}
