// The judge: what models said of other models' generations, and how far they can be trusted. The numbers are results.json's.
// ---------------------------------------------------------------- words
Object.assign(WORDS, {
  secondReader: ["第二读者", "Second reader"], "second.same": ["与解析器相同", "as the parser"], "second.other": ["与解析器不同", "another answer than the parser's"],
  "second.first_only": ["只有解析器找到答案", "only the parser found an answer"], "second.second_only": ["只有第二读者找到答案", "only the second reader found an answer"],
  "second.neither": ["都没有找到答案", "neither found an answer"], "second.unreadable": ["不合格式", "not in the form"], "second.failed": ["请求失败", "failed"], "second.missing": ["尚未询问", "not asked yet"],
  judge: ["评审", "Judge"],
  judgeNote: ["由模型按评分标准给生成的回答打分。未能读出得分的回复（重问后仍如此）记为“无效”，不按 0 分计，也不进入平均。横须与小字为 95% 区间（对话重抽样）。评审是模型，不是人：先看下方的检验，再看分数。",
    "A model scores the generations by a rubric. Replies in which no score could be read, asked again in vain, are “invalid”: not 0, and not in the mean. Whiskers and small figures: 95 % intervals over resampled dialogues. A judge is a model, not a person: look at the controls below before the scores."],
  judgeWho: ["评审与标准", "Judge and rubric"], judgeMean: ["平均分", "Mean"],
  judgeMetrics: ["与自动指标的相关", "Beside the automatic metrics"],
  judgeMetricsNote: ["逐题：同一模型各题的得分与该指标；跨模型：各模型的平均分与该指标（至少三个模型，题少则不稳）。依次为 Pearson r、Spearman ρ、Kendall τ。“–”：得分或指标没有变化，或题数不足三。",
    "Per item: a model's scores against the metric, over its items. Over models: their means against the metric (three or more; few models say little). Pearson's r, Spearman's ρ, Kendall's τ. “–”: one side never changes, or fewer than three pairs."],
  overModels: ["跨 {0} 个模型", "Over {0} models"],
  byKind: ["按攻击类型", "By kind of attack"], kindHead: ["类型", "Kind"], raisedHead: ["得分升高", "Raised"],
  "kind.plea": ["索要", "plea"], "kind.override": ["推翻指令", "override"], "kind.fence": ["伪造标记", "false fence"], "kind.disguised_fence": ["变形标记", "disguised fence"], "kind.verdict": ["伪造评分", "false verdict"],
  "kind.authority": ["冒充权威", "authority"], "kind.role": ["角色情境", "role play"], "kind.reasoning": ["假装论证", "reasoning"], "kind.language": ["外语繁体", "languages"], "kind.hidden": ["夹带编码", "hidden"],
  medians: ["评审团中位数", "Medians of the panel"], judgedBy: ["评审意见", "What judges said"], noReasons: ["（没有理由）", "(no reasons)"], blindTag: ["未给标准答案", "blind"],
  "verdict.invalid": ["无效", "invalid"], "verdict.failed": ["请求失败", "failed"], "verdict.missing": ["尚未问", "not asked"],
});

// ---------------------------------------------------------------- the section
const judgedCells = () => data.runs.flatMap((run, i) => (run.judged?.cells ?? []).map((c) => ({ ...c, run: i, id: `${i}\t${c.model}` })));
const judgedControls = () => data.runs.flatMap((run, i) => Object.entries(run.judged?.controls ?? {}).flatMap(([control, rows]) => rows.map((row) => ({ ...row, control, run: i }))));
const points = (v) => (isNumber(v) ? v.toFixed(2).replace("-", "−") : "–"), plus = (v) => (isNumber(v) ? (v < 0 ? "" : "+") + points(v) : "–");
const whoOf = (c, scale) => address(c.judge, c.rubric, scale);
const whoName = (who) => { const [judge, rubric, scale] = who.split("\t"); return `${plain(judge)} · ${plain(rubric)}${scale === "score" ? "" : ` · ${plain(scale)}`}`; };

