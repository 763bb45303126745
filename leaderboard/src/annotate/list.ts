// The question whether a dialogue holds commonsense knowledge, and the list of its annotations.

import { keyButton, low } from "../common/annotator/page.ts";
import { $, button, h, put, visible } from "../common/dom.ts";
import { key$ } from "../common/keys.ts";
import { num } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import { add, nothing, show } from "./actions.ts";
import { current, isInspected, returned, wrongsOf } from "./rows.ts";
import { data, state } from "./state.ts";
import type { Knowledge } from "./types.ts";

export function drawList() {
  const { annotations, nothing: none } = current(),
    found = annotations.length > 0;
  put(
    $("list"),
    low(t("isThere")),
    found && h("ol", { class: "found" }, annotations.map(drawFound)),
    h(
      "div",
      { class: "row2" },
      button([t(found ? "another" : "thereIs"), " ", key$("n")], add, { id: "add", class: "primary" }),
      button([t("thereIsNot"), " ", key$("0")], nothing, { id: "nothing", "aria-pressed": none, disabled: found }),
    ),
  );
}

function drawFound(k: Knowledge, of: number) {
  const says = `${k.instance || "…"}｜${k.domain || "…"}：${k.slot || "…"} = ${k.value || "…"}`,
    label = [h("span", { class: "data", lang: "zh-CN" }, visible(says)), h("span", { class: "pill" }, standing(k, of))];
  return h(
    "li",
    null,
    keyButton(`found-${of}`, label, of === state.of, "", () => show(of), { "data-of": of }),
  );
}

/** The state of an annotation in a word: proposed, returned, its number of errors … */
function standing(k: Knowledge, of: number) {
  const wrong = wrongsOf(current()).filter((p) => p.of === of).length;
  if (k.proposed) return t("proposed");
  if (returned(k) || (data.inspect && isInspected(k))) return t(`is.${k.verdict}`);
  if (wrong) return t("toMend", num(wrong));
  return data.inspect ? "…" : "✓";
}
