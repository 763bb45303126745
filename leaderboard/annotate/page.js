// The annotation page: one dialogue after the other. After words.js and page.js of the leaderboard, whose helpers it uses
// (what comes from data reaches the page as text nodes only).
Object.assign(state, { annotator: "", at: 0, of: -1, field: "", said: "", turn: 0, cursor: null, returning: false });
const key$ = (name) => h("kbd", null, name);

// ---------------------------------------------------------------- what is done to a dialogue
function add() {
  change((row) => { row.nothing = false; row.annotations.push({ ...blank(), annotator: state.annotator }); });
  state.of = current().annotations.length - 1;
  activate("dimension");
}
/** An inspector returns what is wrong; only what the inspector has added can be removed. */
const mayRemove = (k) => !data.inspect || k.proposed || k.annotator === state.annotator;
function remove() {
  if (!chosen() || !mayRemove(chosen())) return;
  change((row) => row.annotations.splice(state.of, 1));
  state.of = Math.min(state.of, current().annotations.length - 1);
  state.field = "";
  draw();
}
function accept() {
  if (data.inspect && chosen() && !chosen().proposed) { judge({ verdict: "accepted" }); return; }
  if (!chosen()?.proposed) return;
  change(() => Object.assign(chosen(), { proposed: false, annotator: state.annotator }));
  const next = current().annotations.findIndex((x) => x.proposed);
  if (next >= 0) state.of = next;
  draw();
}
/** An inspector's verdict; then the dialogue's next annotation that has none. */
function judge(verdict) {
  const before = settled(chosen());
  change(() => Object.assign(chosen(), verdict, { inspector: state.annotator }));
  const next = current().annotations.findIndex((k) => !settled(k));
  if (!before && next >= 0 && verdict.verdict === "accepted") state.of = next;
  Object.assign(state, { returning: false, field: "" });
  draw();
}
function giveBack() {
  if (!data.inspect || !chosen() || chosen().proposed) return;
  Object.assign(state, { returning: true, field: "" });
  draw();
}
function giveBackFor(reason) {
  judge({ verdict: "returned", reason });
  $("in-note")?.focus();
}
function nothing() {
  if (current().annotations.length) { state.said = t("notNothing"); draw(); return; }
  change((row) => { row.nothing = !row.nothing; });
  draw();
}
function takeBack() {
  state.said = t(undo() ? "undone" : "nothingToUndo");
  draw();
}

// ---------------------------------------------------------------- moving
function moveTo(at) {
  state.at = Math.max(0, Math.min(rows.length - 1, at));
  Object.assign(state, { of: current().annotations.length ? 0 : -1, field: "", turn: 0, cursor: null, said: "", returning: false });
  keepPlace();
  draw();
  scrollTo(0, 0);
}
function nextOpen() {
  const open = rows.map((row, i) => [(i - state.at - 1 + rows.length) % rows.length, i]).filter(([, i]) => !done(rows[i])).sort((a, b) => a[0] - b[0])[0];
  if (open) moveTo(open[1]);
}
function show(of) {
  const count = current().annotations.length;
  if (count) Object.assign(state, { of: (of + count) % count, field: "", returning: false });
  draw();
}
function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || !state.annotator || $("help")?.open) return;
  if (event.target.closest("input, select, textarea")) { if (event.key === "Escape") event.target.blur(); return; }
  const reason = state.returning && data.reasons.find((x) => reasonKey(x) === event.key);
  const entry = state.field in MENUS && chosen() && /^[1-9]$/.test(event.key) && MENUS[state.field]()[event.key - 1];
  const field = chosen() && Object.keys(KEYS).find((x) => KEYS[x] === event.key);
  const action = reason ? () => giveBackFor(reason) : entry ? () => pick(state.field, entry) : field ? () => activate(field) : {
    n: add, 0: nothing, x: remove, y: accept, r: giveBack, u: takeBack, Backspace: takeBack, "[": () => show(state.of - 1), "]": () => show(state.of + 1),
    ArrowRight: () => moveTo(state.at + 1), ArrowLeft: () => moveTo(state.at - 1), j: () => moveTo(state.at + 1), k: () => moveTo(state.at - 1),
    " ": nextOpen, "?": () => $("help").showModal(),
  }[event.key];
  if (!action || (event.key === " " && event.target.closest("button"))) return;
  event.preventDefault();
  action();
}

// ---------------------------------------------------------------- drawing
function render() {
  drawFrame();
  if (state.annotator) draw();
  else drawDoor();
}
function drawDoor() {
  const input = h("input", { id: "name", type: "text", autocomplete: "name", maxlength: 60, required: true, value: data.annotator });
  const enter = (event) => {
    event.preventDefault();
    const name = input.value.trim();
    if (!name) { input.focus(); return; }
    takeUp(name);
    moveTo(Math.max(0, rows.findIndex((x) => !done(x))));
  };
  put($("main"), h("section", { class: "intro door" }, h("h1", null, t(data.inspect ? "inspectTitle" : "title")), h("p", { class: "lead" }, t(data.inspect ? "inspectLead" : "lead", num(data.dialogues.length))), warning(),
    h("form", { onsubmit: enter }, h("label", { for: "name" }, t("yourName")), h("div", { class: "row2" }, input, h("button", { type: "submit", class: "primary" }, t("begin"))))));
  input.focus();
}
const warning = () => !state.keeps && h("p", { class: "notice caution" }, t("keepsNothing"));

