// The evidence: one cell, one item; keyboard, routes, start.
// ---------------------------------------------------------------- one cell's evidence
let open = null;  // the cell on screen

function drawCell(cell) {
  open = cell;
  Object.assign(state, { filter: "all", query: "", page: 0 });
  drawCellFrame();
  scrollTo(0, 0);
}
function drawCellFrame() {
  const cell = open, task = taskOf(cell.task), n = counts(cell);
  const sum = (name, value, note) => h("div", null, h("dt", null, name), h("dd", null, value, note && h("small", null, note)));
  put($("main"), h("section", { class: "cellhead" },
    button(t("back"), () => go({}), { class: "link", id: "back" }),
    h("h1", { tabindex: -1, id: "cellname" }, taskName(task), h("span", { class: "tag" }, cell.set.toUpperCase())),
    h("p", { class: "lead" }, nameNode(models.get(cell.id)), h("span", { class: "muted" }, ` · ${t("variant")} ${plain(cell.variant)} · ${t("shots")} ${cell.shots} · ${t("scoring")} ${t(cell.scoring)} · ${cell.perturb !== "none" ? `${perturbName(cell.perturb)} · ` : ""}${plain(cell.split)}`)),
    h("dl", { class: "facts" },
      headline(cell, task).map(([m, x]) => sum(longName(m), figure(m, x.value), [[t("interval"), span(m, x.low, x.high, 1)], ["Wilson", span(m, ...(x.wilson ?? []), 1)], ["n", num(x.n)]]
        .filter(([, v]) => v).map(([k, v]) => h("span", { class: "line" }, `${k} ${v}`)))),
      typeof cell.chance === "number" && sum(t("chance"), pct(cell.chance)), cell.accuracy_of_parsed != null && !cell.metrics.accuracy?.signature.includes("|by:") && sum(t("ofParsed"), pct(cell.accuracy_of_parsed)),
      sum(t("statusIs"), statusBar(cell), STATUSES.filter((x) => n[x]).map((x) => `${t(x)} ${num(n[x])}`).join(" · "))),
    leakNote(cell) && h("p", { class: "notice" + (leaky(cell) ? " caution" : "") }, leakNote(cell)),
    n.missing > 0 && h("p", { class: "notice" }, t("notAsked", num(n.missing))),
    cell.shots_dropped > 0 && h("p", { class: "notice" }, t("dropped", num(cell.shots_dropped))),
    Object.keys(cell.errors ?? {}).length > 0 && h("div", { class: "notice" }, h("strong", null, t("errors")), Object.entries(cell.errors).map(([e, k]) => h("p", null, `${k} × `, data$("code", "", e)))),
    metricTable(cell), provenance(cell)),
  h("div", { class: "panes", id: "panes" },
    h("section", { class: "list", "aria-label": t("items") }, h("div", { class: "listtools" }, filters(cell),
      h("input", { type: "search", id: "search", value: state.query, placeholder: t("search"), "aria-label": t("search"), oninput: onSearch })), h("div", { id: "rows" })),
    h("section", { class: "detail", id: "detail", tabindex: -1 })));
  $("search").value = state.query;
  drawList();
  drawItem();
}
function filters(cell) {
  const tally = { all: cell.rows.length };
  for (const r of cell.rows) tally[outcome(r)] = (tally[outcome(r)] ?? 0) + 1;
  if (baseOf(cell)) tally.flipped = cell.rows.filter((r) => flipped(cell, r)).length;
  const shown = ["all", ...(baseOf(cell) ? ["flipped"] : []), "right", "partial", "wrong", "notParsed", "filtered", "failedFilter"].filter((x) => tally[x] || !["partial", "filtered"].includes(x));
  return segmented(t("statusIs"), shown.map((x) => [x, `${t(x)} ${num(tally[x] ?? 0)}`]), state.filter, (filter) => {
    Object.assign(state, { filter, page: 0 });
    document.querySelectorAll(".listtools .seg button").forEach((b) => b.setAttribute("aria-pressed", b.dataset.value === filter));
    drawList();
    drawItem();
  });
}
/** The same cell without its perturbation. */
const baseOf = (cell) => (cell.perturb === "none" ? undefined : cellIndex.get(placeOf({ ...cell, perturb: "none" })));
const byItem = (cell) => (cell.byItem ??= new Map(cell.rows.map((x) => [itemOf(x), x]).reverse()));  // of rotations the first
/** Whether the item was right (or half of it) unperturbed and is not now, or the other way about. */
function flipped(cell, r) {
  const before = byItem(baseOf(cell)).get(itemOf(r)), value = (row) => Object.values(row?.[9] ?? {})[0];
  return Math.abs(value(r) - value(before)) >= 0.5;
}
let wait;
function onSearch(event) {
  clearTimeout(wait);
  wait = setTimeout(() => { Object.assign(state, { query: event.target.value, page: 0 }); drawList(); drawItem(); }, 150);
}
/** For choices all (of texts, accuracy is accuracy_token); else the task's own metrics, and the one chosen in the overview. */
function headline(cell, task) {
  const wanted = new Set([...task.metrics, metricOf(task)]);
  return Object.entries(cell.metrics ?? {}).filter(([m]) => (isChoice(task) ? m !== "accuracy" || !cell.metrics.accuracy_token : wanted.has(m)));
}
function metricTable(cell) {
  const all = Object.entries(cell.metrics ?? {}), binomial = all.some(([, x]) => x.wilson);
  const heads = [t("metricHead"), t("value"), t("interval"), binomial && "Wilson", "n", t("signature")].filter(Boolean);
  const numbers = (m, x) => [figure(m, x.value, 2), span(m, x.low, x.high, 2) || "–", binomial && (span(m, ...(x.wilson ?? []), 2) || "–"), num(x.n)].filter((v) => v !== false);
  return h("details", { id: "metrics" }, h("summary", null, t("allMetrics", all.length)), h("p", { class: "note" }, t("intervalNoteCell")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("allMetrics", all.length) }, h("table", { class: "metrics" },
      h("thead", null, h("tr", null, heads.map((x, i) => h("th", { scope: "col", class: i > 0 && i < heads.length - 1 && "v" }, x)))),
      h("tbody", null, all.map(([m, x]) => h("tr", null, h("th", { scope: "row" }, longName(m)), numbers(m, x).map((v) => h("td", { class: "v" }, v)),
        h("td", null, h("div", { class: "sig" }, data$("code", "", x.signature ?? "–"), copyButton(x.signature ?? "")))))))));
}
function provenance(cell) {
  const value = (v) => (v !== null && typeof v === "object" ? JSON.stringify(v) : String(v));
  return h("details", null, h("summary", null, t("made")),
    h("dl", { class: "settings" }, Object.entries(cell.facts ?? {}).map(([k, v]) => [h("dt", null, k), data$("dd", "", value(v))])));
}

