// The controls for an answer: options to choose from, or a field to write in.

import { keyButton, keyButtons, noteField, onEnter, smallHeading } from "../common/annotator/page.ts";
import { moveTo, work } from "../common/annotator/work.ts";
import { byId, h, type Kid, para } from "../common/dom.ts";
import { dataNode } from "../common/passage.ts";
import { t } from "../common/words.ts";
import { mark, write } from "./actions.ts";
import { keyFor, keysOf } from "./keys.ts";
import { complete, markOf, setMark } from "./marks.ts";
import { asksSeveral, isOutput, kindOf, othersOf, settings } from "./state.ts";
import type { Entry } from "./types.ts";

/** The question, and a note on how to answer. */
export const heading = (words: string, note: string) => [smallHeading(words, "asked"), note && para("note", note)];

export function drawOptions(entry: Entry) {
  const { said } = markOf(entry),
    keys = keysOf(entry),
    several = asksSeveral(entry) ? "whichOnes" : "which",
    short = entry.options.every((x) => x.length < 14);
  const says = (label: string) => (Array.isArray(said) ? said.includes(label) : said === label);
  const answer = (label: string, id: string | number, words: Kid) =>
    keyButton(`say-${work.at}-${id}`, words, says(label), keyFor(keys, "said", label), () => mark({ said: label }));
  return [
    heading(t(several), t(`${several}Note`)),
    keyButtons(
      entry.labels.map((label, i) => answer(label, i, aboutOption(entry, i))),
      short ? "dense" : "",
      { "aria-labelledby": "asked" },
    ),
    isOutput(entry) &&
      keyButtons(
        othersOf(entry).map((name) => answer(name, name, t(`said.${name}`))),
        "dense others",
      ),
  ];
}

const aboutOption = (entry: Entry, i: number) => [
  dataNode("b", "", entry.labels[i]),
  " ",
  dataNode("span", "", entry.options[i]),
  isOutput(entry) &&
    settings.show &&
    complete(entry) &&
    entry.golds.includes(i) &&
    h("span", { class: "pill gold" }, ` ✓ ${t("gold")}`),
];

/** The field for a written answer; a span can also be selected in the dialogue. Enter goes on to the next entry. */
export function drawWriting(entry: Entry) {
  const input: HTMLInputElement = h("input", {
    type: "text",
    id: "answer",
    autocomplete: "off",
    spellcheck: "false",
    "aria-labelledby": "asked",
    value: markOf(entry).text ?? "",
    oninput: () => write(input.value),
    onkeydown: onEnter(() => {
      moveTo(work.at + 1);
      byId("answer")?.focus();
    }),
  });
  return [heading(t("yourAnswer"), t(`${kindOf(entry)}AnswerNote`)), input];
}

export const drawNote = (entry: Entry) =>
  noteField("note", t("note"), markOf(entry).note ?? "", (note) => {
    if (note || markOf(entry).note) setMark(entry, { note });
  });
