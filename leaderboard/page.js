// The leaderboard page. report.py joins the scripts that it names, in its order, inside one strict function.
// Here: DOM helpers, text made visible, data, state and address, header.
// What comes from the data reaches the page as text nodes only: nothing here writes HTML.
// ---------------------------------------------------------------- DOM helpers
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

const SPOKEN = /^(aria-label|title|placeholder|label)$/;
/** Give a node its attributes (`on…`: a listener) and children; strings become text nodes. What is read by people, of
 *  nodes and attributes, has its hidden characters made visible here, wherever it is from. */
function fill(node, props, kids) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || (value === false && name !== "aria-pressed")) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true && name !== "aria-pressed" ? "" : SPOKEN.test(name) ? plain(value) : String(value));
  }
  const texts = node.namespaceURI === SVG || node.localName === "option" ? plain : visible;
  node.append(...kids.flat(3).filter((k) => k !== null && k !== undefined && k !== false).map((k) => (typeof k === "string" && HIDDEN.test(k) ? texts(k) : k)).flat());
  return node;
}
const h = (tag, props, ...kids) => fill(document.createElement(tag), props, kids);
const s = (tag, props, ...kids) => fill(document.createElementNS(SVG, tag), props, kids);
const put = (node, ...kids) => { node.replaceChildren(); return fill(node, null, kids); };
const button = (label, onclick, props) => h("button", { type: "button", onclick, ...props }, label);
const unseen = (text) => h("span", { class: "sr" }, text);