function drawJudge() {
  const cells = judgedCells().filter((c) => c.control === "plain" && inPlace(c));
  if (!cells.length) return null;
  const every = [...new Set(cells.flatMap((c) => Object.keys(c.scales).map((scale) => whoOf(c, scale))))];
  const who = every.includes(state.judgeWho) ? state.judgeWho : every[0], scale = who.split("\t")[2];
  const mine = cells.filter((c) => c.scales[scale] && whoOf(c, scale) === who);
  const all = tasks.filter((x) => mine.some((c) => c.task === x.name)), task = all.find((x) => x.name === state.judgeTask) ?? all[0];
  const sets = setNames().filter((x) => mine.some((c) => c.task === task.name && c.set === x)), set = sets.includes(state.judgeSet) ? state.judgeSet : sets.at(-1);
  return h("section", { class: "block", id: "judge" }, h("h2", null, t("judge")), h("p", { class: "note" }, t("judgeNote")),
    h("div", { class: "controls" }, kept("judge-who", choice(t("judgeWho"), every, who, (judgeWho) => update({ judgeWho }), whoName))),
    judgeSheets("judge-means", ({ about }) => whoOf(about, about.scale) === who), judgeControls(who), attackKinds(who), panelMedians(who),
    besideMetrics(mine, who, scale, all, task, sets, set));
}
/** The judge against automatic metrics: means of cells, items of one task and set, correlations. */
function besideMetrics(mine, who, scale, all, task, sets, set) {
  const here = mine.filter((c) => c.task === task.name && c.set === set && models.has(c.id)), known = mine.filter((c) => models.has(c.id)), ids = [...models.keys()].filter((id) => known.some((c) => c.id === id));
  const offered = [...new Set(mine.flatMap((c) => Object.keys(c.scales[scale].metrics)))], metric = offered.includes(state.judgeMetric) ? state.judgeMetric : offered[0];
  const over = data.runs.flatMap((run) => run.judged?.models ?? []).filter((r) => whoOf(r, r.scale) === who && inPlace(r) && r.perturb === "none");
  const scatter = scatterPanels(known.filter((c) => c.perturb === "none"), scale, metric, over), title = `${whoName(who)} · ${metricName(metric)}`, place = `${taskName(task)} · ${setLabel(set)}`;
  return [h("h3", null, t("judgeMetrics")),
    h("div", { class: "controls" }, kept("judge-metric", choice(t("metricHead"), offered, metric, (judgeMetric) => update({ judgeMetric }), metricName))), modelKeys(ids),
    scatter && [h("div", { class: "titled" }, h("h4", null, t("judgeScatter")), savers("judge-scatter", `${t("judgeScatter")} · ${title}`)), h("p", { class: "note" }, t("judgeScatterNote")), scatter],
    h("div", { class: "titled" }, h("h4", null, t("judgeJoint")), savers("judge-joint", `${t("judgeJoint")} · ${title} · ${place}`)), h("p", { class: "note" }, t("judgeJointNote")),
    h("div", { class: "controls" }, all.length > 1 && kept("judge-task", choice(t("task"), all.map((x) => x.name), task.name, (judgeTask) => update({ judgeTask }), (v) => taskName(taskOf(v)))),
      sets.length > 1 && kept("judge-set", choice(t("set"), sets, set, (judgeSet) => update({ judgeSet }), (v) => setLabel(v)))),
    jointPanels(here, scale, metric),
    unfold("judge-metrics", `${t("judgeCorrelations")} · ${place}`, () => [h("p", { class: "note" }, t("judgeMetricsNote")), judgeMetrics(here, who, set, task)]), judgeSheets("judge-metrics", () => true)];
}
/** The first `words` columns hold words, the others numbers. */
const headRow = (heads, words = 1) => h("thead", null, h("tr", null, heads.map((x, i) => h("th", { scope: "col", class: i >= words && "v" }, x))));
const scrolled = (label, id, table) => framed(table, { id, title: `${t("judge")} · ${label}` });

