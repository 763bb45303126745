// The verdict on an annotation. An inspector accepts it, returns it with a reason and a note, or revises it by editing; the
// annotator sees why an annotation was returned.

import { keyButton, keyButtons, noteField } from "../common/annotator/page.ts";
import { button, div, h, para } from "../common/dom.ts";
import { keycap } from "../common/keys.ts";
import { dataNode } from "../common/passage.ts";
import { t } from "../common/words.ts";
import { accept, KEYS, remove, returnFor, startReturn } from "./actions.ts";
import { changeChosen, isReturned } from "./rows.ts";
import { data, state } from "./state.ts";
import type { Knowledge, Reason } from "./types.ts";

export const reasonKey = (reason: Reason) => (reason === "knowledge" ? "n" : KEYS[reason]);

const reasonName = (reason: Reason) =>
  reason === "knowledge" ? t("noKnowledge") : t(`step.${reason}`).replace(/^\d+\. /, "");

const acceptButton = () => button([t("accept"), " ", keycap("y")], accept, { id: "accept", class: "primary" });

export const drawProposal = (k: Knowledge) =>
  h(
    "div",
    { class: "notice caution", id: "proposal" },
    h("p", null, t("isProposed", k.proposer || "?")),
    div("row2", acceptButton(), button([t("reject"), " ", keycap("x")], remove, { id: "reject" })),
  );

export function drawVerdict(k: Knowledge) {
  if (!data.inspect) return isReturned(k) && h("div", { class: "notice caution", id: "verdict" }, verdictWords(k));
  const giving = button([t("giveBack"), " ", keycap("r")], startReturn, { id: "return" });
  return h(
    "div",
    { class: "notice", id: "verdict" },
    verdictWords(k),
    div("row2", acceptButton(), giving),
    (state.returning || isReturned(k)) && drawReasons(k),
    isReturned(k) && noteField("in-note", t("noteToAnnotator"), k.note, (note) => changeChosen({ note })),
  );
}

function verdictWords(k: Knowledge) {
  if (!k.verdict) return h("p", { id: "said" }, t("verdictAsked"));
  return h(
    "p",
    { id: "said" },
    t(`verdict.${k.verdict}`, k.inspector || t("theAnnotator")),
    k.reason && [" ", t("wasFor"), h("strong", null, reasonName(k.reason))],
    k.note && [" ", dataNode("span", "", k.note)],
  );
}

function drawReasons(k: Knowledge) {
  const reasons = data.reasons.map((x) => {
    const on = isReturned(k) && k.reason === x;
    return keyButton(`reason-${x}`, reasonName(x), on, reasonKey(x), () => returnFor(x), { "data-reason": x });
  });
  return [para("note", t("returnedWhy")), keyButtons(reasons, "dense", { "aria-label": t("returnedWhy") })];
}
