// The annotation page: start.
import { drawFrame, startPage } from "../common/frame.ts";
import { canKeep, recalled } from "../common/kept.ts";
import { onLanguage, t } from "../common/words.ts";
import { moveTo } from "./acts.ts";
import { drawDoor, drawPage, onKey } from "./page.ts";
import { takeUp } from "./rows.ts";
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
  drawFrame(t("title"), t("foot"));
  const last = recalled(`annotate.${data.hash}`, {}),
    name = last.annotator || data.annotator;
  if (name) {
    takeUp(name);
    moveTo(last.at ?? 0);
  } else drawDoor();
  addEventListener("keydown", onKey);
});