/** The rows that pass the filter and the search; what is searched is put together once a cell. */
function matching(cell) {
  cell.texts ??= cell.rows.map((r) => {
    const x = data.items[r[0]];
    return [x.item, x.question, ...x.dialogue, ...x.options, ...x.references, data.strings[r[2]], r[6], r[11] ?? "", r[14] === null ? "" : data.strings[r[14]]].join("\n").toLowerCase();
  });
  const query = state.query.trim().toLowerCase();
  return cell.rows.filter((r, i) => (state.filter === "all" || (state.filter === "flipped" ? flipped(cell, r) : outcome(r) === state.filter)) && (!query || cell.texts[i].includes(query)));
}
const itemOf = (r) => data.items[r[0]].item;
const idOf = (r) => itemOf(r) + (r[16] ? `~${r[16]}` : "");  // rotations of an item are told apart
function current() {
  const wanted = route().get("item");
  return wanted === null ? undefined : open.rows.find((r) => idOf(r) === wanted);
}
function drawList() {
  const rows = matching(open), now = current();
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const turn = (by) => () => { state.page += by; drawList(); };
  const line = (r) => {
    const row = rowOf(r), kind = outcome(r);
    return h("li", null, h("button", { type: "button", class: "row", "aria-current": r === now && "true", onclick: () => step(r) },
      h("span", { class: "badge b-" + kind }, kind === "notParsed" ? t(row.status) : t(kind)), h("span", { class: "idno" }, "#" + plain(idOf(r).split("/").pop())),
      row.scores.f1 !== undefined && h("span", { class: "muted" }, ` F1 ${pct(row.scores.f1)}`),
      h("span", { class: "data snippet", lang: "zh-CN" }, visible((row.reply || row.error || (row.likelihoods ? row.text : "") || t("emptyReply")).slice(0, 80)))));
  };
  put($("rows"), h("p", { class: "muted found", role: "status" }, t("found", num(rows.length), num(open.rows.length))),
    h("ol", { class: "rows" }, rows.slice(state.page * PAGE, (state.page + 1) * PAGE).map(line)),
    pages > 1 && h("div", { class: "pager" }, button("‹", turn(-1), { "aria-label": t("prevPage"), disabled: state.page === 0 }),
      h("span", null, t("page", state.page + 1, pages)), button("›", turn(1), { "aria-label": t("nextPage"), disabled: state.page === pages - 1 })));
  $("rows").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}