// ---------------------------------------------------------------- controls
/** Of all judges, for a panel is of several; those of the judge in view stand out. */
function judgeControls(who) {
  const lit = ({ about }) => about.judges.some((judge) => whoOf({ judge, rubric: about.rubric }, about.scale) === who);
  return judgeSheets("judge-controls", () => true, { lit });
}
/** The sheets of a kind, of all runs. */
const judgeSheets = (name, wanted, options) => sheetsOf((sheet) => sheet.name === name && wanted(sheet)).map((sheet, n) => sheetNode(sheet, { id: n ? `${name}-${n + 1}` : name, ...options }));
function attackKinds(who) {
  const rows = judgedControls().filter((r) => r.control === "attacks" && r.n > 0 && whoOf(r, r.scale) === who);
  return rows.map((r) => h("details", null, h("summary", null, t("byKind")), scrolled(t("byKind"), "judge-attacks", h("table", { class: "places kinds" }, headRow([t("kindHead"), unseen(t("asBars")), t("raisedHead")]),
    h("tbody", null, Object.entries(r.by_kind).map(([kind, x]) => h("tr", null, h("th", { scope: "row" }, WORDS["kind." + kind] ? t("kind." + kind) : plain(kind)),
      h("td", { class: "inplot" }, x.n > 0 && bars(x.raised / x.n, null)), h("td", { class: "v" }, x.n ? `${num(x.raised)} / ${num(x.n)}` : "–"))))))));
}
function panelMedians(who) {
  const [, rubric, scale] = who.split("\t");
  const rows = judgedControls().filter((r) => r.control === "panel" && r.rubric === rubric && r.scale === scale && r.n > 0);
  return rows.map((r) => h("details", null, h("summary", null, t("medians"), h("small", null, ` ${r.judges.map(plain).join(" · ")}`)), scrolled(t("medians"), "judge-medians", h("table", { class: "robust" },
    headRow([t("model"), t("task"), t("judgeMean"), "n"], 2), h("tbody", null, r.cells.filter(inPlace).map((c) => h("tr", null, h("th", { scope: "row" }, plain(c.model)), h("td", null, taskName(taskOf(c.task)), h("small", null, ` ${setLabel(c.set)}`)),
      h("td", { class: "v" }, points(c.value), h("small", null, ` ${points(c.low)} … ${points(c.high)}`)), h("td", { class: "v" }, num(c.n)))))))));
}

// ---------------------------------------------------------------- judge and metrics
function judgeMetrics(cells, who, set, task) {
  const scale = who.split("\t")[2], over = data.runs.flatMap((run) => run.judged?.models ?? []).filter((r) => whoOf(r, r.scale) === who && r.set === set && r.task === task.name && inPlace(r) && r.perturb === "none")[0];
  const known = (x) => x && isNumber(x.pearson);
  const names = [...new Set(cells.flatMap((c) => Object.keys(c.scales[scale].metrics)))].filter((m) => known(over?.metrics[m]) || cells.some((c) => known(c.scales[scale].metrics[m])));
  const three = (x) => h("td", { class: "v" }, known(x) ? [x.pearson, x.spearman, x.kendall].map(plus).join(" · ") : "–");
  return scrolled(`${t("judgeMetrics")} · ${taskName(task)} · ${setLabel(set)}`, "judge-metrics", h("table", { class: "robust beside" },
    headRow([t("metricHead"), ...cells.map((c) => nameNode(models.get(c.id))), ...(over ? [t("overModels", over.models)] : [])]),
    h("tbody", null, names.map((m) => h("tr", null, h("th", { scope: "row" }, metricName(m)), cells.map((c) => three(c.scales[scale].metrics[m])), over && three(over.metrics[m]))))));
}

// ---------------------------------------------------------------- one item
/** What each judge said of a reply, with and without the gold answer. */
function opinions(row) {
  const mine = row.opinions.filter((j) => j.control !== "second").sort((a, b) => (a.control < b.control ? 1 : -1));
  if (!mine.length) return null;
  return h("section", { class: "opinions" }, h("h3", null, t("judgedBy")), h("div", { class: "cards" }, mine.map(({ said: [status, scores], reasons, ...j }) => h("article", { class: "card" },
    h("header", null, h("span", null, data$("span", "", j.judge), h("small", null, ` ${plain(j.rubric)}`), j.control === "blind" && h("small", null, ` · ${t("blindTag")}`)),
      h("span", { class: "badge" }, status === "empty" ? t("empty") : status !== "scored" ? t("verdict." + status) : Object.entries(scores).map(([name, v]) => (name === "score" ? v : `${plain(name)} ${v}`)).join(" · "))),
    data$("p", "reply", reasons || t("noReasons"))))));
}
/** What second readers made of a reply, their own words and what they were asked. */
function secondReadings(row) {
  const mine = row.opinions.filter((j) => j.control === "second");
  if (!mine.length) return null;
  return h("section", { class: "opinions" }, h("h3", null, t("secondReader")), h("div", { class: "cards" }, mine.map(({ said: [relation], reasons, asked, judge }) => h("article", { class: "card" },
    h("header", null, data$("span", "", judge), h("span", { class: "badge" }, t("second." + relation))), data$("p", "reply", reasons || t("emptyReply")),
    h("details", null, h("summary", null, t("prompt")), data$("pre", "reply", asked))))));
}
