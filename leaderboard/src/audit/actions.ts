// Actions of the annotator on the entry on screen.
import { drawCount } from "../common/annotator/page.ts";
import { draw, moveTo, work } from "../common/annotator/work.ts";
import { complete, markOf, setMark } from "./marks.ts";
import { asksSeveral, current, data, kindOf, othersOf, settings } from "./state.ts";
import type { Mark } from "./types.ts";

/** Mark the entry. The page goes on to the next entry once this one is complete, unless the entry takes further marks, the right
 *  answer is to be shown, or an older mark was changed. */
export function mark(change: Mark) {
  const entry = current(),
    was = complete(entry);
  setMark(entry, typeof change.said === "string" ? { said: saidWith(change.said) } : change);
  const onward = !was && complete(entry) && !Array.isArray(markOf(entry).said) && !settings.show;
  if (onward && work.at + 1 < data.outputs.length) moveTo(work.at + 1);
  else draw();
}

/** The mark for a pressed option. Where all right options are asked for, the press adds the option or takes it away. */
function saidWith(said: string) {
  const entry = current(),
    { said: before } = markOf(entry);
  if (!asksSeveral(entry) || othersOf(entry).includes(said)) return said;
  const now = entry.labels.filter((x) => (Array.isArray(before) && before.includes(x)) !== (x === said));
  return now.length ? now : undefined;
}

/** Save a typed answer at every letter. */
export function write(text: string) {
  setMark(current(), { text: text.trim() }, "text");
  drawCount();
}

/** Take the span selected in the dialogue as the answer, where the question asks for a span. */
export function takeSpan() {
  const text = getSelection()?.toString().trim();
  if (!data.answering || kindOf(current()) !== "span" || !text) return;
  write(text);
  draw();
}
