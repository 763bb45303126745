// Starts the leaderboard, and draws what the page's address asks for: the overview, a cell or an item.
import { $, byId, h } from "../common/dom.ts";
import { drawFrame, startPage } from "../common/frame.ts";
import { shortcut } from "../common/keys.ts";
import { inChinese, onLanguage, readLanguage, t } from "../common/words.ts";
import { allItems, onChange } from "./actions.ts";
import { cellRoute, go, readView, route, routedCell, startState, writeView } from "./address.ts";
import { isFirstBenchmarkOnly, prepare } from "./data.ts";
import { drawCell, drawCellFrame } from "./evidence/cell.ts";
import { drawItem } from "./evidence/item.ts";
import { followItem, redrawItems } from "./evidence/items.ts";
import { currentEntry, listedEntries, moveBy, openCell, setOpenCell } from "./evidence/open.ts";
import { drawNext, drawOverview } from "./layout.ts";
import { pageTitle } from "./sections/intro.ts";
import { type Choice, OF_ITEMS, state } from "./state.ts";
import words from "./words.json" with { type: "json" };

const STEPS: Record<string, number> = { ArrowRight: 1, j: 1, ArrowLeft: -1, k: -1 };

function onKey(event: KeyboardEvent) {
  const key = shortcut(event);
  if (!openCell || !key || (event.target as Element).closest("input, select, textarea, .scroll")) return;
  const by = STEPS[key];
  if (by) {
    event.preventDefault();
    moveBy(by);
  }
  if (key === "Escape") go(route().has("item") ? cellRoute(openCell) : {});
}
let home = 0; // the overview's scroll position when a cell was opened

function render(all = false) {
  if (all) drawFrame(pageTitle(), t(isFirstBenchmarkOnly() ? "foot" : "footAll"));
  const asked = route().has("model");
  const cell = asked ? routedCell() : null;
  const before = state.filter + state.query;
  readView();
  if (!cell) {
    const was = openCell;
    setOpenCell(null);
    drawOverview();
    byId("gone")?.remove();
    if (asked) $("main").prepend(h("p", { class: "notice", id: "gone" }, t("gone")));
    if (was) {
      while (document.body.scrollHeight < home + innerHeight && drawNext());
      scrollTo(0, home);
      $("main").focus({ preventScroll: true });
    }
  } else if (cell !== openCell) {
    if (!openCell) home = scrollY;
    drawCell(cell);
    (currentEntry() !== undefined ? $("detail") : $("cellname")).focus({ preventScroll: true });
  } else if (all) drawCellFrame();
  else {
    if (before !== state.filter + state.query) redrawItems();
    showItem();
  }
}

function showItem() {
  const entry = currentEntry();
  if (entry !== undefined && !state.query && !listedEntries.includes(entry)) allItems();
  followItem();
  drawItem();
  const box = $("detail");
  if (box.getBoundingClientRect().top < 0 || matchMedia("(max-width: 60rem)").matches) $("panes").scrollIntoView();
  if (entry !== undefined) box.focus({ preventScroll: true });
}

const SELF_DRAWN = ["unfolded", "sheets", "parts"]; // choices whose controls redraw themselves

/** After an action: write the address, and redraw the parts that show the changed choices. */
function afterAction(names: Choice[], step: boolean) {
  writeView(step);
  if (names.some((name) => OF_ITEMS.includes(name))) redrawItems();
  else if (!names.every((name) => SELF_DRAWN.includes(name))) drawOverview();
}

startPage(words, prepare, () => {
  startState();
  onLanguage(() => render(true));
  onChange(afterAction);
  render(true);
  addEventListener("hashchange", () => {
    const before = inChinese();
    if (route().has("lang")) readLanguage();
    render(before !== inChinese());
  });
  addEventListener("keydown", onKey);
});
