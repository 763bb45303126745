// The overview: table, export, chart, the ways of asking compared, statuses.
// ---------------------------------------------------------------- overview
/** The parts of the page, top to bottom: [id, how it is drawn]. Each is null where there is nothing to show. */
const PARTS = [["intro", () => drawIntro()], ["tables", () => drawTables()], ["ranks", () => drawRanks()], ["accuracy", () => drawChart()], ["extracted", () => drawAnalysis("extraction")], ["leveled", () => drawAnalysis("gaps")], ["scorings", () => drawScorings()],
  ["robust", () => drawRobustness()], ["slices", () => drawBreakdown()], ["confused", () => drawConfusion()], ["learn", () => drawCurves()], ["judged", () => drawJudge()], ["second", () => drawSecond()],
  ["correlated", () => drawCorrelations()], ["sheets", () => drawSheets()], ["references", () => drawReferences()], ["statuses", () => drawStatus()]];
const stale = new Map();  // parts out of sight that are to be drawn again, and where they were scrolled to

/** Draw what is in sight at once, and the rest when there is time: a change of a setting must not wait for all of it. */
function drawOverview() {
  offerMetrics();
  if (!$("part-intro")) put($("main"), PARTS.map(([id]) => [h("div", { id: "part-" + id, class: "part" }), id === "intro" && h("nav", { id: "sections", class: "sections" })]));
  delete document.documentElement.dataset.drawn;
  const boxes = PARTS.map(([id, draw]) => [id, draw, $("part-" + id)]);
  const visibleNow = ([, , box]) => { const edge = box.getBoundingClientRect(); return edge.top < innerHeight && edge.bottom >= 0; };
  // Where parts stand and are scrolled to is asked before any is drawn: after it, each answer would cost a layout. New ones stand nowhere yet.
  const seen = boxes.some(([, , box]) => box.firstChild) && boxes.map(visibleNow), scrolled = boxes.map(([, , box]) => scrolledIn(box));
  boxes.forEach((part, i) => { if (seen ? seen[i] : visibleNow(part)) drawPart(part[2], part[1], scrolled[i]); else stale.set(part[0], scrolled[i]); });
  drawSections();
  later(drawStale);
}
/** What there is below, to go to. */
function drawSections() {
  const heads = PARTS.map(([id]) => $("part-" + id).querySelector("h2")).filter(Boolean);
  const there = (head) => () => { head.closest(".part").scrollIntoView(); head.tabIndex = -1; head.focus({ preventScroll: true }); };
  $("sections").setAttribute("aria-label", t("sections"));
  put($("sections"), heads.map((head) => button(head.firstChild.textContent, there(head), { class: "link" })));
}
const later = (work) => (globalThis.requestIdleCallback ?? setTimeout)(work);
function drawStale() {
  if (open) return;
  if (!drawNext()) { drawSections(); document.documentElement.dataset.drawn = "all"; return; }
  later(drawStale);
}
function drawNext() {
  const next = PARTS.find(([id]) => stale.has(id));
  if (next) drawPart($("part-" + next[0]), next[1], stale.get(next[0]));
  return Boolean(next);
}
/** The places in a part that are scrolled: [number, left, top]. */
const scrolledIn = (box) => [...box.querySelectorAll(".scroll")].map((x, i) => [i, x.scrollLeft, x.scrollTop]).filter(([, left, top]) => left || top);
/** Draw a part anew where it stands: focus and scrolled places are kept. */
function drawPart(box, draw, scrolled) {
  stale.delete(box.id.slice("part-".length));
  const focus = box.contains(document.activeElement) && document.activeElement.closest("[data-keep]")?.dataset.keep;
  put(box, draw());
  const regions = box.querySelectorAll(".scroll");  // only those moved are moved again: each asks for a layout
  for (const [i, left, top] of scrolled) if (regions[i]) Object.assign(regions[i], { scrollLeft: left, scrollTop: top });
  if (focus) box.querySelector(`[data-keep="${CSS.escape(focus)}"]`)?.querySelector("button,select,input")?.focus();
}
const drawTables = () => h("section", { class: "block" }, h("h2", null, t("overview")),
  h("p", { class: "note" }, t("overviewNote"), state.intervals && haveIntervals() && ` ${t("intervalNote")}`), filterBar(), controls(), notes(), legend(), lettersNote(), benchmarksShown().map((b) => tablesOf(b).map(overviewTable)));
