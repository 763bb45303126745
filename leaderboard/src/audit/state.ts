// The page's data, and the person's settings.
import { work } from "../common/annotator/work.ts";
import type { Entry, Output, PageData, Question, Task } from "./types.ts";

export let data: PageData;
export function load(content: PageData) {
  data = content;
}

/** `show`: whether the right answer and the parser's reading appear once an output is marked. */
export const settings = { show: false };

export const current = () => data.outputs[work.at];

export const taskOf = ({ task: name }: Entry): Task =>
  data.tasks.find((x) => x.name === name) ?? { name, zh: name, en: name, kind: "text" };

export const kindOf = (entry: Entry) => taskOf(entry).kind;

export const scales = () => data.rubric?.scales ?? [];

export const isOutput = (entry: Entry): entry is Output => !data.answering;
export const isQuestion = (entry: Entry): entry is Question => data.answering === true;

export const isListed = (entry: Entry) => entry.labels.length > 0;

/** Whether the question asks for all right options, so that an answer is a list of labels. */
export const asksSeveral = (entry: Entry) => kindOf(entry) === "choices";

/** The answers that a reply may give instead of an option. */
export const othersOf = (entry: Entry) =>
  isOutput(entry) ? ["none", "several", "refused"].filter((x) => x !== "several" || !asksSeveral(entry)) : [];
