// The audit page: start.
import { $ } from "../common/dom.ts";
import { drawFrame, readTheme, refuse } from "../common/frame.ts";
import { canKeep, recalled } from "../common/kept.ts";
import { unpack } from "../common/unpack.ts";
import { addWords, inBoth, onLanguage, readLanguage, t } from "../common/words.ts";
import { takeUp } from "./marks.ts";
import { drawDoor, drawPage, onKey } from "./page.ts";
import { data, draw, load, onDraw, state } from "./state.ts";
import words from "./words.json" with { type: "json" };

function render() {
  drawFrame(t("title"), t("foot"));
  draw();
}
async function start() {
  addWords(words);
  if (typeof DecompressionStream === "undefined") {
    refuse(inBoth("old"));
    return;
  }
  try {
    load(await unpack($("data").textContent));
  } catch (error) {
    refuse(inBoth("broken") + error.message);
    return;
  }
  state.keeps = canKeep();
  readLanguage();
  readTheme();
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
}
start();