const step = (r) => go({ ...cellRoute(open), item: idOf(r) }, route().has("item"));
function move(by) {
  const rows = matching(open), at = rows.indexOf(current());
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  if (next) step(next);
}
/** Turn the list to the page that holds the item on screen. */
function followItem() {
  const at = matching(open).indexOf(current());
  if (at >= 0) state.page = Math.floor(at / PAGE);
}

// ---------------------------------------------------------------- one item
function drawItem() {
  const r = current(), box = $("detail");
  $("panes").classList.toggle("has-item", route().has("item"));
  if (!r) { put(box, h("p", { class: "notice" }, route().has("item") ? t("gone") : t("pick")), h("p", { class: "muted" }, t("keys"))); return; }
  const row = rowOf(r), rows = matching(open), at = rows.indexOf(r);
  put(box, h("div", { class: "stepper" },
    button(t("toList"), () => go(cellRoute(open)), { class: "link tolist" }),
    button("‹ " + t("prev"), () => move(-1), { id: "prev", disabled: at <= 0 }), button(t("next") + " ›", () => move(1), { id: "next", disabled: at === rows.length - 1 }),
    h("span", { class: "muted", role: "status" }, at < 0 ? "" : t("position", num(at + 1), num(rows.length))), h("span", { class: "muted keys" }, t("keys"))),
  data$("h2", "itemid", row.item.item + (row.rotation ? ` · ${t("rotation", row.rotation)}` : "")),
  h("div", { class: "two" }, h("div", null, h("h3", null, t("dialogue")), chat(row.item.dialogue, taskOf(open.task).kind === "span" ? row.item.references : [])),
    h("div", null, h("h3", null, t("question")), h("p", { class: "data question", lang: "zh-CN" }, emphasised(row.item.question, [], "")), row.likelihoods ? likelihoods(row) : answers(row), replyBlock(row, outcome(r)))),
  opinions(r), h("details", null, h("summary", null, t("prompt")), h("div", { class: "promptbox" }, copyButton(row.prompt), data$("pre", "", row.prompt))),
  others(r, row));
}
function answers(row) {
  const x = row.item;
  if (!x.options.length) return [h("h3", null, t("references")), h("ul", { class: "opts" }, x.references.map((ref) => h("li", { class: "isgold" }, data$("span", "", ref), h("span", { class: "pill gold" }, "✓ " + t("gold")))))];
  return [h("h3", null, t("options")), h("ul", { class: "opts" }, x.options.map((option, i) => {
    const gold = x.labels[i] === x.gold, chosen = row.choice === i;
    return h("li", { class: (gold ? "isgold " : "") + (chosen ? "ischosen" : "") }, data$("span", "", `${x.labels[i] ?? ""} ${option}`),
      pills(gold, chosen));
  }))];
}
const pills = (gold, chosen) => [gold && h("span", { class: "pill gold" }, "✓ " + t("gold")), chosen && h("span", { class: "pill chosen" }, "● " + t("chosen"))];
/** Each option's probability among the options: the softmax of the log-probabilities; null where one is no number. */
function shares(row) {
  const logprobs = row.likelihoods.map(([logprob]) => logprob), most = Math.max(...logprobs);
  const parts = logprobs.map((x) => (isNumber(x) ? Math.exp(x - most) : NaN)), sum = parts.reduce((a, b) => a + b, 0);
  return parts.map((x) => x / sum);
}
/** The options with how likely the model found each. What it is measured by: as most_likely of scoring.py has it. */
function likelihoods(row) {
  const x = row.item, share = shares(row), ofTexts = row.finish === "texts";
  const sets = [["logprob", ([logprob]) => logprob]];
  if (ofTexts) sets.push(["perToken", ([logprob, tokens]) => logprob / tokens], ["perChar", ([logprob], option) => logprob / Math.max(1, Array.from(option).length)], ["lessPrior", ([logprob, , prior]) => logprob - (prior ?? 0)]);
  const measures = sets.map(([name, of]) => { const values = row.likelihoods.map((l, i) => of(l, x.options[i])); return { name, values, most: Math.max(...values) }; });
  const small = (name, value, top) => h("span", { class: top ? "most" : "" }, h("small", null, t(name)), ` ${isNumber(value) ? value.toFixed(2).replace("-", "−") : "–"}`, top && " ▲");
  return [h("h3", null, t("options")), h("ul", { class: "opts likely" }, x.options.map((option, i) => {
    const gold = x.labels[i] === x.gold, chosen = row.choice === i, [, tokens, prior] = row.likelihoods[i];
    const bar = h("i", null);
    bar.style.width = `${isNumber(share[i]) ? 100 * share[i] : 0}%`;
    return h("li", { class: (gold ? "isgold " : "") + (chosen ? "ischosen" : "") }, data$("span", "", `${x.labels[i] ?? ""} ${option}`), pills(gold, chosen),
      h("span", { class: "share", title: t("amongOptions") }, h("span", { class: "track", "aria-hidden": "true" }, bar), h("b", null, pct(share[i]), " %")),
      h("span", { class: "measures" }, measures.map((m) => small(m.name, m.values[i], m.values[i] === m.most)), ofTexts && [small("priorIs", prior), h("span", null, h("small", null, t("tokensAre")), ` ${num(tokens)}`)]));
  })), h("p", { class: "note" }, t("likelihoodNote", t(ofTexts ? "perToken" : "logprob")))];
}
function replyBlock(row, kind) {
  const lost = row.asked - row.shots;
  const facts = [
    [t("statusIs"), h("span", { class: "badge b-" + kind }, t(row.status) + (row.status === "parsed" ? " · " + t(kind) : ""))], row.text != null && row.status === "parsed" && [t("readAs"), data$("span", "", row.text)],
    [t("rule"), data$("code", "", row.rule || "–")], [t("scores"), Object.entries(row.scores).map(([m, v]) => `${metricName(m)} ${pct(v)}`).join(" · ") || "–"],
    [t("finish"), data$("code", "", row.finish)], [t("shotsShown"), t("shotsOf", row.shots, row.asked) + (lost > 0 ? t("shotsLost", lost) : "")],
  ].filter(Boolean);
  return [row.reasoning && h("details", { class: "reasoning" }, h("summary", null, t("reasoning")), data$("pre", "reply", row.reasoning)),
    row.likelihoods === null && h("h3", null, t("reply"), row.start !== null && h("small", null, " · ", t("replyNote"))), said(row),
    h("dl", { class: "settings" }, facts.map(([k, v]) => [h("dt", null, k), h("dd", null, v)]))];
}
/** What came back: the reply, why there is none, or that none was written. */
function said(row) {
  if (row.error !== null) return h("div", { class: "notice" }, h("strong", null, t("noReply")), " ", data$("code", "", row.error));
  if (row.likelihoods) return h("p", { class: "notice" }, t("nothingWritten"));
  return [row.status === "filtered" && h("p", { class: "notice" }, t("withheld")), (row.reply || row.status !== "filtered") && highlighted(row)];
}
/** Places count code points, as Python does, not UTF-16 units. */
function highlighted(row) {
  const chars = Array.from(row.reply), cut = (a, b) => visible(chars.slice(a, b).join(""));
  const parts = !chars.length ? [h("span", { class: "muted" }, t("emptyReply"))] : row.start === null || row.end === null ? visible(row.reply)
    : [cut(0, row.start), h("mark", { class: "read" }, cut(row.start, row.end)), cut(row.end)];
  return h("pre", { class: "data reply", lang: "zh-CN" }, parts);
}
function others(r, row) {
  // Other models asked in the same way, and the same model asked in other ways.
  const same = data.cells.filter((c) => c !== open && ["set", "task", "split", "variant", "shots"].every((k) => c[k] === open[k]) && ((c.scoring === open.scoring && c.perturb === open.perturb) || c.id === open.id));
  const cards = same.map((c) => {
    const other = c.rows.find((x) => r[16] && idOf(x) === idOf(r)) ?? byItem(c).get(itemOf(r));
    return other && otherCard(c, other, row);
  }).filter(Boolean);
  return h("section", null, h("h3", null, t("others")), cards.length ? h("div", { class: "cards" }, cards) : h("p", { class: "muted" }, t("noOthers")));
}
function otherCard(cell, r, mine) {
  const row = rowOf(r), kind = outcome(r), model = models.get(cell.id);
  return h("article", { class: "card" },
    h("header", null, h("span", null, nameNode(model), cell.scoring !== open.scoring && h("small", null, t(cell.scoring)), cell.perturb !== open.perturb && h("small", null, perturbName(cell.perturb))), h("span", { class: "badge b-" + kind }, kind === "notParsed" ? t(row.status) : t(kind))),
    row.place !== mine.place && h("p", { class: "warn" }, "≠ ", t("otherForm")),
    row.likelihoods ? data$("p", "", `${row.item.labels[row.choice]} ${row.text}${row.finish === "labels" ? ` · ${pct(shares(row)[row.choice])} %` : ""}`) : said(row),
    button(t("openIt"), () => go({ ...cellRoute(cell), item: idOf(r) }), { class: "link", "aria-label": `${t("openIt")}: ${plain(model.label)}` }));
}

// ---------------------------------------------------------------- keyboard, routes, start
function onKey(event) {
  if (!open || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
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
    open = null;
    drawOverview();
    if (asked) $("main").prepend(h("p", { class: "notice" }, t("gone")));
    if (was) { scrollTo(0, home); $("main").focus({ preventScroll: true }); }
  } else if (cell !== open) {
    if (!open) home = scrollY;
    drawCell(cell);
    followItem();
    drawList();
    (current() ? $("detail") : $("cellname")).focus({ preventScroll: true });
  } else if (all) drawCellFrame();
  else showItem();
}
function showItem() {
  if (current() && !matching(open).includes(current())) Object.assign(state, { filter: "all", query: "" });
  followItem();
  drawList();
  drawItem();
  const box = $("detail");
  if (box.getBoundingClientRect().top < 0 || matchMedia("(max-width: 60rem)").matches) $("panes").scrollIntoView();
  if (current()) box.focus({ preventScroll: true });
}
async function start() {
  if (typeof DecompressionStream === "undefined") { $("notice").textContent = WORDS.old[0]; return; }
  try { prepare(await unpack()); } catch (error) { $("notice").textContent = WORDS.broken[0] + error.message; return; }
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
