// The audit page: start.
import { drawFrame, startPage } from "../common/frame.ts";
import { canKeep, recalled } from "../common/kept.ts";
import { onLanguage, t } from "../common/words.ts";
import { takeUp } from "./marks.ts";
import { drawDoor, drawPage, onKey } from "./page.ts";
import { data, draw, load, onDraw, state } from "./state.ts";
import words from "./words.json" with { type: "json" };

function render() {
  drawFrame(t("title"), t("foot"));
  draw();
}
startPage(words, load, () => {
  state.keeps = canKeep();
  onLanguage(render);
  onDraw(() => (state.annotator ? drawPage() : drawDoor()));
  const last = recalled(`audit.${data.sample}`, {});
  state.show = last.show === true;
  if (last.annotator) {
    takeUp(last.annotator);
    state.at = Math.max(0, Math.min(data.outputs.length - 1, last.at ?? 0));
  }
  render();
  addEventListener("keydown", onKey);
});