/** A labelled select. values: the values, or groups of them as [heading, values]. */
function choice(label, values, value, onpick, name = (v) => v) {
  const option = (v) => h("option", { value: v, selected: String(v) === String(value) }, name(v));
  const options = values.map((v) => (Array.isArray(v) ? h("optgroup", { label: v[0] }, v[1].map(option)) : option(v)));
  return h("label", { class: "field" }, h("span", null, label), h("select", { onchange: (e) => onpick(e.target.value) }, options));
}
function check(label, on, onpick) {
  return h("label", { class: "check" }, h("input", { type: "checkbox", checked: on, onchange: (e) => onpick(e.target.checked) }), label);
}
/** Buttons of which one is pressed; values: [value, label]. */
function segmented(label, values, value, onpick) {
  return h("div", { class: "seg", role: "group", "aria-label": label },
    values.map(([v, text]) => button(text, () => onpick(v), { "aria-pressed": v === value, "data-value": v })));
}
/** Copies `text`, or what it makes when called. */
function copyButton(text, label, name = t("copy")) {
  return button(name, async (e) => {
    const node = e.currentTarget;
    const made = typeof text === "function" ? text() : text;
    try { await navigator.clipboard.writeText(made); } catch { copyBySelection(made); }
    node.textContent = t("copied");
    setTimeout(() => { node.textContent = name; }, 1500);
  }, { class: "small", "aria-label": label });
}
function copyBySelection(text) {  // where the clipboard API is not allowed, as on some file:// pages
  const area = h("textarea", { class: "sr" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** Say why the page cannot be drawn. */
const refuse = (why) => fill(put($("notice"), why), { role: "alert" });

/** What scrolls can be reached by keyboard, in every browser: long texts, where they are cut off. */
function reachable(box) {
  for (const x of box.querySelectorAll("pre, .reply, .notice")) if (x.scrollHeight > x.clientHeight + 1 && x.clientHeight) x.tabIndex = 0;
}
addEventListener("toggle", (e) => setTimeout(reachable, 0, e.target), true);  // what was folded has no height until now

// ---------------------------------------------------------------- text made visible
// Control, format (bidi, zero width) and lone surrogate characters would reorder the page or hide, and XML has no
// noncharacters: they are shown as marks.
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\u2028\u2029]/u;
const mark = (char) => "U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
/** For attributes and SVG, where only a string can stand. */
const plain = (text) => (HIDDEN.test(text) ? Array.from(String(text), (c) => (HIDDEN.test(c) ? mark(c) : c)).join("") : String(text));
/** Nodes for `text`, marks set apart from the words. */
function visible(text) {
  if (!HIDDEN.test(text)) return text === "" ? [] : [String(text)];
  const nodes = [];
  let words = "";
  for (const char of String(text)) {
    if (!HIDDEN.test(char)) { words += char; continue; }
    if (words) nodes.push(words);
    words = "";
    nodes.push(h("span", { class: "ctl" }, mark(char)));
  }
  if (words) nodes.push(words);
  return nodes;
}
const MOST = 50000, SHOWN = 5000;  // characters of a text drawn at once; and of one that has more
/** What `draw` makes of a text; of one that would halt the browser its beginning, and a button for the rest. */
function held(text, draw) {
  if (text.length <= MOST) return draw(text);
  const at = text.codePointAt(SHOWN - 1) > 0xffff ? SHOWN + 1 : SHOWN;
  const gap = h("span", { class: "gap" }, t("leftOut", num(text.length - at)), " ", button(t("showAll", num(text.length)), () => gap.replaceWith(...[draw(text.slice(at))].flat(3)), { class: "small" }));
  return [draw(text.slice(0, at)), gap];
}
/** The language of a text, for fonts and for who has it read out. */
const langOf = (text) => (/\p{Script=Han}/u.test(text) || !/[a-z]{2}/i.test(text) ? "zh-CN" : "en");
/** How the page is called; benchmarks.js knows better, which the audit's page has not. */
const about = { title: () => t("title"), foot: () => t("foot"), before: () => "" };
const data$ = (tag, cls, text) => h(tag, { class: ("data " + (cls || "")).trim(), lang: langOf(text) }, held(String(text), visible));
const nameNode = (model) => h("span", { class: "data name", title: plain(model.label) }, visible(model.label));
/** `text` with every `[MASK]` and every one of `spans` (of class `cls`) set apart. */
const emphasised = (text, spans, cls) => held(text, (part) => setApart(part, spans, cls));
function setApart(text, spans, cls) {
  const wanted = ["[MASK]", ...spans].filter(Boolean);
  const nodes = [];
  for (let rest = text; rest;) {
    const places = wanted.map((w) => [rest.indexOf(w), w]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0]);
    if (!places.length) { nodes.push(visible(rest)); break; }
    const [at, found] = places[0];
    nodes.push(visible(rest.slice(0, at)), h("mark", { class: found === "[MASK]" ? "mask" : cls }, visible(found)));
    rest = rest.slice(at + found.length);
  }
  return nodes;
}

/** A dialogue as bubbles, what the first speaker says on the left; `spans` are set apart as gold. */
function chat(turns, spans = []) {
  const first = /^\s*([^:：\s]{1,12})[:：]/.exec(turns[0] ?? "")?.[1];
  return h("ol", { class: "chat" }, turns.map((turn) => {
    const [, who, said] = /^\s*([^:：\s]{1,12})[:：]\s?([^]*)$/.exec(turn) ?? [null, "", turn];
    return h("li", { class: who === (first ?? "") ? "left" : "right" }, h("span", { class: "who" }, visible(who)),
      h("span", { class: "data bubble", lang: langOf(said) }, emphasised(said, spans, "goldspan")));
  }));
}

// ---------------------------------------------------------------- data
let metricRows = new Map();  // name -> what report.py packed of a metric, in the order of the choice
let data, models, everyTask, tasks, cellIndex, heldTasks;  // tasks: those chosen of every; held: asked constrained
let choiceMetrics = [], textMetrics = [];  // the names of metrics that cells in view have, by kind of task

/** What report.py packed: JSON, gzip'd, in base64. */
async function unpack(text) {
  const packed = atob(text.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const raw = new Uint8Array(await new Response(stream).arrayBuffer());
  for (let i = 0; i + 2 < raw.length; i++) {  // a lone surrogate becomes one U+FFFD, not three: places in replies stay right
    if (raw[i] === 0xed && raw[i + 1] >= 0xa0) raw.set([0xef, 0xbf, 0xbd], i);
  }
  return JSON.parse(new TextDecoder().decode(raw));
}

function prepare(content) {
  data = content;
  metricRows = new Map(data.metrics.map((m) => [m.name, m]));
  const used = new Set(data.cells.map((c) => c.task));
  everyTask = tasks = data.tasks.filter((x) => (used.size ? used.has(x.name) : x.benchmark === data.benchmarks[0].name));
  models = new Map();
  for (const [number, cell] of data.cells.entries()) {
    cell.number = number;
    cell.id = `${cell.run}\t${cell.model}`;
    cell.scoring ??= "generate";  // runs of before there were others
    cell.perturb ??= "none";
    if (!models.has(cell.id)) models.set(cell.id, { id: cell.id, run: cell.run, name: cell.model, baseline: isBaseline(cell), adapter: Boolean(cell.facts?.trained), tags: cell.facts?.tags ?? [], parameters: cell.facts?.parameters });
  }
  models = new Map([...models].sort(([, a], [, b]) => a.run - b.run || NAMES.compare(a.name, b.name)));  // -25 before -100
  labelModels();
  cellIndex = new Map(data.cells.map((c) => [placeOf(c), c]));
  heldTasks = new Set(data.cells.filter((c) => c.scoring === "constrained").map((c) => c.task));
  prepareBenchmarks();
}
const NAMES = new Intl.Collator("en", { numeric: true });
const adapters = () => [...models.values()].filter((m) => m.adapter);
/** A sweep's adapters have their own section; elsewhere they are shown when asked for. */
const inSight = (model) => (state.adapters || !model.adapter) && admitted(model);
const isBaseline = (cell) => cell.facts?.backend === "baseline" || Boolean(cell.facts?.tags?.includes("baseline"));
const address = (...parts) => parts.join("\t");
const placeOf = (c) => address(c.id, c.set, c.task, c.split, c.variant, c.shots, c.scoring, c.perturb);
const isChoice = (task) => task.kind === "choice";
/** Only choices are asked in several ways; texts may be held to a pattern, too, and probes are likelihoods. */
const scoringOf = (task) => (task.kind === "probe" ? "nll" : isChoice(task) || (state.scoring === "constrained" && heldTasks.has(task.name)) ? state.scoring : "generate");
const perturbation = (name) => data.perturbations.find((x) => x.name === name) ?? { name, zh: name, en: name, kinds: [], languages: [] };
/** A task that the chosen perturbation makes no sense for stays as it is. */
function perturbOf(task) {
  const { kinds, languages } = perturbation(state.perturb);
  return kinds.includes(task.kind) && languages.includes(benchmarkOf(task).language) ? state.perturb : "none";
}

/** A name that would fill pages, its middle left out. So it stands in addresses, too, which browsers cut off. */
const brief = (name) => (name.length <= 200 ? name : `${[...name.slice(0, 120)].slice(0, -1).join("")}…${[...name.slice(-60)].slice(1).join("")}`);
function labelModels() {
  const all = [...models.values()];
  for (const model of all) {
    const name = data.runs[model.run]?.name ?? String(model.run + 1);
    const sameRun = data.runs.filter((r) => r.name === name).length > 1;
    const several = all.filter((m) => m.name === model.name).length > 1;
    model.label = several ? `${brief(model.name)} (${name}${sameRun ? " #" + (model.run + 1) : ""})` : brief(model.name);
  }
}
const values = new Map();  // of what cells are told apart by: they do not change
const distinct = (name) => values.get(name) ?? values.set(name, [...new Set(data.cells.map((c) => c[name]))].sort((a, b) => (a > b ? 1 : a < b ? -1 : 0))).get(name);
const taskOf = (name) => data.tasks.find((x) => x.name === name) ?? { name, zh: name, en: name, kind: "text", metrics: [] };
const cellAt = (id, set, task, scoring = scoringOf(taskOf(task)), perturb = perturbOf(taskOf(task))) => cellIndex.get(address(id, set, task, state.split, state.variant, state.shots, scoring, perturb));
const ownName = (task) => (state.lang === "zh" ? task.zh : task.en), taskName = (task) => about.before(task) + ownName(task);
const valueOf = (cell, metric) => cell?.metrics?.[metric]?.value ?? null;
const inPlace = (cell) => cell.split === state.split && cell.variant === state.variant && cell.shots === state.shots && onPage(cell);
const inView = (cell) => inPlace(cell) && cell.scoring === scoringOf(taskOf(cell.task)) && cell.perturb === perturbOf(taskOf(cell.task));

function counts(cell) {
  if (cell.counted) return cell.counted;
  const all = Object.fromEntries(STATUSES.map((x) => [x, cell.status?.[x] ?? 0]));
  all.missing = cell.missing ?? 0;
  all.none = NO_ANSWER.reduce((sum, x) => sum + all[x], 0);
  return (cell.counted = all);
}
/** The paper's figures: model -> value and table, for a set (null: the mean over them), task and metric at the chosen number of shots and perturbation. */
function published(set, task, metric, group) {
  const found = new Map(), scoring = scoringOf(taskOf(task)), wanted = publishedAs(taskOf(task), metric), of = set ?? "avg";
  if (!["generate", "nll"].includes(scoring)) return found;  // the paper's models wrote their answers
  for (const p of data.published) {
    if (p.set !== of || p.task !== task || p.metric !== wanted || p.shots !== state.shots || p.group !== group || (p.perturb ?? "none") !== perturbOf(taskOf(task))) continue;
    const entry = found.get(p.model) ?? { value: p.value, sources: [] };
    if (!entry.sources.includes(p.source)) entry.sources.push(p.source);
    found.set(p.model, entry);
  }
  return found;
}

// ---------------------------------------------------------------- state and address
const state = {
  lang: "zh", metric: "f1", metricChoice: "accuracy", intervals: true, variant: "paper", shots: 0, scoring: "generate", perturb: "none", split: "test", published: true, adapters: false, sort: { key: "", down: true },
  issues: false, wayTask: "", waySet: "", robustTask: "", robustSet: "", curvePool: "", curveSet: "", labelPerturb: "", labelSize: 0, statusSet: "", statusModel: "", filter: "all", query: "",
  find: "", size: "", tags: [], onlySet: "", onlyTasks: [], signatureSet: "",
  picked: [], unfolded: new Set(), judgeMetric: "",
};
const store = {
  get: (key) => { try { return localStorage.getItem("evalsuite." + key); } catch { return null; } },
  set: (key, value) => { try { localStorage.setItem("evalsuite." + key, value); } catch { /* not allowed here: forget */ } },
};
const route = () => new URLSearchParams(location.hash.slice(1));
function go(params, replace = false) {
  const lang = route().get("lang");
  const text = "#" + new URLSearchParams({ ...(lang && { lang }), ...(params.model === undefined ? viewParams() : params) });
  if (replace) location.replace(text);
  else location.hash = text;
}
const cellRoute = (c) => ({ run: c.run, model: brief(c.model), set: c.set, task: c.task, split: c.split, prompt: c.variant, shots: c.shots, scoring: c.scoring, ...(c.perturb !== "none" && { perturb: c.perturb }) });
function routedCell() {
  const r = route(), model = [...models.values()].find((x) => String(x.run) === r.get("run") && brief(x.name) === r.get("model"));
  const at = address(model?.id, r.get("set"), r.get("task"), r.get("split"), r.get("prompt"), r.get("shots"), r.get("scoring") ?? "generate", r.get("perturb") ?? "none");
  return cellIndex.get(at);
}
function startState() {
  const pick = (name, wish) => { const all = distinct(name); return all.includes(wish) || !all.length ? wish : all[0]; };
  Object.assign(state, { variant: pick("variant", "paper"), shots: pick("shots", 0), scoring: pick("scoring", "generate"), perturb: pick("perturb", "none"), split: pick("split", "test") });
  state.sort.key = (tasks.find((x) => data.cells.some((c) => c.task === x.name)) ?? { name: "" }).name;
  state.adapters = ![...models.values()].some((m) => !m.adapter && !m.baseline);
  usual = structuredClone(state);
  readView();
  readLanguage();
  readTheme();
}
function readTheme() {
  const theme = new URLSearchParams(location.search).get("theme") ?? store.get("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
function readLanguage() {
  const asked = route().get("lang") ?? new URLSearchParams(location.search).get("lang") ?? store.get("lang") ?? navigator.language ?? "";
  state.lang = asked.toLowerCase().startsWith("zh") ? "zh" : "en";
}
function setLanguage(lang) {
  store.set("lang", lang);
  const params = route();
  const changed = params.has("lang") || new URLSearchParams(location.search).has("lang");
  if (changed) { params.set("lang", lang); location.replace("#" + params); }
  state.lang = lang;
  render(true);
}
function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  store.set("theme", root.dataset.theme);
}
const update = (change) => { Object.assign(state, change); writeView(); drawOverview(); };

// ---------------------------------------------------------------- header and footer
function drawFrame() {
  document.documentElement.lang = state.lang === "zh" ? "zh-CN" : "en";
  document.title = about.title();
  put($("skip"), t("skip"));
  put($("foot"), h("p", null, about.foot()));
  put($("top"),
    h("div", { class: "bar" },
      h("p", { class: "brand" }, "evalsuite"),
      h("div", { class: "tools" },
        button(t("language"), () => setLanguage(state.lang === "zh" ? "en" : "zh"), { id: "lang", lang: state.lang === "zh" ? "en" : "zh-CN" }),
        button("◐", toggleTheme, { id: "theme", "aria-label": t("theme"), title: t("theme") }))));
}
function drawIntro() {
  const fact = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));
  return h("section", { class: "intro" },
    h("h1", null, pageTitle()), h("p", { class: "lead" }, pageLead()),
    h("dl", { class: "facts" }, data.runs.map(runFacts).map(([k, v]) => fact(k, v)),
      fact(t("models"), [num(models.size - adapters().length), adapters().length > 0 && h("small", null, t("andAdapters", num(adapters().length)))]), fact(t("items"), num(data.asked.items)), fact(t("replies"), num(data.asked.replies))),
    sampleNotice(),
    h("p", { class: "how" }, h("strong", null, t("readTitle")), " ", t("read")), drawSources());
}
function sampleNotice() {
  const runs = data.runs.filter((r) => r.manifest?.settings?.data === "bundled:sample");
  return runs.length > 0 && h("p", { class: "notice caution", id: "sample" }, visible(t(alone() ? "sampleNote" : "sampleNoteAll", runs.map((r) => r.name).join(", "))));
}
function runFacts(run) {
  const m = run.manifest ?? {};
  const versions = Object.entries(m.packages ?? {}).filter(([k]) => ["evalsuite", "torch", "transformers"].includes(k));
  const limit = m.settings?.limit;
  const small = [
    m.started ? `${t("started")} ${String(m.started).replace("T", " ").slice(0, 16)}` : "",
    versions.map(([k, v]) => `${k} ${v}`).join(", ") || `${t("version")}: ${t("unknown")}`,
    m.settings?.data ? `${t("dataFrom")}: ${m.settings.data}` : "", limit ? t("firstOf", limit) : "",
  ].filter(Boolean);
  return [t("run"), [data$("span", "", run.name), small.map((x) => h("small", null, visible(x)))]];
}
