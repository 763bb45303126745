// Actions on the entry on screen.
import { drawCount } from "../common/annotator/page.ts";
import { draw, moveTo, work } from "../common/annotator/work.ts";
import { complete, markOf, setMark } from "./marks.ts";
import { asksSeveral, current, data, kindOf, othersOf, settings } from "./state.ts";
import type { Mark } from "./types.ts";

/** Mark it. The next one comes as soon as this is marked, unless more can be said, its answer is to be seen, or an old mark
 *  was changed. */
export function mark(change: Mark) {
  const entry = current(),
    was = complete(entry);
  setMark(entry, typeof change.said === "string" ? { said: saidWith(change.said) } : change);
  const onward = !was && complete(entry) && !Array.isArray(markOf(entry).said) && !settings.show;
  if (onward && work.at + 1 < data.outputs.length) moveTo(work.at + 1);
  else draw();
}

/** An option; where all right ones are asked for, those that were said with this one more or one less. */
function saidWith(said: string) {
  const entry = current(),
    { said: before } = markOf(entry);
  if (!asksSeveral(entry) || othersOf(entry).includes(said)) return said;
  const now = entry.labels.filter((x) => (Array.isArray(before) && before.includes(x)) !== (x === said));
  return now.length ? now : undefined;
}

/** Keep a typed answer; it counts at once. */
export function write(text: string) {
  setMark(current(), { text: text.trim() }, "text");
  drawCount();
}

/** A span is selected in the dialogue where people are asked for one. */
export function takeSpan() {
  const text = getSelection()?.toString().trim();
  if (!data.answering || kindOf(current()) !== "span" || !text) return;
  write(text);
  draw();
}