const kept = (key, node) => { node.dataset.keep = key; return node; };
function controls() {
  const several = (name, key) => {
    const all = distinct(name).filter((v) => v !== "nll");  // which is how probes are asked, and nothing else
    const order = { scoring: SCORINGS, perturb: data.perturbations.map((x) => x.name) }[name], names = order?.filter((x) => all.includes(x)) ?? all;
    return all.length > 1 && kept(key, choice(t(key), names, state[name], (v) => update({ [name]: name === "shots" ? Number(v) : v }), { scoring: t, perturb: perturbName }[name] ?? plain));
  };
  const groups = [[t("profileDefault"), textMetrics.filter((m) => !isPaper(m))], [t("profilePaper"), textMetrics.filter(isPaper)]].filter(([, list]) => list.length);
  return h("div", { class: "controls" },
    textMetrics.length > 1 && kept("metric", choice(t("metric"), groups, state.metric, (metric) => update({ metric }), longName)),
    choiceMetrics.length > 1 && kept("metric-choice", choice(t("metricChoice"), choiceMetrics, state.metricChoice, (metricChoice) => update({ metricChoice }), longName)),
    metricPickers(),
    several("variant", "variant"), several("shots", "shots"), several("scoring", "scoring"), several("perturb", "perturb"), several("split", "split"),
    haveIntervals() && kept("intervals", check(t("intervals"), state.intervals, (on) => update({ intervals: on }))), lettersControl(),
    data.published.length > 0 && kept("published", check(t("published"), state.published, (on) => update({ published: on }))),
    adapters().length > 0 && kept("adapters", check(t("showAdapters", adapters().length), state.adapters, (on) => update({ adapters: on }))),
    button(t("csv"), exportCsv, { id: "csv", class: "push" }));
}
function notes() {
  if (!data.cells.length) return h("p", { class: "notice" }, t("noCells"));
  if (!data.cells.some(inView)) return h("p", { class: "notice" }, t("noneHere"));
  const lines = [extractionNote(), state.published && data.published.length > 0 && profileNotes(), state.metricChoice === "paper.accuracy" && choiceMetrics.includes(state.metricChoice) && t("formsNote"), ...scoringNotes(), ...perturbNotes(), ...benchmarkNotes()].filter(Boolean);
  return lines.length > 0 && h("p", { class: "note", id: "profile", role: "status" }, lines.join(" "));
}
function scoringNotes() {
  if (state.scoring === "generate") return [];
  const about = WORDS["about." + state.metricChoice] && choiceMetrics.includes(state.metricChoice) ? t("about." + state.metricChoice) : "";
  return [t("about." + state.scoring), about, t("otherTasks"), state.published && data.published.length > 0 && t("onlyGenerated")];
}
/** What the shown scores of spans and texts are of: extracted answers or whole replies. */
function extractionNote() {
  const shown = tasks.filter((x) => ["span", "text"].includes(x.kind) && data.cells.some((c) => c.task === x.name && inView(c)));
  if (!shown.length) return "";
  const paper = shown.some((x) => isPaper(metricOf(x))), own = shown.some((x) => !isPaper(metricOf(x)));
  const old = (c) => Object.entries(c.metrics ?? {}).some(([m, x]) => m.startsWith("paper.") && m !== "paper.accuracy" && x.signature?.includes("|parser:"));
  const runs = paper ? [...new Set(data.cells.filter((c) => shown.some((x) => x.name === c.task) && inView(c) && old(c)).map((c) => data.runs[c.run].name))] : [];
  return [own && t("ofAnswers"), paper && t("ofReplies"), runs.length > 0 && t("oldReplies", runs.join(", "))].filter(Boolean).join(" ");
}
/** Why the papers' rows are not beside the metrics chosen; once each. */
function profileNotes() {
  const notes = tasks.filter((x) => !isChoice(x) && data.published.some((p) => p.task === x.name)).map((task) => {
    const metric = metricOf(task), name = metricName(metric), there = shared(task) ? textMetrics : ownMetrics.get(task.name);
    if (publishedAs(task, metric) || !there.includes(metric)) return "";
    const twin = there.find((m) => m !== metric && baseName(publishedAs(task, m) ?? "") === baseName(metric)), of = manyBenchmarks() ? `${benchmarkOf(task).title}${state.lang === "zh" ? "：" : ": "}` : "";
    return of + (twin ? t("notComparable", metricName(baseName(metric)), name, metricName(twin)) : t("notPublished", name));
  });
  return [...new Set(notes)].filter(Boolean).join(" ");
}
const haveIntervals = () => data.cells.some((c) => inView(c) && Object.values(c.metrics ?? {}).some((m) => isNumber(m.low) && isNumber(m.high)));

function legend() {
  const seen = STATUSES.filter((x) => data.cells.some((c) => inView(c) && counts(c)[x] > 0));
  return seen.length > 1 && h("p", { class: "legend" }, seen.map((x) => h("span", null, h("i", { class: "s-" + x, "aria-hidden": "true" }), t(x))));
}

