// Keyboard, routes, start.
import { $, h } from "../common/dom.ts";
import { drawFrame, readTheme, refuse } from "../common/frame.ts";
import { shortcut } from "../common/keys.ts";
import { unpack } from "../common/unpack.ts";
import { addWords, inBoth, inChinese, onLanguage, readLanguage, t } from "../common/words.ts";
import { allItems, onChange } from "./actions.ts";
import { cellRoute, go, readView, route, routedCell, startState, writeView } from "./address.ts";
import { alone, prepare } from "./data.ts";
import { current, drawCell, drawCellFrame, drawItem, followItem, move, narrow, shown } from "./evidence/cell.ts";
import { open, setOpen } from "./evidence/open.ts";
import { drawNext, drawOverview } from "./parts.ts";
import { pageTitle } from "./sections/intro.ts";
import { OF_ITEMS, state } from "./state.ts";
import words from "./words.json" with { type: "json" };

function onKey(event) {
  const key = shortcut(event);
  if (!open || !key || event.target.closest("input, select, textarea, .scroll")) return;
  const by = { ArrowRight: 1, j: 1, ArrowLeft: -1, k: -1 }[key];
  if (by) {
    event.preventDefault();
    move(by);
  }
  if (key === "Escape") go(route().has("item") ? cellRoute(open) : {});
}
let home = 0; // where the overview was scrolled to when a cell was opened

function render(all = false) {
  if (all) drawFrame(pageTitle(), t(alone() ? "foot" : "footAll"));
  const asked = route().has("model"),
    cell = asked ? routedCell() : null,
    before = state.filter + state.query;
  readView();
  if (!cell) {
    const was = open;
    setOpen(null);
    drawOverview();
    $("gone")?.remove();
    if (asked) $("main").prepend(h("p", { class: "notice", id: "gone" }, t("gone")));
    if (was) {
      while (document.body.scrollHeight < home + innerHeight && drawNext());
      scrollTo(0, home);
      $("main").focus({ preventScroll: true });
    }
  } else if (cell !== open) {
    if (!open) home = scrollY;
    drawCell(cell);
    (current() !== undefined ? $("detail") : $("cellname")).focus({ preventScroll: true });
  } else if (all) drawCellFrame();
  else {
    if (before !== state.filter + state.query) narrow();
    showItem();
  }
}

function showItem() {
  if (current() !== undefined && !state.query && !shown.includes(current())) allItems();
  followItem();
  drawItem();
  const box = $("detail");
  if (box.getBoundingClientRect().top < 0 || matchMedia("(max-width: 60rem)").matches) $("panes").scrollIntoView();
  if (current() !== undefined) box.focus({ preventScroll: true });
}

const DRAWN_THERE = ["unfolded", "sheets"]; // choices that are followed where they are made

/** After an action: the address follows, and what shows the choice is drawn again. */
function follow(names, step) {
  writeView(step);
  if (names.some((name) => OF_ITEMS.includes(name))) narrow();
  else if (!names.every((name) => DRAWN_THERE.includes(name))) drawOverview();
}

async function start() {
  addWords(words);
  if (typeof DecompressionStream === "undefined") {
    refuse(inBoth("old"));
    return;
  }
  try {
    prepare(await unpack($("data").textContent));
  } catch (error) {
    refuse(inBoth("broken") + error.message);
    return;
  }
  startState();
  readLanguage();
  readTheme();
  onLanguage(() => render(true));
  onChange(follow);
  render(true);
  addEventListener("hashchange", () => {
    const before = inChinese();
    if (route().has("lang")) readLanguage();
    render(before !== inChinese());
  });
  addEventListener("keydown", onKey);
}
start();