function draw() {
  const row = current(), n = rows.length;
  put($("main"),
    h("div", { class: "progress", id: "progress" }),
    h("div", { class: "stepper" }, button("‹", () => moveTo(state.at - 1), { id: "prev", disabled: state.at === 0, "aria-label": t("prev") }),
      h("span", { id: "position" }, t("at", num(state.at + 1), num(n))), button("›", () => moveTo(state.at + 1), { id: "next", disabled: state.at === n - 1, "aria-label": t("next") }),
      button(t("nextOpen"), nextOpen), button(t("undo"), takeBack, { id: "undo", disabled: !undoable.length }), button([t("help"), " ", key$("?")], () => $("help").showModal(), { id: "keys" }),
      h("span", { class: "muted", role: "status", id: "told" }, state.said)),
    h("article", { class: "output", id: "output", "data-id": row.id },
      h("h1", { class: "taskname" }, data$("span", "", row.topic || row.id), h("span", { class: "tag" }, row.set.toUpperCase())),
      h("div", { class: "sides" },
        h("section", { class: "talk", id: "talk", "aria-label": t("dialogue") }, drawTalk()),
        h("section", { class: "work" }, h("div", { id: "list" }, drawList()), drawForm()))),
    helpBox());
  drawProgress();
  drawWrongs();
}
function drawProgress() {
  const count = rows.filter(done).length, wrong = rows.reduce((sum, row) => sum + (touched(row) ? wrongsOf(row).length : 0), 0), bar = h("i", null);
  bar.style.width = `${(100 * count) / rows.length}%`;
  put($("progress"), h("strong", { id: "count" }, t("finished", num(count), num(rows.length))), h("span", { class: "track", "aria-hidden": "true" }, bar),
    wrong > 0 && h("span", { class: "warn", id: "wrongs" }, t("wrongs", num(wrong))), h("span", { class: "data" }, visible(state.annotator)),
    button(t("someoneElse"), () => { state.annotator = ""; render(); }, { class: "small", id: "change" }),
    button(t("export"), exportRows, { class: "small primary", id: "export" }), importer(), warning());
}
/** Is there commonsense knowledge? What has been found, and more of it, or none. */
function drawList() {
  const row = current(), wrong = wrongsOf(row);
  return [h("h2", { class: "low" }, t("isThere")),
    row.annotations.length > 0 && h("ol", { class: "found" }, row.annotations.map((k, i) => {
      const mine = wrong.filter((p) => p.field.startsWith(`annotations[${i}]`)).length;
      return h("li", null, h("button", { type: "button", class: "mark", "aria-pressed": i === state.of, "data-of": i, onclick: () => show(i) },
        h("span", { class: "data", lang: "zh-CN" }, visible(`${k.instance || "…"}｜${k.domain || "…"}：${k.slot || "…"} = ${k.value || "…"}`)),
        h("span", { class: "pill" }, k.proposed ? t("proposed") : returned(k) || (data.inspect && settled(k)) ? t("is." + k.verdict) : mine ? t("toMend", num(mine)) : data.inspect ? "…" : "✓")));
    })),
    h("div", { class: "row2" }, button([t(row.annotations.length ? "another" : "thereIs"), " ", key$("n")], add, { id: "add", class: "primary" }),
      button([t("thereIsNot"), " ", key$("0")], nothing, { id: "nothing", "aria-pressed": row.nothing, disabled: row.annotations.length > 0 }))];
}
function importer() {
  const input = h("input", { type: "file", class: "sr", accept: ".jsonl,.json,.txt", id: "file", tabindex: -1, "aria-label": t("import"), onchange: async () => {
    const [taken, left] = importRows(await input.files[0].text());
    state.said = t("imported", taken) + (left ? t("refusedLines", left) : "");
    draw();
  } });
  return [button(t("import"), () => input.click(), { class: "small", id: "import" }), input];
}
function helpBox() {
  const list = [["n", "keyAdd"], ["0", "keyNothing"], [Object.values(KEYS).join(" "), "keyFields"], ["1–9", "keyMenu"], ["Enter", "keyEnter"], ["Esc", "keyEscape"], ["↑ ↓ ← →", "keySpan"], ["Shift+→", "keyMore"],
    ["y", data.inspect ? "keyInspect" : "keyAccept"], ...(data.inspect ? [["r", "keyReturn"]] : []), ["x", "keyRemove"], ["[ ]", "keyShow"], ["j k", "keyMove"], ["Space", "keyOpen"], ["u ⌫", "keyUndo"]];
  const box = h("dialog", { id: "help", "aria-label": t("keyList") }, h("h2", null, t("keyList")),
    h("dl", { class: "settings" }, list.map(([keys, what]) => [h("dt", null, keys.split(" ").map((x) => [key$(x), " "])), h("dd", null, t(what))])),
    button(t("close"), () => box.close()));
  return box;
}

async function start() {
  if (typeof DecompressionStream === "undefined") { $("notice").textContent = WORDS.old[0]; return; }
  try { data = await unpack($("data").textContent); } catch (error) { $("notice").textContent = WORDS.broken[0] + error.message; return; }
  state.keeps = canKeep();
  readLanguage();
  readTheme();
  drawFrame();
  const last = kept(`annotate.${data.hash}`, {}), name = last.annotator || data.annotator;
  if (name) { takeUp(name); moveTo(last.at ?? 0); } else drawDoor();
  addEventListener("keydown", onKey);
}
start();
