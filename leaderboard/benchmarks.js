// Several benchmarks on one page: what their sets are called, which metric a task is shown by, means over sets.
// ---------------------------------------------------------------- benchmarks and their sets
Object.assign(state, { onlyBenchmark: "", byTask: [] });
const FIRST = "corecode";  // its two metrics, for choices and for texts, are chosen for all its tasks at once; it cries EASY and HARD
let setsThere, meanIndex;  // benchmark -> its sets on this page, in its order; place -> entry of "means"

const benchmarkOf = (task) => data.benchmarks.find((b) => b.name === task.benchmark) ?? data.benchmarks[0];
const benchmarksHere = () => data.benchmarks.filter((b) => everyTask.some((x) => benchmarkOf(x) === b));
const benchmarksShown = () => data.benchmarks.filter((b) => tasks.some((x) => benchmarkOf(x) === b));
const manyBenchmarks = () => benchmarksHere().length > 1;
/** A task's own sets; null stands for the mean over them, where the paper tells that. */
const setsOf = (task) => (benchmarkOf(task).averaged ? [null] : setNames().filter((x) => setsThere.get(benchmarkOf(task).name).includes(x)));
function prepareBenchmarks() {
  const found = new Map(data.benchmarks.map((b) => [b, new Set()]));
  for (const c of data.cells) found.get(benchmarkOf(taskOf(c.task))).add(c.set);
  setsThere = new Map([...found].map(([b, there]) => [b.name, [...b.sets.filter((x) => there.has(x)), ...[...there].filter((x) => !b.sets.includes(x)).sort()]]));
  meanIndex = new Map(data.runs.flatMap((run, i) => (run.means ?? []).map((x) => [meanPlace({ ...x, id: `${i}\t${x.model}` }), x])));
}
const meanPlace = (x) => address(x.id, x.task, x.split, x.variant, x.shots, x.scoring, x.perturb);
const meanAt = (id, task) => meanIndex.get(meanPlace({ ...state, id, task: task.name, scoring: scoringOf(task), perturb: perturbOf(task) }));
const allSets = () => {
  const found = data.benchmarks.filter((b) => !state.onlyBenchmark || b.name === state.onlyBenchmark).flatMap((b) => setsThere.get(b.name));
  return found.length ? [...new Set(found)] : data.benchmarks[0].sets;
};
const setNames = () => allSets().filter((x) => !state.onlySet || x === state.onlySet);
const publishedNote = (b) => (state.lang === "zh" ? b.published_zh : b.published_en);
const setWord = (b) => (state.lang === "zh" ? b.sets_zh : b.sets_en);
/** A set's name: EASY, fold 3, dimension 10, v1; of null that of the mean. */
function setLabel(set) {
  if (set === null) return t("meanHead");
  const own = data.benchmarks.find((b) => setsThere.get(b.name).includes(set)) ?? data.benchmarks[0], [, number] = (own.averaged && /^[a-z]+(\d+)$/.exec(set)) || [];
  return number ? `${setWord(own)} ${number}` : own.name === FIRST ? set.toUpperCase() : set;
}
/** The class of what is drawn for a set: its colour, by its place in the benchmark. */
function setClass(set, task) {
  const own = benchmarkOf(task), all = [...new Set([...own.sets, ...setsThere.get(own.name)])];
  return `set${set === null ? 1 : all.indexOf(set) % 6}`;
}
/** The same with its benchmark's name before it, where there are several. */
function setTitle(set) {
  const own = data.benchmarks.find((b) => setsThere.get(b.name).includes(set));
  return (manyBenchmarks() && own ? `${own.title} · ` : "") + setLabel(set);
}
const alone = () => !manyBenchmarks() && everyTask.some(shared);
const pageTitle = () => (alone() ? t("title") : manyBenchmarks() ? t("titleAll") : `${benchmarksHere()[0].title} · ${t("titleAll")}`);
const pageLead = () => (alone() ? t("lead") : t("leadAll", benchmarksHere().map((b) => b.title).join(state.lang === "zh" ? "、" : ", ")));
Object.assign(about, { title: pageTitle, foot: () => t(alone() ? "foot" : "footAll"), before: (task) => (manyBenchmarks() && task.benchmark ? `${benchmarkOf(task).title} · ` : "") });
/** What is to be known of figures that CORECODE has none of. */
function benchmarkNotes() {
  const metrics = tasks.map(metricOf);
  return [metrics.some(isSigned) && t("noteNats"), benchmarksShown().some((b) => b.averaged) && t("noteMeans"), metrics.some(isLower) && t("noteLower"),
    ...benchmarksShown().filter((b) => state.published && tasks.some((x) => benchmarkOf(x) === b && publishedAs(x, metricOf(x)))).map(publishedNote)];
}
/** What the names of files that the page saves begin with. */
const fileStem = () => (manyBenchmarks() ? "evalsuite" : (benchmarksHere()[0] ?? data.benchmarks[0]).name);
function benchmarkPicker() {
  return manyBenchmarks() && kept("benchmark", choice(t("benchmark"), ["", ...benchmarksHere().map((b) => b.name)], state.onlyBenchmark,
    (onlyBenchmark) => update({ onlyBenchmark, onlySet: "", onlyTasks: [] }), (v) => (v ? data.benchmarks.find((b) => b.name === v).title : t("all"))));
}

