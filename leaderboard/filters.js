// Which models, tasks and sets are on the page, and the address that says so.
// ---------------------------------------------------------------- what passes
// Parameters: [name, from, to).
const SIZES = [["< 1B", 0, 1e9], ["1–3B", 1e9, 3e9], ["3–8B", 3e9, 8e9], ["8–15B", 8e9, 15e9], ["15–40B", 15e9, 4e10], ["≥ 40B", 4e10, Infinity]];
const sizeOf = (model) => (model.parameters ? SIZES.find(([, from, to]) => model.parameters >= from && model.parameters < to)[0] : "?");
/** Texts parted by commas: a name passes that holds one of them. */
const named = (label) => !state.find.trim() || state.find.toLowerCase().split(/[,，]/).map((x) => x.trim()).some((x) => x && label.toLowerCase().includes(x));
/** Baselines have no size and stay beside models of any. */
const admitted = (model) => named(model.label) && (!state.tags.length || model.tags.some((x) => state.tags.includes(x))) && (!state.size || model.baseline || sizeOf(model) === state.size);
const onPage = (row) => (!state.onlyBenchmark || benchmarkOf(taskOf(row.task)).name === state.onlyBenchmark) && (!state.onlySet || row.set === state.onlySet) && (!state.onlyTasks.length || state.onlyTasks.includes(row.task));
const FILTERS = { find: "", size: "", tags: [], onlyBenchmark: "", onlySet: "", onlyTasks: [] };

// ---------------------------------------------------------------- the bar
function filterBar() {
  if (!data.cells.length) return null;
  const own = [...models.values()].filter((m) => state.adapters || !m.adapter), there = new Set(own.filter((m) => !m.baseline).map(sizeOf));
  const sizes = [...SIZES.map(([name]) => name), "?"].filter((x) => there.has(x) || x === state.size), tags = [...new Set(own.flatMap((m) => m.tags))].sort();
  const offered = everyTask.filter((x) => !state.onlyBenchmark || benchmarkOf(x).name === state.onlyBenchmark);
  const on = Object.entries(FILTERS).some(([k, v]) => String(state[k]) !== String(v));
  return h("div", { class: "controls filters", role: "search", "aria-label": t("filters") },
    own.length > 1 && kept("find", searchBox()),
    sizes.length > 1 && kept("size", choice(t("sizes"), ["", ...sizes], state.size, (size) => update({ size }), (v) => (v === "" ? t("all") : v === "?" ? t("unknown") : v))),
    tags.length > 1 && tickMenu("tags", t("tags"), tags, "tags", plain),
    benchmarkPicker(),
    offered.length > 1 && tickMenu("tasks", t("task"), offered.map((x) => x.name), "onlyTasks", (x) => taskName(taskOf(x))),
    allSets().length > 1 && kept("only-set", choice(t("set"), ["", ...allSets()], state.onlySet, (onlySet) => update({ onlySet }), (v) => (v ? setTitle(v) : t(allSets().length > 2 ? "all" : "allSets")))),
    on && [h("span", { class: "muted", role: "status" }, t("modelsShown", own.filter(admitted).length, own.length)), kept("clear", h("span", null, button(t("clear"), () => update(structuredClone(FILTERS)), { class: "small" })))],
    h("span", { class: "push" }, copyButton(() => location.href, t("copyLink"), t("copyLink"))));
}
let typing;
function searchBox() {
  const look = (e) => {
    clearTimeout(typing);
    if (e.isComposing) return;  // Chinese half typed: drawing now would take the input away
    typing = setTimeout(() => {
      update({ find: e.target.value });
      const box = $("find");
      box?.setSelectionRange(box.value.length, box.value.length);
    }, 150);
  };
  return h("span", { class: "field" }, h("input", { type: "search", id: "find", value: state.find, placeholder: t("findModels"), "aria-label": t("findModels"), oninput: look, oncompositionend: look }));
}
/** A menu of boxes to tick; none ticked is all. It stays open while they are. */
function tickMenu(id, label, values, name, words) {
  const chosen = state[name], pick = (v, yes) => update({ [name]: values.filter((x) => (x === v ? yes : chosen.includes(x))) });
  return menu(`${label}: ${chosen.length ? `${chosen.length} / ${values.length}` : t("all")}`, label, values.map((v) => kept(`${id}-${v}`, check(words(v), chosen.includes(v), (yes) => pick(v, yes)))), { id: `choose-${id}`, open: Boolean($(`choose-${id}`)?.open) });
}

// ---------------------------------------------------------------- the view's address
// What of the state stands in the address, and by which name. What is as usual is left out.
const VIEW = { metric: "metric", metricChoice: "by", byTask: "metrics", variant: "prompt", shots: "shots", scoring: "scoring", perturb: "perturb", split: "split", intervals: "ci", published: "paper", adapters: "adapters",
  find: "find", size: "size", tags: "tags", onlyBenchmark: "benchmark", onlySet: "set", onlyTasks: "tasks", sort: "sort" };
let usual = {};
const writtenAs = (v) => (Array.isArray(v) ? v.map(encodeURIComponent).join(",") : typeof v === "boolean" ? Number(v) : typeof v === "object" ? (v.down ? "-" : "") + v.key : v);
function readAs(like, text) {
  if (Array.isArray(like)) { try { return text.split(",").filter(Boolean).map(decodeURIComponent); } catch { return like; } }
  if (typeof like === "boolean") return text === "1";
  if (typeof like === "number") return Number(text);
  return typeof like === "object" ? { key: text.replace(/^-/, ""), down: text.startsWith("-") } : text;
}
/** An address may name what this page does not have. */
function isKnown(name, value) {
  if (["variant", "shots", "scoring", "perturb", "split"].includes(name)) return distinct(name).includes(value);
  if (name === "onlyBenchmark") return value === "" || benchmarksHere().some((b) => b.name === value);
  if (name === "onlySet") return value === "" || allSets().includes(value);
  if (name === "onlyTasks") return value.every((x) => everyTask.some((y) => y.name === x));
  if (name === "tags") return value.every((x) => [...models.values()].some((m) => m.tags.includes(x)));
  if (name === "size") return ["", "?", ...SIZES.map(([x]) => x)].includes(value);
  return name !== "sort" || value.key === "" || data.tasks.some((x) => x.name === value.key.split("@")[0]);
}
const viewParams = () => Object.fromEntries(Object.entries(VIEW).map(([name, key]) => [key, writtenAs(state[name]), writtenAs(usual[name])]).filter(([, now, before]) => String(now) !== String(before)).map(([key, now]) => [key, now]));
function readView() {
  const r = route();
  if (r.has("model") || (location.hash.length > 1 && !location.hash.includes("="))) return;  // a cell's address, or a place on the page
  for (const [name, key] of Object.entries(VIEW)) {
    const value = r.has(key) ? readAs(usual[name], r.get(key)) : usual[name];
    state[name] = structuredClone(isKnown(name, value) ? value : usual[name]);
  }
}
/** The address follows what is chosen, without a step in the browser's history each. */
function writeView() {
  const lang = route().get("lang"), text = "#" + new URLSearchParams({ ...(lang && { lang }), ...viewParams() });
  if (location.hash !== text && (location.hash || text !== "#")) history.replaceState(null, "", text);
}