/** Models of a group in the order asked for: by a column's value (`null` last) or by name. */
function ordered(rows, columns) {
  const { key, down } = state.sort;
  const sign = down ? -1 : 1;
  if (key === "") return [...rows].sort((a, b) => sign * a.label.localeCompare(b.label));
  const { set, task } = sortedBy(columns);
  return rows.map((row) => [row, row.value(set, task)])
    .sort(([, a], [, b]) => (a === null) - (b === null) || (a === null ? 0 : sign * (a - b))).map(([row]) => row);
}
/** The column that rows go by: that asked for, or of another benchmark's tables the first. */
function sortedBy(columns) {
  const { key } = state.sort, asked = taskOf(key.split("@")[0]);
  return columns.find((c) => c.key === key) ?? (benchmarkOf(asked) === benchmarkOf(columns[0].task) && !key.includes("@") ? { set: columns[0].set, task: asked } : columns[0]);
}
function ownRows(baseline) {
  return [...models.values()].filter((m) => m.baseline === baseline && inSight(m))
    .map((m) => {
      const metric = (set, task) => entryAt(m.id, { set, task })?.metrics?.[metricOf(task)] ?? null;
      return { label: m.label, model: m, metric, value: (set, task) => metric(set, task)?.value ?? null };
    })
    .filter((row) => data.cells.some((c) => c.id === row.model.id && inView(c)));
}
function paperRows(columns) {
  const place = (set, task) => address(set ?? "", task.name), found = new Map(columns.map((c) => [place(c.set, c.task), published(c.set, c.task.name, metricOf(c.task))]));
  const names = [...new Set([...found.values()].flatMap((c) => [...c.keys()]))];
  return names.filter(named).map((label) => ({ label, columns: found, value: (set, task) => found.get(place(set, task))?.get(label)?.value ?? null }));
}
/** Row -> "best" or "second" among the own models. Cells with failed or missing items, and unlike columns, are not ranked. */
function ranks(rows, { set, task, sets }) {
  const whole = (c) => c && counts(c).failed + counts(c).missing === 0, complete = (row) => sets.every((x) => whole(cellAt(row.model.id, x, task.name)));
  const value = (row) => (complete(row) ? row.value(set, task) : null)?.toFixed(12);
  const values = [...new Set(rows.map(value).filter(Boolean))].sort((a, b) => (isLower(metricOf(task)) ? a - b : b - a));
  const ranked = rows.filter(value).length > 1 && sets.every((x) => sameItems(columnCells(x, task)));
  return (row) => (ranked && ["best", "second"][values.indexOf(value(row))]) || "";
}
const columnCells = (set, task) => [...models.values()].filter(inSight).map((m) => cellAt(m.id, set, task.name)).filter(Boolean);
const sameItems = (cells) => new Set(cells.map((c) => `${c.facts?.data}|${c.facts?.limit}|${c.facts?.seed}|${Boolean(c.facts?.drop_leaked)}`)).size < 2
  && new Set(cells.map((c) => c.perturb)).size === new Set(cells.map((c) => `${c.perturb}|${c.facts?.perturb_version}`)).size;

