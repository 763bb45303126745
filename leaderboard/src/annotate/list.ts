// The question whether a dialogue holds commonsense knowledge, and the list of its annotations.

import { keyButton, smallHeading } from "../common/annotator/page.ts";
import { $, button, div, h, setChildren } from "../common/dom.ts";
import { keycap } from "../common/keys.ts";
import { num } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import { add, markNothing, show } from "./actions.ts";
import { current, isInspected, isReturned, problemsOf } from "./rows.ts";
import { data, state } from "./state.ts";
import type { Knowledge } from "./types.ts";

export function drawList() {
  const { annotations, nothing: none } = current(),
    found = annotations.length > 0;
  setChildren(
    $("list"),
    smallHeading(t("isThere")),
    found && h("ol", { class: "found" }, annotations.map(drawFound)),
    div(
      "row2",
      button([t(found ? "another" : "thereIs"), " ", keycap("n")], add, { id: "add", class: "primary" }),
      button([t("thereIsNot"), " ", keycap("0")], markNothing, {
        id: "nothing",
        "aria-pressed": none,
        disabled: found,
      }),
    ),
  );
}

function drawFound(k: Knowledge, of: number) {
  const says = `${k.instance || "…"}｜${k.domain || "…"}：${k.slot || "…"} = ${k.value || "…"}`,
    label = [h("span", { class: "data", lang: "zh-CN" }, says), h("span", { class: "pill" }, stateWord(k, of))];
  return h(
    "li",
    null,
    keyButton(`found-${of}`, label, of === state.of, "", () => show(of), { "data-of": of }),
  );
}

/** The state of an annotation in a word: proposed, returned, its number of errors … */
function stateWord(k: Knowledge, of: number) {
  const wrong = problemsOf(current()).filter((p) => p.of === of).length;
  if (k.proposed) return t("proposed");
  if (isReturned(k) || (data.inspect && isInspected(k))) return t(`is.${k.verdict}`);
  if (wrong) return t("toMend", num(wrong));
  return data.inspect ? "…" : "✓";
}
