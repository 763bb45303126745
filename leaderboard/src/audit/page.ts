// The audit page, which shows one output at a time.

import { drawEntry, drawNameForm, smallHeading } from "../common/annotator/page.ts";
import { draw, storeEntry, work } from "../common/annotator/work.ts";
import { checkbox, h, type Kid, para } from "../common/dom.ts";
import { chat, dataNode } from "../common/passage.ts";
import { inChinese, t } from "../common/words.ts";
import { mark, takeSpan } from "./actions.ts";
import { drawJudgement, drawParser } from "./judgement.ts";
import { keysOf } from "./keys.ts";
import { drawNote, drawOptions, drawWriting } from "./options.ts";
import { current, data, isListed, isOutput, settings, taskOf } from "./state.ts";
import type { Entry } from "./types.ts";

export const keys = () => new Map([...keysOf(current())].map(([key, change]) => [key, () => mark(change)]));

const keyRows = () =>
  data.answering
    ? [
        ["a–z 1–9", "keyOption"],
        ["Enter", "keyEnter"],
      ]
    : [
        ["a–z 1–9", "keyOption"],
        ["n N", "keyNone"],
        ["s S", "keySeveral"],
        ["r R", "keyRefused"],
        ["y", "keyYes"],
        ["x", "keyNo"],
        ["0–5", "keyScore"],
      ];

export function drawPage() {
  if (!work.annotator) {
    drawNameForm();
    return;
  }
  const entry = current(),
    task = taskOf(entry);
  const show = (on: boolean) => {
    settings.show = on;
    storeEntry();
    draw();
  };
  drawEntry(
    entry,
    inChinese() ? task.zh : task.en,
    [
      entry.dialogue.length > 0 && drawDialogue(entry),
      h("section", { class: "work" }, drawQuestion(entry), drawAnswer(entry)),
    ],
    keyRows(),
    isOutput(entry) && checkbox(t("showAfter"), settings.show, show),
  );
}

const drawDialogue = (entry: Entry) =>
  h(
    "section",
    { class: "talk", tabindex: 0, "aria-label": t("dialogue"), onmouseup: takeSpan },
    smallHeading(t("dialogue")),
    chat(entry.dialogue),
  );

const drawQuestion = ({ question }: Entry) => [
  smallHeading(t("question")),
  question ? dataNode("p", "question", question) : para("question", t("whichExplanation")),
];

function drawAnswer(entry: Entry): Kid {
  if (!isOutput(entry)) return isListed(entry) ? drawOptions(entry) : drawWriting(entry);
  return [
    smallHeading(t("replyHead")),
    entry.reply.trim() ? dataNode("pre", "reply said", entry.reply) : para("reply said muted", t("emptyReply")),
    isListed(entry) ? drawOptions(entry) : drawJudgement(entry),
    drawParser(entry),
    drawNote(entry),
  ];
}