function overviewTable({ id, b, title, columns }) {
  if (!columns.length) return null;
  const here = (row) => !manyBenchmarks() || columns.some((c) => entryAt(row.model.id, c));
  const own = ordered(ownRows(false).filter(here), columns), base = ordered(ownRows(true).filter(here), columns);
  const paper = state.published ? ordered(paperRows(columns), columns) : [];
  const average = paper.filter((r) => r.label === "Average"), sets = columns.map((c) => c.set).filter((x) => x !== null);
  const place = new Map(columns.map((c) => [c, ranks(own, { ...c, sets: c.set === null ? sets : [c.set] })]));
  const body = (rows, heading, row, cls) => rows.length > 0 && h("tbody", { class: cls }, heading, rows.map(row));
  const heading = (text) => h("tr", { class: "group" }, h("th", { scope: "rowgroup" }, text), columns.map(() => h("td")));
  const modelRow = (ranked) => (row) => h("tr", null, h("th", { scope: "row" }, nameNode(row.model)), columns.map((c) => {
    const rank = ranked ? place.get(c)(row) : "", entry = entryAt(row.model.id, c);
    return c.set === null ? meanCell(entry, c.task, rank) : valueCell(entry, c.task, rank, ranked);
  }));
  const figureCell = (text, task) => h("td", { class: "v" }, h("span", { class: "num" }, text), spanNode(metricOf(task), null));
  const paperRow = (row) => h("tr", null, h("th", { scope: "row" }, row.label === "Average" ? t("average") : data$("span", "name", row.label)),
    columns.map((c) => figureCell(figure(metricOf(c.task), row.value(c.set, c.task)), c.task)));
  const chances = columns.map((c) => (c.set === null ? mean(sets.map((x) => chanceOf(x, c.task))) : chanceOf(c.set, c.task)));
  return framed(h("table", { class: "overview" + (state.letters && haveGroups() ? " lettered" : "") + (state.intervals && haveIntervals() ? "" : " narrow"), "data-set": id }, h("thead", null, h("tr", null, sortHead("", t("model")), columns.map((c) => columnHead(c, id)))),
      (b.name === FIRST || chances.some(isNumber)) && h("tbody", { class: "chance" }, h("tr", null, h("th", { scope: "row" }, t("chance")), columns.map((c, i) => figureCell(pct(chances[i]), c.task)))),
      body(own, heading(t("own")), modelRow(true), "own"), body(base, heading(t("baselines")), modelRow(false), "base"),
      body(paper.filter((r) => r.label !== "Average").concat(average), paperHead(paper[0], columns), paperRow, "paper")),
    { id, title: manyBenchmarks() ? title : `${b.title} ${title}`, heading: h("h3", { id: "set-" + id }, title) });
}
function paperHead(row, columns) {
  const source = (c) => [...new Set([...(row?.columns.get(address(c.set ?? "", c.task.name))?.values() ?? [])].flatMap((e) => e.sources))];
  const words = (all) => (all.length ? sourceWords(all) : "–");
  return h("tr", { class: "group" }, h("th", { scope: "rowgroup" }, t("paper"), h("small", null, t("paperNote"))),
    columns.map((c) => h("td", { class: "v" }, words(source(c)))));
}
/** "Tables 2, 3" in the page's language; what is in no table, by its section. */
function sourceWords(all) {
  const [inTables, others] = [all.filter((x) => x.startsWith("Table ")), all.filter((x) => !x.startsWith("Table "))], and = state.lang === "zh" ? "、" : ", ";
  return [inTables.length > 0 && t("table", inTables.map((x) => x.replace(/^Table /, "")).join(and)), ...others.map((x) => t("section", x.replace(/^Section /, "")))].filter(Boolean).join(and);
}
function sortHead(key, label, extra) {
  const on = state.sort.key === key;
  const flip = () => update({ sort: { key, down: on ? !state.sort.down : key !== "" } });
  return h("th", { scope: "col", "aria-sort": on ? (state.sort.down ? "descending" : "ascending") : "none" },
    h("button", { type: "button", class: "sort", onclick: flip, "data-sort": key }, h("span", null, label),
      h("span", { class: "arrow", "aria-hidden": "true" }, on ? (state.sort.down ? "▾" : "▴") : "")), extra);
}
function columnHead({ key, task, set, label }, table) {
  const cells = set === null ? [] : columnCells(set, task);
  const ns = cells.map((c) => c.items / (c.facts?.samples ?? 1));  // items, each asked several times or once
  const [low, high] = [Math.min(...ns), Math.max(...ns)];
  const n = cells.length > 0 && `n=${low === high ? num(low) : `${num(low)}–${num(high)}`}`;
  const parts = (metricName(metricOf(task)) + (n ? ", " + n : "")).split(/\s*(?=[（(])|(?<=,)\s/);  // where the line may break
  return kept(`sort-${table}-${key}`, sortHead(key, label, [h("small", null, parts.map((x) => [h("span", { class: "together" }, x), " "]),
    !sameItems(cells) && h("span", { class: "warn", title: t("differ") }, "≠", unseen(t("differ")))),
  [...new Map(cells.map((c) => [leakNote(c), leaky(c)]))].map(([text, bad]) => text && h("small", { class: "leak" + (bad ? " warn" : "") }, text))]));
}
const leaky = (cell) => cell.facts?.leaked > 0 && !cell.facts.drop_leaked;
/** How many of the items asked for share their dialogue with the training split. Earlier versions counted the whole file under a limit. */
function leakNote(cell) {
  const leaked = cell.facts?.leaked, asked = cell.items + (cell.facts?.drop_leaked ? leaked : 0);
  if (!(leaked > 0)) return "";
  const file = Object.values(data.runs[cell.run]?.manifest?.data ?? {}).find((f) => f?.sha256 === cell.facts.data);
  const whole = leaked > asked || cell.facts.limit == null, all = whole ? file?.items ?? asked : asked;
  return t(!leaky(cell) ? "leakedDropped" : leaked > asked ? "leakedLimit" : "leaked", num(leaked), num(all));
}
function chanceOf(set, task) {
  const cell = columnCells(set, task).find((c) => typeof c.chance === "number");
  return cell && /^(?!set_).*accuracy/.test(metricOf(task)) ? cell.chance : null;  // of macro F1 guessing has none
}
function valueCell(cell, task, rank, own) {
  if (!cell) return h("td", { class: "v" }, h("span", { class: "num none" }, "–"));
  const n = counts(cell), metric = metricOf(task), m = cell.metrics?.[metric], text = figure(metric, valueOf(cell, metric));
  const between = span(metric, m?.low, m?.high, 1), group = own && lettersOf(cell, task);
  const label = `${plain(models.get(cell.id).label)}, ${taskName(task)}, ${setLabel(cell.set)}: ${text}${between && `, ${t("interval")} ${between}`}`;
  return h("td", { class: "v" },
    h("button", { type: "button", class: "cell " + rank, onclick: () => go(cellRoute(cell)), "aria-label": label + (rank ? ", " + t(rank) : "") + (group ? `, ${t("groupIs", group)}` : ""),
      title: `${metricName(metric)} ${text} · ${between && `${t("interval")} ${between} · `}${isNumber(m?.spread) ? `${t("sampleSpread")} ${spreadOf(metric, m, 1)} · ` : ""}n=${m?.n ?? 0}` }, h("span", { class: "num" }, text)), own && lettersNode(cell, task), spanNode(metric, m),
    n.none > 0 && h("span", { class: "flag" }, statusBar(cell), `${num(n.none)} ${t("noAnswer")}`),
    n.failed > 0 && h("span", { class: "flag bad" }, `! ${num(n.failed)} ${t("failedN")}`),
    n.missing > 0 && h("span", { class: "flag bad" }, `! ${num(n.missing)} ${t("missingN")}`),
    cell.not_finite && h("span", { class: "flag bad" }, `! ${t("notFinite", cell.not_finite)}`));
}
/** The interval beside a value; an empty one in rows without, so that values stand in line. */
function spanNode(metric, m) {
  return state.intervals && haveIntervals() && h("span", { class: "ci" }, span(metric, m?.low, m?.high) + (isNumber(m?.spread) ? ` ±${spreadOf(metric, m, 1)}` : ""));
}
/** A stacked bar of the statuses; the numbers stand beside it or in its title. */
function statusBar(cell) {
  const n = counts(cell);
  const parts = STATUSES.filter((x) => n[x] > 0);
  return h("span", { class: "stack", role: "img", "aria-label": parts.map((x) => `${t(x)} ${n[x]}`).join(", "), title: parts.map((x) => `${t(x)} ${n[x]}`).join(" · ") },
    parts.map((x) => { const part = h("i", { class: "s-" + x }); part.style.flexGrow = n[x]; return part; }));
}

function exportCsv() {
  const head = ["group", "model", "run", "set", "task", "split", "prompt", "shots", "scoring", "perturb", "metric", "value", "low", "high", "wilson_low", "wilson_high", "n", "items", "leaked", "drop_leaked", "chance", "accuracy_of_parsed", ...STATUSES, "source", "signature"];
  const lines = [head];
  for (const { set, task } of benchmarksShown().flatMap(tablesOf).flatMap((x) => x.columns)) {
    const metric = metricOf(task);
    for (const row of [...ownRows(false), ...ownRows(true)]) {
      const c = entryAt(row.model.id, { set, task });
      if (!c) continue;
      const n = set === null ? {} : counts(c), m = c.metrics?.[metric] ?? {};
      lines.push([row.model.baseline ? "baseline" : "model", c.model, data.runs[row.model.run]?.name, set ?? "mean", task.name, c.split, c.variant, c.shots, c.scoring, c.perturb, metric,
        m.value, m.low, m.high, ...(m.wilson ?? ["", ""]), m.n, c.items, c.facts?.leaked, c.facts?.drop_leaked, c.chance, c.accuracy_of_parsed, ...STATUSES.map((x) => n[x]), "", m.signature]);
    }
    if (state.published) for (const [model, p] of published(set, task.name, metric)) {
      lines.push(["published", model, "", set ?? "mean", task.name, "", "", state.shots, scoringOf(task), perturbOf(task), publishedAs(task, metric), p.value, ...Array(10).fill(""), ...STATUSES.map(() => ""), p.sources.join("; "), ""]);
    }
  }
  saveCsv(`${fileStem()}-leaderboard.csv`, lines);
}

// ---------------------------------------------------------------- chart
function drawChart() {
  if (!data.cells.some(inView)) return null;
  const columns = benchmarksShown().flatMap((b) => tablesOf(b).at(-1)?.columns ?? []);  // of a benchmark's sets the last
  if (!columns.length) return null;
  const rows = [...ordered(ownRows(false), columns), ...ordered(ownRows(true), columns)];
  return h("section", { class: "block" }, h("div", { class: "titled" }, h("h2", null, t("chart")), savers("charts", t("chart"))), h("p", { class: "note" }, t(alone() ? "chartNote" : "chartNoteSets"), state.intervals && haveIntervals() && ` ${t("whiskerNote")}`),
    h("div", { class: "panels", id: "charts" }, tasks.map((x) => panel(x, rows))));
}
const ROW = 24;
const place = (share) => `${(2 + 96 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;
/** Where the axis of a panel begins and ends: 0 to 1, or for a metric that is no share, round numbers around all that is drawn. */
function axisEnds(metric, rows, task, sets, paper) {
  if (!isRaw(metric)) return [0, 1];
  const drawn = rows.flatMap((r) => sets.flatMap((x) => { const m = r.metric(x, task); return [m?.value, ...(state.intervals ? [m?.low, m?.high] : [])]; }));
  const found = [0, ...drawn.filter(isNumber), ...paper.flatMap(([, list]) => list.map(([, e]) => e.value))], round = (most) => [0.5, 1, 2, 4, 6, 8].find((x) => x >= most) ?? 10;
  return [Math.min(...found) < 0 ? -round(-Math.min(...found)) : 0, round(Math.max(...found))];
}
function panel(task, every) {
  const sets = setsOf(task), metric = metricOf(task), rows = every.filter((r) => !manyBenchmarks() || sets.some((x) => r.metric(x, task)));
  const chance = sets.map((x) => chanceOf(x, task)).filter((v) => v !== null);
  const paper = state.published ? sets.map((x) => [x, [...published(x, task.name, metric)].filter(([m]) => m !== "Average")]) : [];
  const [low, end] = axisEnds(metric, rows, task, sets, paper), across = (v) => place((v - low) / (end - low));
  const inPaper = new Set(paper.flatMap(([, list]) => list.map(([m]) => m))).size;
  const height = (rows.length + (inPaper > 0)) * ROW;
  const words = rows.map((r) => `${plain(r.label)} ${sets.map((x) => `${setLabel(x)} ${figure(metric, r.value(x, task))}`).join(", ")}`).join("; ");
  const plot = s("svg", { class: "plot", width: "100%", height: height + 20, role: "img", "aria-label": `${taskName(task)}: ${words}` },
    [0, 0.25, 0.5, 0.75, 1].map((v) => s("line", { class: "grid", x1: place(v), x2: place(v), y1: 0, y2: height })),
    [0, 0.5, 1].map((v, i) => s("text", { x: place(v), y: height + 15, "text-anchor": ["start", "middle", "end"][i] }, isRaw(metric) ? String(low + v * (end - low)) : pct(v, 0))),
    [...new Set(chance.map(across))].map((x) => s("line", { class: "chance", x1: x, x2: x, y1: 0, y2: height })),
    rows.map((r, i) => dots(r, task, sets, i * ROW + ROW / 2, across)),
    paper.map(([set, list]) => list.map(([m, e]) => s("rect", { class: "tick " + setClass(set, task), x: across(e.value), y: rows.length * ROW + 4 + 8 * Math.min(1, sets.indexOf(set)), width: 2, height: 7 },
      s("title", null, `${m}, ${setLabel(set)} ${figure(metric, e.value)} (${e.sources.join(", ")})`)))));
  return h("figure", { class: "panel" },
    h("figcaption", null, h("strong", null, taskName(task)), h("small", null, metricName(metric), scoringOf(task) !== "generate" && ` · ${t(scoringOf(task))}`, perturbOf(task) !== "none" && ` · ${perturbName(state.perturb)}`, chance.length > 0 && ` · ${t("chanceIs", pct(chance.at(-1)))}`)),
    h("div", { class: "plotrow" }, h("div", { class: "names" }, rows.map((r) => h("div", { class: r.model.baseline ? "muted" : "" }, nameNode(r.model))),
      inPaper > 0 && h("div", { class: "muted" }, t("paperRow", inPaper))), plot));
}
/** A dot a set, joined by a line; with intervals each set has its own height, and whiskers in place of the line. */
function dots(row, task, sets, y, across) {
  const metric = metricOf(task), whiskers = state.intervals && haveIntervals();
  const points = sets.map((set, i) => ({ set, m: row.metric(set, task), y: whiskers ? y + (i - (sets.length - 1) / 2) * Math.min(9, 18 / (sets.length - 1)) : y })).filter((p) => isNumber(p.m?.value));
  const line = (cls, x1, x2, y1, y2) => s("line", { class: cls, x1: across(x1), x2: across(x2), y1, y2 });
  const whisker = (p) => span(metric, p.m.low, p.m.high) && s("g", { class: "whisker" },
    line("", p.m.low, p.m.high, p.y, p.y), [p.m.low, p.m.high].map((v) => line("", v, v, p.y - 2.5, p.y + 2.5)));
  const words = (p) => `${plain(row.label)}, ${setLabel(p.set)} ${figure(metric, p.m.value)} ${span(metric, p.m.low, p.m.high, 1).replace(/.+/, "($&)")}`.trim();
  return s("g", { class: row.model.baseline ? "base" : "own" },
    whiskers ? points.map(whisker) : points.length > 1 && line("link", points[0].m.value, points.at(-1).m.value, y, y),
    points.map((p) => s("circle", { class: "dot " + setClass(p.set, task), cx: across(p.m.value), cy: p.y, r: whiskers ? 3.5 : setClass(p.set, task) === "set0" ? 5 : 4.5 }, s("title", null, words(p)))));
}

// ---------------------------------------------------------------- the ways of asking compared
// Its columns: [scoring, metric, heading]. What texts are compared by makes columns of their own.
const WAYS = [["generate", "accuracy", "generate"], ["constrained", "accuracy", "constrained"], ["labels", "accuracy", "labels"], ["texts", "accuracy_token", "perToken"],
  ["texts", "accuracy_sum", "perSum"], ["texts", "accuracy_char", "perChar"], ["texts", "accuracy_prior", "lessPrior"]];

/** Accuracy by way of asking, a row a model, for one choice task or their mean: format failure apart from ignorance. */
function drawScorings() {
  const cells = data.cells.filter((c) => inPlace(c) && isChoice(taskOf(c.task)) && c.perturb === perturbOf(taskOf(c.task)));
  const there = new Set(cells.map((c) => c.scoring));
  if (there.size < 2 && !there.has("texts")) return null;
  const sets = setNames(), set = sets.includes(state.waySet) ? state.waySet : sets.at(-1);
  const all = tasks.filter((x) => cells.some((c) => c.task === x.name && c.set === set));
  const chosen = all.some((x) => x.name === state.wayTask) ? [taskOf(state.wayTask)] : all;
  const ways = WAYS.filter(([way]) => there.has(way)), texts = ways.filter(([way]) => way === "texts").length;
  const rows = [...models.values()].filter((m) => inSight(m) && cells.some((c) => c.id === m.id && c.set === set && (c.scoring !== "generate" || !m.baseline)));
  const chances = chosen.map((x) => cells.find((c) => c.set === set && c.task === x.name && isNumber(c.chance))?.chance);
  const head = (text, props, extra) => h("th", { scope: "col", ...props }, text, extra);
  return h("section", { class: "block" }, h("h2", { id: "byscoring" }, t("byScoring")), h("p", { class: "note" }, t("byScoringNote"), chosen.length > 1 && ` ${t("meanNote")}`),
    h("div", { class: "controls" },
      kept("way-task", choice(t("task"), ["", ...all.map((x) => x.name)], chosen.length > 1 ? "" : chosen[0]?.name, (wayTask) => update({ wayTask }), (v) => (v ? taskName(taskOf(v)) : t("meanOf", all.length)))),
      kept("way-set", choice(t("set"), sets, set, (waySet) => update({ waySet }), setTitle))),
    framed(h("table", { class: "scorings" },
      h("thead", null,
        h("tr", null, head(t("model"), { rowspan: 2 }), ways.map(([way, , label]) => way !== "texts" && [head(t(label), { rowspan: 2 }), way === "generate" && head(t("noAnswer"), { rowspan: 2 })]),
          texts > 0 && head(t("texts"), { colspan: texts, scope: "colgroup" })),
        texts > 0 && h("tr", null, ways.map(([way, , label]) => way === "texts" && head(t(label))))),
      h("tbody", { class: "chance" }, h("tr", null, h("th", { scope: "row" }, t("chance")), ways.map(([way]) => [h("td", { class: "v" }, pct(mean(chances))), way === "generate" && h("td")]))),
      h("tbody", null, rows.map((m) => scoringRow(m, ways, set, chosen)))),
    { id: "by-scoring", title: `${t("byScoring")} · ${setLabel(set)} · ${chosen.length > 1 ? t("meanOf", chosen.length) : chosen.map(taskName)}`, where: t("byScoring") }));
}
/** The mean; null unless all are numbers. */
const mean = (values) => (values.length && values.every(isNumber) ? values.reduce((a, b) => a + b, 0) / values.length : null);
function scoringRow(model, ways, set, chosen) {
  const cellsOf = (way) => chosen.map((x) => cellAt(model.id, set, x.name, way));
  const unlike = chosen.some((_, i) => !sameItems(ways.map(([way]) => cellsOf(way)[i]).filter(Boolean)));
  return h("tr", null, h("th", { scope: "row" }, nameNode(model), unlike && h("small", { class: "warn" }, t("differWays"))), ways.map(([way, metric, label]) => {
    const cells = cellsOf(way), found = cells.map((c) => c?.metrics?.[metric]), value = mean(found.map((m) => m?.value));
    const text = pct(value), only = cells.length === 1 && cells[0];
    const words = `${plain(model.label)}, ${way === "texts" ? t("texts") + ", " : ""}${t(label)}: ${text}`;
    const node = only ? button(h("span", { class: "num" }, text), () => go(cellRoute(only)), { class: "cell", "aria-label": words }) : h("span", { class: "num" + (value === null ? " none" : "") }, text);
    const amiss = way !== "generate" && cells.some((c) => c && counts(c).none > 0);
    return [h("td", { class: "v", "data-way": label }, node, only && spanNode(metric, found[0]), amiss && h("span", { class: "flag" }, silentShare(cells), " ", t("noAnswer")), lostFlag(cells)),
      way === "generate" && h("td", { class: "v", "data-way": "silent" }, silentShare(cells), only && counts(only).none > 0 && statusBar(only))];
  }));
}
/** The share of replies without an answer, of all that came. */
function silentShare(cells) {
  const share = (n) => (n.none + n.parsed ? n.none / (n.none + n.parsed) : null), value = mean(cells.map((c) => (c ? share(counts(c)) : null)));
  return value === null ? "–" : pct(value) + " %";
}
function lostFlag(cells) {
  const lost = cells.filter(Boolean).map(counts).reduce((sum, n) => sum + n.failed + n.missing, 0);
  return lost > 0 && h("span", { class: "flag bad" }, `! ${num(lost)} ${t("failedN")} / ${t("missingN")}`);
}

// ---------------------------------------------------------------- status table
function drawStatus() {
  const rows = [...ownRows(false), ...ownRows(true)];
  const amiss = (c) => { const n = counts(c); return n.none + n.failed + n.missing > 0; };
  const sets = setNames().filter((x) => !state.statusSet || x === state.statusSet);
  const bodies = rows.filter((r) => !state.statusModel || r.model.id === state.statusModel).map((row) => {
    const cells = tasks.flatMap((x) => sets.map((set) => cellAt(row.model.id, set, x.name))).filter((c) => c && (!state.issues || amiss(c)));
    return cells.length > 0 && h("tbody", null, h("tr", { class: "group" }, h("th", { scope: "rowgroup" }, nameNode(row.model)), h("td", { colspan: STATUSES.length + 5 })), cells.map(statusRow));
  }).filter(Boolean);
  if (!rows.length) return null;
  const heads = [t("task"), t("set"), t("ofAll"), t("ofParsed"), t("items"), ...STATUSES.map((x) => t(x)), t("share")];
  return h("section", { class: "block" }, h("h2", { id: "status" }, t("status")), h("p", { class: "note" }, t("statusNote")),
    h("div", { class: "controls" },
      kept("st-model", choice(t("model"), ["", ...rows.map((r) => r.model.id)], state.statusModel, (v) => update({ statusModel: v }), (v) => (v ? plain(models.get(v).label) : t("allModels")))),
      kept("st-set", choice(t("set"), ["", ...setNames()], state.statusSet, (v) => update({ statusSet: v }), (v) => (v ? setTitle(v) : t(allSets().length > 2 ? "all" : "allSets")))),
      kept("st-amiss", check(t("onlyIssues"), state.issues, (on) => update({ issues: on })))),
    bodies.length ? framed(h("table", { class: "status" }, h("thead", null, h("tr", null, heads.map((x) => h("th", { scope: "col" }, x)))), bodies), { id: "status-table", title: t("status"), tall: true }) : h("p", { class: "notice" }, t("noRows")));
}
function statusRow(cell) {
  const n = counts(cell), task = taskOf(cell.task);
  const number = (v, cls) => h("td", { class: "v " + (v ? cls : "zero") }, num(v));
  return h("tr", null, h("th", { scope: "row" }, button(taskName(task), () => go(cellRoute(cell)), { class: "link" })), h("td", null, setLabel(cell.set)),
    h("td", { class: "v" }, h("small", null, metricName(metricOf(task)), " "), figure(metricOf(task), valueOf(cell, metricOf(task)))),
    h("td", { class: "v" }, pct(cell.accuracy_of_parsed)), number(cell.items, ""),
    STATUSES.map((x) => number(n[x], x === "parsed" ? "" : "k-" + x)), h("td", null, statusBar(cell)));
}