// ---------------------------------------------------------------- metrics
let ownMetrics = new Map();  // task -> the names of metrics that its cells in view have

const shared = (task) => benchmarkOf(task).name === FIRST;
/** Those of CORECODE's choices and texts; of other tasks each its own. */
function offerMetrics() {
  tasks = everyTask.filter((x) => (!state.onlyTasks.length || state.onlyTasks.includes(x.name)) && (!state.onlyBenchmark || benchmarkOf(x).name === state.onlyBenchmark));
  const known = [...metricRows.keys()], place = (m) => [known.indexOf(baseName(m)) + 1 || known.length + 1, isPaper(m)];
  const names = (wanted) => [...new Set(data.cells.filter((c) => inView(c) && wanted(taskOf(c.task))).flatMap((c) => Object.keys(c.metrics ?? {})))]
    .sort((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1]);
  [choiceMetrics, textMetrics] = [names((x) => shared(x) && isChoice(x)), names((x) => shared(x) && !isChoice(x))];
  ownMetrics = new Map(tasks.filter((x) => !shared(x)).map((x) => [x.name, names((y) => y.name === x.name)]));
}
function metricOf(task) {
  if (!shared(task)) {
    const there = ownMetrics.get(task.name) ?? [], wish = state.byTask.find((x) => x.startsWith(task.name + ":"))?.slice(task.name.length + 1);
    return there.includes(wish) ? wish : task.metrics[0];
  }
  const [wish, there] = isChoice(task) ? [state.metricChoice, choiceMetrics] : [state.metric, textMetrics];
  return there.includes(wish) ? wish : task.metrics[0] ?? there[0] ?? wish;
}
/** A picker for each of the tasks that have the same metrics. */
function metricPickers() {
  const alike = new Map();
  for (const x of tasks) {
    const there = ownMetrics.get(x.name) ?? [], key = address(x.benchmark, ...x.metrics, "", ...there);
    if (there.length > 1) alike.set(key, [...(alike.get(key) ?? []), x]);
  }
  return [...alike.values()].map((mine) => {
    const names = mine.map((x) => x.name), of = mine.length > 2 ? `${mine[0].short} – ${mine.at(-1).short}` : mine.map((x) => x.short).join(", ");
    const pick = (metric) => update({ byTask: [...state.byTask.filter((x) => !names.includes(x.split(":")[0])), ...mine.filter((x) => x.metrics[0] !== metric).map((x) => `${x.name}:${metric}`)] });
    return kept(`metric-${names[0]}`, choice(`${t("metricHead")} (${benchmarkOf(mine[0]).title}: ${of})`, ownMetrics.get(names[0]), metricOf(mine[0]), pick, longName));
  });
}

// ---------------------------------------------------------------- columns of tables
/** What the overview's tables are: a set's tasks, or, of a benchmark that is averaged, a task's sets after their mean.
 *  A column is {key, task, set, label}; its key is what rows are sorted by. */
function tablesOf(b) {
  const mine = tasks.filter((x) => benchmarkOf(x) === b), there = setsThere.get(b.name), sets = setNames().filter((x) => !there.length || there.includes(x)), name = manyBenchmarks() ? `${b.title} · ` : "";
  const asked = (task, set) => data.cells.some((c) => c.task === task.name && c.set === set);
  if (b.averaged) {
    return mine.map((task) => ({ id: task.name, b, title: `${name}${ownName(task)}`, columns: [{ key: task.name, task, set: null, label: t("meanOver", setWord(b)) },
      ...sets.filter((set) => asked(task, set)).map((set) => ({ key: `${task.name}@${set}`, task, set, label: setLabel(set) }))] }));
  }
  return sets.map((set) => ({ id: set, b, title: name + (b.name === FIRST ? setLabel(set) : `${setWord(b)} ${setLabel(set)}`), columns: mine.filter((x) => b.name === FIRST || asked(x, set)).map((task) => ({ key: task.name, task, set, label: ownName(task) })) }));
}
/** A model's figure in a column: of its cell, or of the mean. */
const entryAt = (id, { task, set }) => (set === null ? meanAt(id, task) : cellAt(id, set, task.name));
/** A mean and its interval; of how many sets, where some are missing. */
function meanCell(entry, task, rank) {
  if (!entry) return h("td", { class: "v" }, h("span", { class: "num none" }, "–"));
  const metric = metricOf(task), m = entry.metrics[metric], text = figure(metric, m?.value), of = setsThere.get(task.benchmark).length;
  return h("td", { class: "v" }, h("span", { class: "num " + rank, title: `${metricName(metric)} ${text} · ${t("interval")} ${span(metric, m?.low, m?.high, 1)} · SD ${figure(metric, m?.sd).replace("+", "")}` }, text), spanNode(metric, m),
    entry.sets.length < of && h("span", { class: "flag bad" }, `! ${entry.sets.length}/${of}`));
}
