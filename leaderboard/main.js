// Keyboard, routes, start.
// ---------------------------------------------------------------- keyboard, routes, start
function onKey(event) {
  if (!open || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea, .scroll")) return;
  const by = { ArrowRight: 1, j: 1, ArrowLeft: -1, k: -1 }[event.key];
  if (by) { event.preventDefault(); move(by); }
  if (event.key === "Escape") go(route().has("item") ? cellRoute(open) : {});
}
let home = 0;  // where the overview was scrolled to when a cell was opened

function render(all = false) {
  if (all) drawFrame();
  const asked = route().has("model"), cell = asked ? routedCell() : null;
  if (!cell) {
    const was = open;
    readView();
    open = null;
    drawOverview();
    $("gone")?.remove();
    if (asked) $("main").prepend(h("p", { class: "notice", id: "gone" }, t("gone")));
    if (was) {
      while (document.body.scrollHeight < home + innerHeight && drawNext());
      scrollTo(0, home); $("main").focus({ preventScroll: true });
    }
  } else if (cell !== open) {
    if (!open) home = scrollY;
    drawCell(cell);
    (current() !== undefined ? $("detail") : $("cellname")).focus({ preventScroll: true });
  } else if (all) drawCellFrame();
  else showItem();
}
function showItem() {
  if (current() !== undefined && !shown.includes(current())) { Object.assign(state, { filter: "all", query: "" }); drawCellFrame(); }
  followItem();
  drawItem();
  const box = $("detail");
  if (box.getBoundingClientRect().top < 0 || matchMedia("(max-width: 60rem)").matches) $("panes").scrollIntoView();
  if (current() !== undefined) box.focus({ preventScroll: true });
}
async function start() {
  if (typeof DecompressionStream === "undefined") { refuse(WORDS.old[0]); return; }
  try { prepare(await unpack($("data").textContent)); } catch (error) { refuse(WORDS.broken[0] + error.message); return; }
  startState();
  render(true);
  addEventListener("hashchange", () => {
    const lang = state.lang;
    if (route().has("lang")) readLanguage();
    render(lang !== state.lang);
  });
  addEventListener("keydown", onKey);
}
start();
