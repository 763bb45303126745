"use strict";
// The leaderboard page. Sections: words, DOM helpers, text made visible, data, state and address, header, overview,
// chart, status table, one cell's evidence, one item, keyboard, start.
// What comes from the data reaches the page as text nodes only: nothing here writes HTML.
(() => {
  // ---------------------------------------------------------------- words: [Chinese, English]
  const WORDS = {
    title: ["CORECODE 评测榜", "CORECODE leaderboard"],
    lead: ["中文大语言模型在 CORECODE 基准上的评测结果：八项任务考察对中文对话的常识推理，分 EASY 与 HARD 两套题；每个数字都可点开，直到原始回复。",
      "How Chinese LLMs do on CORECODE: eight tasks of commonsense reasoning over Chinese dialogues, in an EASY and a HARD set. Every number opens, down to the raw reply."],
    readTitle: ["怎样读", "How to read"],
    read: ["未能解析、拒答、截断、多选、矛盾、空回复均按不正确计，并单独列出；请求失败没有分数，不计入。论文公布的行出自原论文，提示词、解析方式与数据均不同，已另行标出，不宜直接比较。",
      "Unparsed, refused, truncated, several, conflict and empty replies count as not right and are shown apart; failed requests have no score and are left out. Published rows come from the paper, with other prompts, parsers and data: they are marked, and no direct comparison."],
    run: ["运行", "Run"], version: ["版本", "Versions"], started: ["开始于", "Started"], items: ["题数", "Items"],
    models: ["模型", "Models"], replies: ["回复", "Replies"], dataFrom: ["数据", "Data"], unknown: ["未记录", "not recorded"],
    firstOf: ["每个文件仅取前 {0} 题", "only the first {0} items of each file"],
    theme: ["切换深浅色", "Switch light and dark"], language: ["English", "中文"], skip: ["跳到正文", "Skip to content"],
    overview: ["总览", "Overview"],
    overviewNote: ["单位 %（CIDEr 除外：按其 0–10 的原值）。各列自有模型中最佳者加粗，次佳者加下划线；基线、含失败或尚未提问之题的成绩、标 ≠ 的列不参与排名。点击数字看逐题证据，点击列名排序。",
      "In percent (but CIDEr as it is, from 0 to 10). Best of the own models in bold, second underlined; baselines, results with failed or missing items and columns marked ≠ are not ranked. Click a number for its evidence, a heading to sort."],
    intervalNote: ["灰色小字为 95% 区间，由对话重抽样得出：区间大幅重叠的两个模型，差异可能只是偶然。",
      "Small grey figures: the 95 % interval over resampled dialogues. Where two models overlap widely, their difference may be chance."],
    metric: ["生成与抽取的指标", "Spans and generation by"], metricChoice: ["选择题的指标", "Choices by"], intervals: ["显示 95% 区间", "Show 95 % intervals"],
    accuracy: ["正确率", "Accuracy"], "paper.accuracy": ["正确率，仅论文所列形式", "Accuracy, the paper's forms only"],
    profileDefault: ["默认口径（按字 / 词）", "Default (characters / words)"], profilePaper: ["论文口径（按空白切分）", "The paper's profile (split at blanks)"],
    ofPaper: ["{0}（论文口径）", "{0} (paper's)"],
    notComparable: ["论文公布的 {0} 按另一口径计算，与此处的“{1}”不可比，故不并列显示；要对照请选“{2}”。",
      "The paper's {0} was computed under another profile and does not compare with {1} here, so its rows are left out; to compare, choose {2}."],
    notPublished: ["论文未公布 {0}。", "The paper publishes no {0}."],
    formsNote: ["“仅论文所列形式”只认论文第 5 节列出的作答形式；“无答案”等状态仍依本工具的解析。",
      "“The paper's forms only” accepts the forms of answer listed in the paper's section 5; statuses such as “no answer” are still those of our own parser."],
    sampleNote: ["运行 {0} 的分数来自随附样例数据（bundled:sample），不是 CORECODE 的测试文件，不能与论文公布的行比较。",
      "The scores of run {0} are on the bundled sample (bundled:sample), not on CORECODE's test files: they do not compare with the paper's rows."],
    leaked: ["{1} 题中有 {0} 题的对话也在训练集中", "{0} of {1} items share a dialogue with the training split"],
    leakedLimit: ["全文件 {1} 题中有 {0} 题的对话也在训练集中", "{0} of the whole file's {1} items share a dialogue with the training split"],
    leakedDropped: ["已剔除 {1} 题中对话也在训练集中的 {0} 题", "{0} of {1} items dropped: they share a dialogue with the training split"],
    variant: ["提示词", "Prompt"], shots: ["示例数", "Shots"],
    split: ["数据划分", "Split"], published: ["显示论文公布的结果", "Show the paper's published rows"], csv: ["导出 CSV", "Export CSV"],
    model: ["模型", "Model"], task: ["任务", "Task"], set: ["题集", "Set"], chance: ["随机水平", "Chance level"],
    own: ["模型", "Models"], baselines: ["基线", "Baselines"], paper: ["论文公布", "Published in the paper"],
    paperNote: ["提示词、解析与数据不同", "other prompts, parsers, data"], table: ["表 {0}", "Table {0}"],
    average: ["平均（论文）", "Average (paper)"], best: ["最佳", "best"], second: ["次佳", "second"], noAnswer: ["无答案", "no answer"],
    failedN: ["失败", "failed"], missingN: ["未问", "not asked"],
    noCells: ["这里还没有结果。先运行 evalsuite run，再生成本页。",
      "There are no results here yet. Run evalsuite run, then make this page again."],
    noneHere: ["此设置下没有结果，请换一个提示词、示例数或划分。", "No results with these settings: choose another prompt, number of shots or split."],
    differ: ["此列各模型所答的题不尽相同（数据、题数上限或种子不同）", "Not all models of this column were asked the same items (data, limit or seed differ)"],
    chart: ["逐任务比较", "Task by task"],
    chartNote: ["每行一个模型：实心点为 HARD，空心点为 EASY，虚线为随机水平。",
      "A row is a model: filled dots are HARD, hollow dots EASY, dashed lines the chance level."],
    whiskerNote: ["横须为 95% 区间。", "Whiskers: 95 % intervals."],
    chanceIs: ["随机 {0}", "chance {0}"], paperRow: ["论文（{0}）", "paper ({0})"],
    status: ["回复状态", "What became of the requests"],
    statusNote: ["各模型在各任务上的请求去向。“已解析的正确率”只算能读出选项的回复，请与总正确率对照着看。",
      "Where the requests of each model and task ended. “Accuracy of parsed” counts only replies in which an option could be read; read it beside the figure over all."],
    onlyIssues: ["只看有问题的行", "Only rows with something amiss"], allSets: ["全部题集", "Both sets"], allModels: ["全部模型", "All models"],
    ofAll: ["总分", "Of all"], ofParsed: ["已解析的正确率", "Accuracy of parsed"], share: ["分布", "Share"],
    parsed: ["已解析", "parsed"], unparsed: ["未能解析", "unparsed"], refused: ["拒答", "refused"], truncated: ["截断", "truncated"],
    several: ["多选", "several"], conflict: ["矛盾", "conflict"], empty: ["空回复", "empty"], failed: ["请求失败", "failed"],
    missing: ["尚未提问", "not asked"], noRows: ["没有符合条件的行。", "No rows match."],
    back: ["← 返回总览", "← Overview"], toList: ["← 返回列表", "← List"], all: ["全部", "All"], right: ["正确", "Right"],
    partial: ["部分匹配", "Partial"], wrong: ["错误", "Wrong"], notParsed: ["无答案", "No answer"], failedFilter: ["失败", "Failed"],
    search: ["搜索题目、对话、回复", "Search items, dialogues, replies"], found: ["{0} / {1} 题", "{0} of {1} items"],
    page: ["第 {0} / {1} 页", "Page {0} of {1}"], prevPage: ["上一页", "Previous page"], nextPage: ["下一页", "Next page"],
    prev: ["上一题", "Previous"], next: ["下一题", "Next"], keys: ["← → 或 j k 换题，Esc 返回", "← → or j k to step, Esc to go back"],
    pick: ["从列表中选一题，或按 →。", "Choose an item from the list, or press →."],
    position: ["{0} / {1}", "{0} of {1}"], notAsked: ["另有 {0} 题尚未提问", "{0} more not asked yet"],
    dropped: ["因长度限制少放了 {0} 个示例", "{0} shots dropped for space"], errors: ["请求失败的原因", "Why requests failed"],
    made: ["这些数字的由来", "How these numbers were made"], signature: ["签名", "Signature"],
    allMetrics: ["本格的全部指标（{0}）", "All metrics of this cell ({0})"], metricHead: ["指标", "Metric"], value: ["值", "Value"], interval: ["95% 区间", "95 % interval"],
    intervalNoteCell: ["区间：对话重抽样的 2.5–97.5 百分位；Wilson：视各题相互独立的二项区间。CIDEr 为 0–10 的原值，其余单位 %。",
      "Interval: 2.5th to 97.5th percentile over resampled dialogues; Wilson: binomial, as if items were independent. CIDEr as it is, from 0 to 10; all else in percent."],
    copy: ["复制", "Copy"], copied: ["已复制", "Copied"], dialogue: ["对话", "Dialogue"], question: ["问题", "Question"],
    options: ["选项", "Options"], gold: ["正确答案", "gold"], chosen: ["模型所选", "chosen"], references: ["参考答案", "References"],
    reply: ["原始回复", "Raw reply"], replyNote: ["高亮处即解析所读", "highlighted: what the parser read"], noReply: ["没有回复", "No reply"],
    emptyReply: ["（空）", "(empty)"], rule: ["解析规则", "Rule"], statusIs: ["状态", "Status"], scores: ["得分", "Scores"], finish: ["结束原因", "Finish"],
    shotsShown: ["示例", "Shots"], shotsOf: ["展示 {0}，要求 {1}", "{0} shown, {1} asked"], shotsLost: ["（少放 {0}）", " ({0} dropped)"],
    readAs: ["读作", "Read as"], prompt: ["完整提示词", "Exact prompt"], others: ["其他模型的回复", "Other models on this item"],
    otherForm: ["题面不同", "differs in wording or options"], openIt: ["打开", "Open"], noOthers: ["没有其他模型答过这一题。", "No other model was asked this item."],
    gone: ["本页没有这一条，链接可能出自另一次运行。", "This page has no such entry; the link may be from another run."],
    old: ["此浏览器过旧，不支持 DecompressionStream，无法解开数据。请用新版 Chrome、Edge、Firefox 或 Safari。 · This browser lacks DecompressionStream and cannot unpack the data. Please use a recent Chrome, Edge, Firefox or Safari."],
    broken: ["数据无法读取 · The data could not be read: "],
    foot: ["本页自成一体，不联网，由 evalsuite 生成。“论文”指 CORECODE 原论文，数字引自其表 2、3、6、7。",
      "This page stands alone, needs no network, and was made by evalsuite. “The paper” is the CORECODE paper; its figures are from Tables 2, 3, 6 and 7."],
  };
  const STATUSES = ["parsed", "unparsed", "refused", "truncated", "several", "conflict", "empty", "failed", "missing"];
  const NO_ANSWER = STATUSES.slice(1, 7);
  // In the order of the choice: [Chinese, English]. Those of the paper's profile are called "paper." and the name here.
  const METRIC_NAMES = {
    accuracy: ["正确率", "Acc."], "paper.accuracy": ["正确率（论文形式）", "Acc. (paper's forms)"], f1: ["F1", "F1"], em: ["EM", "EM"],
    f1_token: ["F1（词）", "F1 of words"], bleu1: ["BLEU-1"], bleu2: ["BLEU-2"], bleu3: ["BLEU-3"], bleu4: ["BLEU-4"], rouge1: ["ROUGE-1"], rouge2: ["ROUGE-2"],
    rouge_l: ["ROUGE-L"], meteor15: ["METEOR 1.5"], meteor: ["METEOR"], cider: ["CIDEr"], chrf: ["chrF"],
  };
  // Our metric -> the paper's published figure of the same definition. All else does not compare.
  const PUBLISHED_AS = {
    f1: "f1", em: "em", accuracy: "accuracy", "paper.accuracy": "accuracy", "paper.bleu1": "bleu1", "paper.bleu2": "bleu2", "paper.rouge_l": "rouge_l",
    "paper.meteor15": "meteor", "paper.cider": "cider",
  };
  const PAGE = 50;

  const t = (key, ...args) => {
    const text = WORDS[key] ? WORDS[key][state.lang === "zh" ? 0 : 1] : key;
    return args.reduce((done, arg, i) => done.split(`{${i}}`).join(String(arg)), text);
  };
  const isPaper = (m) => m.startsWith("paper.");
  const baseName = (m) => m.replace(/^paper\./, "");
  function metricName(m) {
    const [zh, en = zh] = METRIC_NAMES[m] ?? METRIC_NAMES[baseName(m)] ?? [plain(baseName(m))];
    const name = state.lang === "zh" ? zh : en;
    return isPaper(m) && !METRIC_NAMES[m] ? t("ofPaper", name) : name;
  }
  const longName = (m) => (METRIC_NAMES[m] && WORDS[m] ? t(m) : metricName(m)) + (isRaw(m) ? " ×1" : "");
  const isNumber = (v) => typeof v === "number" && isFinite(v);
  const pct = (v, digits = 1) => (isNumber(v) ? (v * 100).toFixed(digits) : "–");
  // CIDEr goes from 0 to 10 and stands as it is; all other metrics are shares, in percent.
  const isRaw = (m) => baseName(m) === "cider";
  const figure = (m, v, digits = 1) => (!isNumber(v) ? "–" : isRaw(m) ? v.toFixed(digits + 1) : pct(v, digits));
  /** "31–42", or "" if there is no interval. */
  const span = (m, low, high, digits = 0) => (isNumber(low) && isNumber(high) ? `${figure(m, low, digits)}–${figure(m, high, digits)}` : "");
  const num = (n) => Number(n).toLocaleString("en-US");

  // ---------------------------------------------------------------- DOM helpers
  const $ = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";

  /** Give a node its attributes (`on…`: a listener) and children; strings become text nodes. */
  function fill(node, props, kids) {
    for (const [name, value] of Object.entries(props || {})) {
      if (value === undefined || value === null || (value === false && name !== "aria-pressed")) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true && name !== "aria-pressed" ? "" : String(value));
    }
    node.append(...kids.flat(3).filter((k) => k !== null && k !== undefined && k !== false));
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
  function copyButton(text) {
    return button(t("copy"), async (e) => {
      const node = e.currentTarget;
      try { await navigator.clipboard.writeText(text); } catch { copyBySelection(text); }
      node.textContent = t("copied");
      setTimeout(() => { node.textContent = t("copy"); }, 1500);
    }, { class: "small" });
  }
  function copyBySelection(text) {  // where the clipboard API is not allowed, as on some file:// pages
    const area = h("textarea", { class: "sr" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }

  // ---------------------------------------------------------------- text made visible
  // Control, format (bidi, zero width) and lone surrogate characters would reorder the page or hide: they are shown as marks.
  const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/u;
  const mark = (char) => "U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  const isHidden = (char) => char !== "\n" && HIDDEN.test(char);
  /** For attributes and SVG, where only a string can stand. */
  const plain = (text) => Array.from(String(text), (c) => (isHidden(c) ? mark(c) : c)).join("");
  /** Nodes for `text`, marks set apart from the words. */
  function visible(text) {
    const nodes = [];
    let words = "";
    for (const char of String(text)) {
      if (!isHidden(char)) { words += char; continue; }
      if (words) nodes.push(words);
      words = "";
      nodes.push(h("span", { class: "ctl" }, mark(char)));
    }
    if (words) nodes.push(words);
    return nodes;
  }
  const data$ = (tag, cls, text) => h(tag, { class: ("data " + (cls || "")).trim(), lang: "zh-CN" }, visible(text));
  const nameNode = (model) => h("span", { class: "data name", title: plain(model.label) }, visible(model.label));
  /** `text` with every `[MASK]` and every one of `spans` (of class `cls`) set apart. */
  function emphasised(text, spans, cls) {
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

  // ---------------------------------------------------------------- data
  let data, models, tasks, cellIndex;
  let choiceMetrics = [], textMetrics = [];  // the names of metrics that cells have, by kind of task

  async function unpack() {
    const packed = atob($("data").textContent.trim());
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
    const used = new Set(data.cells.map((c) => c.task));
    tasks = data.tasks.filter((x) => !used.size || used.has(x.name));
    models = new Map();
    for (const cell of data.cells) {
      cell.id = `${cell.run}\t${cell.model}`;
      if (!models.has(cell.id)) models.set(cell.id, { id: cell.id, run: cell.run, name: cell.model, baseline: isBaseline(cell) });
    }
    labelModels();
    cellIndex = new Map(data.cells.map((c) => [address(c.id, c.set, c.task, c.split, c.variant, c.shots), c]));
    const known = Object.keys(METRIC_NAMES), place = (m) => [known.indexOf(baseName(m)) + 1 || 99, isPaper(m)];
    const names = (wanted) => [...new Set(data.cells.filter((c) => (taskOf(c.task).kind === "choice") === wanted).flatMap((c) => Object.keys(c.metrics ?? {})))]
      .sort((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1]);
    [choiceMetrics, textMetrics] = [names(true), names(false)];
  }
  const isBaseline = (cell) => cell.facts?.backend === "baseline" || Boolean(cell.facts?.tags?.includes("baseline"));
  const address = (...parts) => parts.join("\t");

  function labelModels() {
    const all = [...models.values()];
    for (const model of all) {
      const name = data.runs[model.run]?.name ?? String(model.run + 1);
      const sameRun = data.runs.filter((r) => r.name === name).length > 1;
      const several = all.filter((m) => m.name === model.name).length > 1;
      model.label = several ? `${model.name} (${name}${sameRun ? " #" + (model.run + 1) : ""})` : model.name;
    }
  }
  const distinct = (name) => [...new Set(data.cells.map((c) => c[name]))].sort((a, b) => (a > b ? 1 : a < b ? -1 : 0));
  const setNames = () => {
    const there = distinct("set");
    return there.length ? ["easy", "hard"].filter((x) => there.includes(x)).concat(there.filter((x) => x !== "easy" && x !== "hard")) : ["easy", "hard"];
  };
  const taskOf = (name) => data.tasks.find((x) => x.name === name) ?? { name, zh: name, en: name, kind: "text", metrics: [] };
  const taskName = (task) => (state.lang === "zh" ? task.zh : task.en);
  function metricOf(task) {
    const [wish, there] = task.kind === "choice" ? [state.metricChoice, choiceMetrics] : [state.metric, textMetrics];
    return there.includes(wish) ? wish : task.metrics[0] ?? there[0] ?? wish;
  }
  const cellAt = (id, set, task) => cellIndex.get(address(id, set, task, state.split, state.variant, state.shots));
  const valueOf = (cell, metric) => cell?.metrics?.[metric]?.value ?? null;
  const inView = (cell) => cell.split === state.split && cell.variant === state.variant && cell.shots === state.shots;

  function counts(cell) {
    const all = Object.fromEntries(STATUSES.map((x) => [x, cell.status?.[x] ?? 0]));
    all.missing = cell.missing ?? 0;
    all.none = NO_ANSWER.reduce((sum, x) => sum + all[x], 0);
    return all;
  }
  // A row of a cell, as report.py packs it.
  const rowOf = (r) => ({
    item: data.items[r[0]], place: r[0], prompt: data.strings[r[1]], reply: data.strings[r[2]], status: r[3], choice: r[4], text: r[5],
    rule: r[6], start: r[7], end: r[8], scores: r[9] ?? {}, finish: r[10], error: r[11], shots: r[12], asked: r[13],
  });
  function outcome(r) {
    const scores = r[9] ?? {};
    if (r[3] === "failed") return "failedFilter";
    if (r[3] !== "parsed") return "notParsed";
    if (scores.accuracy === 1 || scores.em === 1) return "right";
    return scores.f1 > 0 ? "partial" : "wrong";
  }

  /** The paper's figures: model -> value and table, for a set, task and metric at the chosen number of shots. */
  function published(set, task, metric) {
    const found = new Map();
    for (const p of data.published) {
      if (p.set !== set || p.task !== task || p.metric !== PUBLISHED_AS[metric] || p.shots !== state.shots) continue;
      const entry = found.get(p.model) ?? { value: p.value, sources: [] };
      if (!entry.sources.includes(p.source)) entry.sources.push(p.source);
      found.set(p.model, entry);
    }
    return found;
  }

  // ---------------------------------------------------------------- state and address
  const state = {
    lang: "zh", metric: "f1", metricChoice: "accuracy", intervals: true, variant: "paper", shots: 0, split: "test", published: true, sort: { key: "", down: true },
    issues: false, statusSet: "", statusModel: "", filter: "all", query: "", page: 0,
  };
  const store = {
    get: (key) => { try { return localStorage.getItem("evalsuite." + key); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem("evalsuite." + key, value); } catch { /* not allowed here: forget */ } },
  };
  const route = () => new URLSearchParams(location.hash.slice(1));
  function go(params, replace = false) {
    const lang = route().get("lang");
    const text = "#" + new URLSearchParams({ ...(lang && { lang }), ...params });
    if (replace) location.replace(text);
    else location.hash = text;
  }
  const cellRoute = (c) => ({ run: c.run, model: c.model, set: c.set, task: c.task, split: c.split, prompt: c.variant, shots: c.shots });
  function routedCell() {
    const r = route();
    const at = address(`${r.get("run")}\t${r.get("model")}`, r.get("set"), r.get("task"), r.get("split"), r.get("prompt"), r.get("shots"));
    return cellIndex.get(at);
  }
  function startState() {
    const pick = (name, wish) => { const all = distinct(name); return all.includes(wish) || !all.length ? wish : all[0]; };
    Object.assign(state, { variant: pick("variant", "paper"), shots: pick("shots", 0), split: pick("split", "test") });
    state.sort.key = (tasks.find((x) => data.cells.some((c) => c.task === x.name)) ?? { name: "" }).name;
    readLanguage();
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
  const update = (change) => { Object.assign(state, change); drawOverview(); };

  // ---------------------------------------------------------------- header and footer
  function drawFrame() {
    document.documentElement.lang = state.lang === "zh" ? "zh-CN" : "en";
    document.title = t("title");
    put($("skip"), t("skip"));
    put($("foot"), h("p", null, t("foot")));
    put($("top"),
      h("div", { class: "bar" },
        h("p", { class: "brand" }, "evalsuite"),
        h("div", { class: "tools" },
          button(t("language"), () => setLanguage(state.lang === "zh" ? "en" : "zh"), { id: "lang", lang: state.lang === "zh" ? "en" : "zh-CN" }),
          button("◐", toggleTheme, { id: "theme", "aria-label": t("theme"), title: t("theme") }))));
  }
  function drawIntro() {
    const seen = new Set(data.cells.flatMap((c) => c.rows.map((r) => data.items[r[0]].item)));
    const replies = data.cells.reduce((sum, c) => sum + c.rows.length, 0);
    const fact = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));
    return h("section", { class: "intro" },
      h("h1", null, t("title")), h("p", { class: "lead" }, t("lead")),
      h("dl", { class: "facts" }, data.runs.map(runFacts).map(([k, v]) => fact(k, v)),
        fact(t("models"), num(models.size)), fact(t("items"), num(seen.size)), fact(t("replies"), num(replies))),
      sampleNotice(),
      h("p", { class: "how" }, h("strong", null, t("readTitle")), " ", t("read")));
  }
  function sampleNotice() {
    const runs = data.runs.filter((r) => r.manifest?.settings?.data === "bundled:sample");
    return runs.length > 0 && h("p", { class: "notice caution", id: "sample" }, visible(t("sampleNote", runs.map((r) => r.name).join(", "))));
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

  // ---------------------------------------------------------------- overview
  function drawOverview() {
    const focus = document.activeElement?.closest("[data-keep]")?.dataset.keep;
    const scroll = [...document.querySelectorAll(".scroll")].map((x) => [x.scrollLeft, x.scrollTop]);
    put($("main"), drawIntro(), h("section", { class: "block" }, h("h2", null, t("overview")),
      h("p", { class: "note" }, t("overviewNote"), state.intervals && haveIntervals() && ` ${t("intervalNote")}`),
      controls(), notes(), legend(), setNames().map(overviewTable)), drawChart(), drawStatus());
    document.querySelectorAll(".scroll").forEach((x, i) => { if (scroll[i]) [x.scrollLeft, x.scrollTop] = scroll[i]; });
    if (focus) document.querySelector(`[data-keep="${CSS.escape(focus)}"]`)?.querySelector("button,select,input")?.focus();
  }
  const kept = (key, node) => { node.dataset.keep = key; return node; };
  function controls() {
    const several = (name, key) => {
      const all = distinct(name);
      return all.length > 1 && kept(key, choice(t(key), all, state[name], (v) => update({ [name]: name === "shots" ? Number(v) : v }), plain));
    };
    const groups = [[t("profileDefault"), textMetrics.filter((m) => !isPaper(m))], [t("profilePaper"), textMetrics.filter(isPaper)]].filter(([, list]) => list.length);
    return h("div", { class: "controls" },
      textMetrics.length > 1 && kept("metric", choice(t("metric"), groups, state.metric, (metric) => update({ metric }), longName)),
      choiceMetrics.length > 1 && kept("metric-choice", choice(t("metricChoice"), choiceMetrics, state.metricChoice, (metricChoice) => update({ metricChoice }), longName)),
      several("variant", "variant"), several("shots", "shots"), several("split", "split"),
      haveIntervals() && kept("intervals", check(t("intervals"), state.intervals, (on) => update({ intervals: on }))),
      data.published.length > 0 && kept("published", check(t("published"), state.published, (on) => update({ published: on }))),
      button(t("csv"), exportCsv, { id: "csv", class: "push" }));
  }
  function notes() {
    if (!data.cells.length) return h("p", { class: "notice" }, t("noCells"));
    if (!data.cells.some(inView)) return h("p", { class: "notice" }, t("noneHere"));
    const lines = [state.published && data.published.length > 0 && profileNote(), state.metricChoice === "paper.accuracy" && t("formsNote")].filter(Boolean);
    return lines.length > 0 && h("p", { class: "note", id: "profile", role: "status" }, lines.join(" "));
  }
  /** Why the paper's rows are not beside the metric chosen. */
  function profileNote() {
    const metric = state.metric;
    if (PUBLISHED_AS[metric] || !textMetrics.includes(metric)) return "";
    const name = metricName(metric), twin = Object.keys(PUBLISHED_AS).find((m) => isPaper(m) && PUBLISHED_AS[m] === baseName(metric));
    return twin ? t("notComparable", metricName(baseName(metric)), name, metricName(twin)) : t("notPublished", name);
  }
  const haveIntervals = () => data.cells.some((c) => inView(c) && Object.values(c.metrics ?? {}).some((m) => isNumber(m.low) && isNumber(m.high)));

  function legend() {
    const seen = STATUSES.filter((x) => data.cells.some((c) => inView(c) && counts(c)[x] > 0));
    return seen.length > 1 && h("p", { class: "legend" }, seen.map((x) => h("span", null, h("i", { class: "s-" + x, "aria-hidden": "true" }), t(x))));
  }

  /** Models of a group in the order asked for: by a task's value (`null` last) or by name. */
  function ordered(rows, set) {
    const { key, down } = state.sort;
    const sign = down ? -1 : 1;
    if (key === "") return [...rows].sort((a, b) => sign * a.label.localeCompare(b.label));
    return rows.map((row) => [row, row.value(set, taskOf(key))])
      .sort(([, a], [, b]) => (a === null) - (b === null) || (a === null ? 0 : sign * (a - b))).map(([row]) => row);
  }
  function ownRows(baseline) {
    return [...models.values()].filter((m) => m.baseline === baseline)
      .map((m) => {
        const metric = (set, task) => cellAt(m.id, set, task.name)?.metrics?.[metricOf(task)] ?? null;
        return { label: m.label, model: m, metric, value: (set, task) => metric(set, task)?.value ?? null };
      })
      .filter((row) => data.cells.some((c) => c.id === row.model.id && inView(c)));
  }
  function paperRows(set) {
    const columns = new Map(tasks.map((x) => [x.name, published(set, x.name, metricOf(x))]));
    const names = [...new Set([...columns.values()].flatMap((c) => [...c.keys()]))];
    return names.map((label) => ({ label, columns, value: (_, task) => columns.get(task.name)?.get(label)?.value ?? null }));
  }
  /** Row -> "best" or "second" among the own models. Cells with failed or missing items, and unlike columns, are not ranked. */
  function ranks(rows, set, task) {
    const complete = (row) => { const c = cellAt(row.model.id, set, task.name); return c && counts(c).failed + counts(c).missing === 0; };
    const value = (row) => (complete(row) ? row.value(set, task) : null)?.toFixed(12);
    const values = [...new Set(rows.map(value).filter(Boolean))].sort((a, b) => b - a);
    const ranked = rows.filter(value).length > 1 && sameItems(columnCells(set, task));
    return (row) => (ranked && ["best", "second"][values.indexOf(value(row))]) || "";
  }
  const columnCells = (set, task) => [...models.keys()].map((id) => cellAt(id, set, task.name)).filter(Boolean);
  const sameItems = (cells) => new Set(cells.map((c) => `${c.facts?.data}|${c.facts?.limit}|${c.facts?.seed}|${Boolean(c.facts?.drop_leaked)}`)).size < 2;

  function overviewTable(set) {
    const own = ordered(ownRows(false), set), base = ordered(ownRows(true), set);
    const paper = state.published ? ordered(paperRows(set), set) : [];
    const average = paper.filter((r) => r.label === "Average");
    const place = new Map(tasks.map((x) => [x.name, ranks(own, set, x)]));
    const title = h("h3", { id: "set-" + set }, set.toUpperCase());
    const body = (rows, heading, row, cls) => rows.length > 0 && h("tbody", { class: cls }, heading, rows.map(row));
    const heading = (text) => h("tr", { class: "group" }, h("th", { scope: "rowgroup" }, text), tasks.map(() => h("td")));
    const modelRow = (ranked) => (row) => h("tr", null, h("th", { scope: "row" }, nameNode(row.model)),
      tasks.map((x) => valueCell(cellAt(row.model.id, set, x.name), x, ranked ? place.get(x.name)(row) : "")));
    const paperRow = (row) => h("tr", null, h("th", { scope: "row" }, row.label === "Average" ? t("average") : data$("span", "name", row.label)),
      tasks.map((x) => h("td", { class: "v" }, h("span", { class: "num" }, figure(metricOf(x), row.value(set, x))), spanNode(metricOf(x), null))));
    return [title, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "set-" + set },
      h("table", { class: "overview", "data-set": set }, h("thead", null, h("tr", null, sortHead("", t("model")), tasks.map((x) => taskHead(x, set)))),
        h("tbody", { class: "chance" }, h("tr", null, h("th", { scope: "row" }, t("chance")), tasks.map((x) => h("td", { class: "v" }, h("span", { class: "num" }, pct(chanceOf(set, x))), spanNode(metricOf(x), null))))),
        body(own, heading(t("own")), modelRow(true), "own"), body(base, heading(t("baselines")), modelRow(false), "base"),
        body(paper.filter((r) => r.label !== "Average").concat(average), paperHead(paper[0]), paperRow, "paper")))];
  }
  function paperHead(row) {
    const source = (task) => [...new Set([...(row?.columns.get(task.name)?.values() ?? [])].flatMap((e) => e.sources))];
    const words = (all) => (all.length ? t("table", all.map((x) => x.replace(/^Table /, "")).join(state.lang === "zh" ? "、" : ", ")) : "–");
    return h("tr", { class: "group" }, h("th", { scope: "rowgroup" }, t("paper"), h("small", null, t("paperNote"))),
      tasks.map((x) => h("td", { class: "v" }, words(source(x)))));
  }
  function sortHead(key, label, extra) {
    const on = state.sort.key === key;
    const flip = () => update({ sort: { key, down: on ? !state.sort.down : key !== "" } });
    return h("th", { scope: "col", "aria-sort": on ? (state.sort.down ? "descending" : "ascending") : "none" },
      h("button", { type: "button", class: "sort", onclick: flip, "data-sort": key }, h("span", null, label),
        h("span", { class: "arrow", "aria-hidden": "true" }, on ? (state.sort.down ? "▾" : "▴") : "")), extra);
  }
  function taskHead(task, set) {
    const cells = columnCells(set, task);
    const ns = cells.map((c) => c.items);
    const [low, high] = [Math.min(...ns), Math.max(...ns)];
    const n = cells.length > 0 && `n=${low === high ? num(low) : `${num(low)}–${num(high)}`}`;
    const parts = (metricName(metricOf(task)) + (n ? ", " + n : "")).split(/\s*(?=[（(])|(?<=,)\s/);  // where the line may break
    return kept(`sort-${set}-${task.name}`, sortHead(task.name, taskName(task), [h("small", null, parts.map((x) => [h("span", { class: "together" }, x), " "]),
      !sameItems(cells) && h("span", { class: "warn", title: t("differ") }, "≠", unseen(t("differ")))),
    [...new Map(cells.map((c) => [leakNote(c), leaky(c)]))].map(([text, bad]) => text && h("small", { class: "leak" + (bad ? " warn" : "") }, text))]));
  }
  const leaky = (cell) => cell.facts?.leaked > 0 && !cell.facts.drop_leaked;
  /** How many items of the test file share their dialogue with the training split, of all in the file. */
  function leakNote(cell) {
    const leaked = cell.facts?.leaked;
    if (!(leaked > 0)) return "";
    const file = Object.values(data.runs[cell.run]?.manifest?.data ?? {}).find((f) => f?.sha256 === cell.facts.data);
    const all = file?.items ?? cell.items + (cell.facts.drop_leaked ? leaked : 0);
    return t(!leaky(cell) ? "leakedDropped" : cell.facts.limit == null ? "leaked" : "leakedLimit", num(leaked), num(all));
  }
  function chanceOf(set, task) {
    const cell = columnCells(set, task).find((c) => typeof c.chance === "number");
    return cell && task.kind === "choice" ? cell.chance : null;
  }
  function valueCell(cell, task, rank) {
    if (!cell) return h("td", { class: "v" }, h("span", { class: "num none" }, "–"));
    const n = counts(cell), metric = metricOf(task), m = cell.metrics?.[metric], text = figure(metric, valueOf(cell, metric));
    const between = span(metric, m?.low, m?.high, 1);
    const label = `${plain(models.get(cell.id).label)}, ${taskName(task)}, ${cell.set.toUpperCase()}: ${text}${between && `, ${t("interval")} ${between}`}`;
    return h("td", { class: "v" },
      h("button", { type: "button", class: "cell " + rank, onclick: () => go(cellRoute(cell)), "aria-label": label + (rank ? ", " + t(rank) : ""),
        title: `${metricName(metric)} ${text} · ${between && `${t("interval")} ${between} · `}n=${m?.n ?? 0}` }, h("span", { class: "num" }, text)), spanNode(metric, m),
      n.none > 0 && h("span", { class: "flag" }, statusBar(cell), `${num(n.none)} ${t("noAnswer")}`),
      n.failed > 0 && h("span", { class: "flag bad" }, `! ${num(n.failed)} ${t("failedN")}`),
      n.missing > 0 && h("span", { class: "flag bad" }, `! ${num(n.missing)} ${t("missingN")}`));
  }
  /** The interval beside a value; an empty one in rows without, so that values stand in line. */
  function spanNode(metric, m) {
    return state.intervals && haveIntervals() && h("span", { class: "ci" }, span(metric, m?.low, m?.high));
  }
  /** A stacked bar of the statuses; the numbers stand beside it or in its title. */
  function statusBar(cell) {
    const n = counts(cell);
    const parts = STATUSES.filter((x) => n[x] > 0);
    return h("span", { class: "stack", role: "img", "aria-label": parts.map((x) => `${t(x)} ${n[x]}`).join(", "), title: parts.map((x) => `${t(x)} ${n[x]}`).join(" · ") },
      parts.map((x) => { const part = h("i", { class: "s-" + x }); part.style.flexGrow = n[x]; return part; }));
  }

  function exportCsv() {
    const head = ["group", "model", "run", "set", "task", "split", "prompt", "shots", "metric", "value", "low", "high", "wilson_low", "wilson_high", "n", "items", "leaked", "drop_leaked", "chance", "accuracy_of_parsed", ...STATUSES, "source", "signature"];
    const lines = [head];
    for (const set of setNames()) for (const task of tasks) {
      const metric = metricOf(task);
      for (const row of [...ownRows(false), ...ownRows(true)]) {
        const c = cellAt(row.model.id, set, task.name);
        if (!c) continue;
        const n = counts(c), m = c.metrics?.[metric] ?? {};
        lines.push([row.model.baseline ? "baseline" : "model", c.model, data.runs[c.run]?.name, set, task.name, c.split, c.variant, c.shots, metric,
          m.value, m.low, m.high, ...(m.wilson ?? ["", ""]), m.n, c.items, c.facts?.leaked, c.facts?.drop_leaked, c.chance, c.accuracy_of_parsed, ...STATUSES.map((x) => n[x]), "", m.signature]);
      }
      if (state.published) for (const [model, p] of published(set, task.name, metric)) {
        lines.push(["published", model, "", set, task.name, "", "", state.shots, PUBLISHED_AS[metric], p.value, ...Array(10).fill(""), ...STATUSES.map(() => ""), p.sources.join("; "), ""]);
      }
    }
    // A spreadsheet takes a text that starts like a formula for one: an apostrophe keeps it a text.
    const field = (v) => { const x = String(v ?? ""); return `"${(typeof v === "string" && /^[=+\-@\t\r]/.test(x) ? "'" + x : x).replaceAll('"', '""')}"`; };
    const url = URL.createObjectURL(new Blob(["\ufeff" + lines.map((l) => l.map(field).join(",")).join("\r\n") + "\r\n"], { type: "text/csv" }));
    h("a", { href: url, download: "corecode-leaderboard.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  // ---------------------------------------------------------------- chart
  function drawChart() {
    if (!data.cells.some(inView)) return null;
    const set = setNames().at(-1);
    const rows = [...ordered(ownRows(false), set), ...ordered(ownRows(true), set)];
    return h("section", { class: "block" }, h("h2", null, t("chart")), h("p", { class: "note" }, t("chartNote"), state.intervals && haveIntervals() && ` ${t("whiskerNote")}`),
      h("div", { class: "panels" }, tasks.map((x) => panel(x, rows))));
  }
  const ROW = 24;
  const place = (share) => `${(2 + 96 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;
  /** Where the axis of a panel ends: 1, or for a metric that is no share, a round number above all that is drawn. */
  function axisEnd(metric, rows, task, sets, paper) {
    if (!isRaw(metric)) return 1;
    const drawn = rows.flatMap((r) => sets.flatMap((x) => { const m = r.metric(x, task); return [m?.value, state.intervals ? m?.high : null]; }));
    const most = Math.max(0, ...drawn.filter(isNumber), ...paper.flatMap(([, list]) => list.map(([, e]) => e.value)));
    return [0.5, 1, 2, 4, 6, 8].find((x) => x >= most) ?? 10;
  }
  function panel(task, rows) {
    const sets = setNames(), metric = metricOf(task);
    const chance = sets.map((x) => chanceOf(x, task)).filter((v) => v !== null);
    const paper = state.published ? sets.map((x) => [x, [...published(x, task.name, metric)].filter(([m]) => m !== "Average")]) : [];
    const end = axisEnd(metric, rows, task, sets, paper), across = (v) => place(v / end);
    const inPaper = new Set(paper.flatMap(([, list]) => list.map(([m]) => m))).size;
    const height = (rows.length + (inPaper > 0)) * ROW;
    const words = rows.map((r) => `${plain(r.label)} ${sets.map((x) => `${x.toUpperCase()} ${figure(metric, r.value(x, task))}`).join(", ")}`).join("; ");
    const plot = s("svg", { class: "plot", width: "100%", height: height + 20, role: "img", "aria-label": `${taskName(task)}: ${words}` },
      [0, 0.25, 0.5, 0.75, 1].map((v) => s("line", { class: "grid", x1: place(v), x2: place(v), y1: 0, y2: height })),
      [0, 0.5, 1].map((v, i) => s("text", { x: place(v), y: height + 15, "text-anchor": ["start", "middle", "end"][i] }, isRaw(metric) ? String(v * end) : pct(v, 0))),
      [...new Set(chance.map(across))].map((x) => s("line", { class: "chance", x1: x, x2: x, y1: 0, y2: height })),
      rows.map((r, i) => dots(r, task, sets, i * ROW + ROW / 2, across)),
      paper.map(([set, list]) => list.map(([m, e]) => s("rect", { class: "tick " + set, x: across(e.value), y: rows.length * ROW + (set === "easy" ? 4 : 12), width: 2, height: 7 },
        s("title", null, `${m}, ${set.toUpperCase()} ${figure(metric, e.value)} (${e.sources.join(", ")})`)))));
    return h("figure", { class: "panel" },
      h("figcaption", null, h("strong", null, taskName(task)), h("small", null, metricName(metric), chance.length > 0 && ` · ${t("chanceIs", pct(chance.at(-1)))}`)),
      h("div", { class: "plotrow" }, h("div", { class: "names" }, rows.map((r) => h("div", { class: r.model.baseline ? "muted" : "" }, nameNode(r.model))),
        inPaper > 0 && h("div", { class: "muted" }, t("paperRow", inPaper))), plot));
  }
  /** A dot a set, joined by a line; with intervals each set has its own height, and whiskers in place of the line. */
  function dots(row, task, sets, y, across) {
    const metric = metricOf(task), whiskers = state.intervals && haveIntervals();
    const points = sets.map((set, i) => ({ set, m: row.metric(set, task), y: whiskers ? y + (i - (sets.length - 1) / 2) * 9 : y })).filter((p) => isNumber(p.m?.value));
    const line = (cls, x1, x2, y1, y2) => s("line", { class: cls, x1: across(x1), x2: across(x2), y1, y2 });
    const whisker = (p) => span(metric, p.m.low, p.m.high) && s("g", { class: "whisker" },
      line("", p.m.low, p.m.high, p.y, p.y), [p.m.low, p.m.high].map((v) => line("", v, v, p.y - 2.5, p.y + 2.5)));
    const words = (p) => `${plain(row.label)}, ${p.set.toUpperCase()} ${figure(metric, p.m.value)} ${span(metric, p.m.low, p.m.high, 1).replace(/.+/, "($&)")}`.trim();
    return s("g", { class: row.model.baseline ? "base" : "own" },
      whiskers ? points.map(whisker) : points.length > 1 && line("link", points[0].m.value, points.at(-1).m.value, y, y),
      points.map((p) => s("circle", { class: "dot " + p.set, cx: across(p.m.value), cy: p.y, r: whiskers ? 3.5 : p.set === "easy" ? 5 : 4.5 }, s("title", null, words(p)))));
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
        kept("st-set", choice(t("set"), ["", ...setNames()], state.statusSet, (v) => update({ statusSet: v }), (v) => (v ? v.toUpperCase() : t("allSets")))),
        kept("st-amiss", check(t("onlyIssues"), state.issues, (on) => update({ issues: on })))),
      bodies.length ? h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-labelledby": "status" }, h("table", { class: "status" },
        h("thead", null, h("tr", null, heads.map((x) => h("th", { scope: "col" }, x)))), bodies)) : h("p", { class: "notice" }, t("noRows")));
  }
  function statusRow(cell) {
    const n = counts(cell), task = taskOf(cell.task);
    const number = (v, cls) => h("td", { class: "v " + (v ? cls : "zero") }, num(v));
    return h("tr", null, h("th", { scope: "row" }, button(taskName(task), () => go(cellRoute(cell)), { class: "link" })), h("td", null, cell.set.toUpperCase()),
      h("td", { class: "v" }, h("small", null, metricName(metricOf(task)), " "), figure(metricOf(task), valueOf(cell, metricOf(task)))),
      h("td", { class: "v" }, pct(cell.accuracy_of_parsed)), number(cell.items, ""),
      STATUSES.map((x) => number(n[x], x === "parsed" ? "" : "k-" + x)), h("td", null, statusBar(cell)));
  }

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
      h("p", { class: "lead" }, nameNode(models.get(cell.id)), h("span", { class: "muted" }, ` · ${t("variant")} ${plain(cell.variant)} · ${t("shots")} ${cell.shots} · ${plain(cell.split)}`)),
      h("dl", { class: "facts" },
        headline(cell, task).map(([m, x]) => sum(longName(m), figure(m, x.value), [[t("interval"), span(m, x.low, x.high, 1)], ["Wilson", span(m, ...(x.wilson ?? []), 1)], ["n", num(x.n)]]
          .filter(([, v]) => v).map(([k, v]) => h("span", { class: "line" }, `${k} ${v}`)))),
        typeof cell.chance === "number" && sum(t("chance"), pct(cell.chance)), cell.accuracy_of_parsed != null && sum(t("ofParsed"), pct(cell.accuracy_of_parsed)),
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
    const shown = ["all", "right", "partial", "wrong", "notParsed", "failedFilter"].filter((x) => x === "all" || tally[x] || x !== "partial");
    return segmented(t("statusIs"), shown.map((x) => [x, `${t(x)} ${num(tally[x] ?? 0)}`]), state.filter, (filter) => {
      Object.assign(state, { filter, page: 0 });
      document.querySelectorAll(".listtools .seg button").forEach((b) => b.setAttribute("aria-pressed", b.dataset.value === filter));
      drawList();
      drawItem();
    });
  }
  let wait;
  function onSearch(event) {
    clearTimeout(wait);
    wait = setTimeout(() => { Object.assign(state, { query: event.target.value, page: 0 }); drawList(); drawItem(); }, 150);
  }
  /** The task's own metrics, and the one chosen in the overview. */
  function headline(cell, task) {
    const wanted = new Set([...(task.kind === "choice" ? choiceMetrics : task.metrics), metricOf(task)]);
    return Object.entries(cell.metrics ?? {}).filter(([m]) => wanted.has(m));
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
      return [x.item, x.question, ...x.dialogue, ...x.options, ...x.references, data.strings[r[2]], r[6], r[11] ?? ""].join("\n").toLowerCase();
    });
    const query = state.query.trim().toLowerCase();
    return cell.rows.filter((r, i) => (state.filter === "all" || outcome(r) === state.filter) && (!query || cell.texts[i].includes(query)));
  }
  const idOf = (r) => data.items[r[0]].item;
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
        h("span", { class: "badge b-" + kind }, kind === "notParsed" ? t(row.status) : t(kind)), h("span", { class: "idno" }, "#" + plain(row.item.item.split("/").pop())),
        row.scores.f1 !== undefined && h("span", { class: "muted" }, ` F1 ${pct(row.scores.f1)}`),
        h("span", { class: "data snippet", lang: "zh-CN" }, visible((row.reply || row.error || t("emptyReply")).slice(0, 80)))));
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
    data$("h2", "itemid", row.item.item),
    h("div", { class: "two" }, h("div", null, h("h3", null, t("dialogue")), chat(row)),
      h("div", null, h("h3", null, t("question")), h("p", { class: "data question", lang: "zh-CN" }, emphasised(row.item.question, [], "")), answers(row), replyBlock(row, outcome(r)))),
    h("details", null, h("summary", null, t("prompt")), h("div", { class: "promptbox" }, copyButton(row.prompt), data$("pre", "", row.prompt))),
    others(r, row));
  }
  function chat(row) {
    const first = /^\s*([^:：\s]{1,12})[:：]/.exec(row.item.dialogue[0] ?? "")?.[1];
    const spans = taskOf(open.task).kind === "span" ? row.item.references : [];
    return h("ol", { class: "chat" }, row.item.dialogue.map((turn) => {
      const [, who, said] = /^\s*([^:：\s]{1,12})[:：]\s?([^]*)$/.exec(turn) ?? [null, "", turn];
      return h("li", { class: who === first ? "left" : "right" }, h("span", { class: "who" }, visible(who)),
        h("span", { class: "data bubble", lang: "zh-CN" }, emphasised(said, spans, "goldspan")));
    }));
  }
  function answers(row) {
    const x = row.item;
    if (!x.options.length) return [h("h3", null, t("references")), h("ul", { class: "opts" }, x.references.map((ref) => h("li", { class: "isgold" }, data$("span", "", ref), h("span", { class: "pill gold" }, "✓ " + t("gold")))))];
    return [h("h3", null, t("options")), h("ul", { class: "opts" }, x.options.map((option, i) => {
      const gold = x.labels[i] === x.gold, chosen = row.choice === i;
      return h("li", { class: (gold ? "isgold " : "") + (chosen ? "ischosen" : "") }, data$("span", "", `${x.labels[i] ?? ""} ${option}`),
        gold && h("span", { class: "pill gold" }, "✓ " + t("gold")), chosen && h("span", { class: "pill chosen" }, "● " + t("chosen")));
    }))];
  }
  function replyBlock(row, kind) {
    const lost = row.asked - row.shots;
    const facts = [
      [t("statusIs"), h("span", { class: "badge b-" + kind }, t(row.status) + (row.status === "parsed" ? " · " + t(kind) : ""))], row.text != null && row.status === "parsed" && [t("readAs"), data$("span", "", row.text)],
      [t("rule"), data$("code", "", row.rule || "–")], [t("scores"), Object.entries(row.scores).map(([m, v]) => `${metricName(m)} ${pct(v)}`).join(" · ") || "–"],
      [t("finish"), data$("code", "", row.finish)], [t("shotsShown"), t("shotsOf", row.shots, row.asked) + (lost > 0 ? t("shotsLost", lost) : "")],
    ].filter(Boolean);
    return [h("h3", null, t("reply"), row.start !== null && h("small", null, " · ", t("replyNote"))),
      row.error !== null ? h("div", { class: "notice" }, h("strong", null, t("noReply")), " ", data$("code", "", row.error)) : highlighted(row),
      h("dl", { class: "settings" }, facts.map(([k, v]) => [h("dt", null, k), h("dd", null, v)]))];
  }
  /** Places count code points, as Python does, not UTF-16 units. */
  function highlighted(row) {
    const chars = Array.from(row.reply), cut = (a, b) => visible(chars.slice(a, b).join(""));
    const parts = !chars.length ? [h("span", { class: "muted" }, t("emptyReply"))] : row.start === null || row.end === null ? visible(row.reply)
      : [cut(0, row.start), h("mark", { class: "read" }, cut(row.start, row.end)), cut(row.end)];
    return h("pre", { class: "data reply", lang: "zh-CN" }, parts);
  }
  function others(r, row) {
    const same = data.cells.filter((c) => c !== open && ["set", "task", "split", "variant", "shots"].every((k) => c[k] === open[k]));
    const cards = same.map((c) => {
      c.byItem ??= new Map(c.rows.map((x) => [idOf(x), x]));
      const other = c.byItem.get(idOf(r));
      return other && otherCard(c, other, row);
    }).filter(Boolean);
    return h("section", null, h("h3", null, t("others")), cards.length ? h("div", { class: "cards" }, cards) : h("p", { class: "muted" }, t("noOthers")));
  }
  function otherCard(cell, r, mine) {
    const row = rowOf(r), kind = outcome(r), model = models.get(cell.id);
    return h("article", { class: "card" },
      h("header", null, nameNode(model), h("span", { class: "badge b-" + kind }, kind === "notParsed" ? t(row.status) : t(kind))),
      row.place !== mine.place && h("p", { class: "warn" }, "≠ ", t("otherForm")),
      row.error !== null ? data$("code", "", row.error) : highlighted(row),
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
})();
