// What the page says, [Chinese, English], and how it writes names and numbers.
const WORDS = {
  title: ["CORECODE 评测榜", "CORECODE leaderboard"],
  lead: ["中文大语言模型在 CORECODE 基准上的评测结果：八项任务考察对中文对话的常识推理，分 EASY 与 HARD 两套题；每个数字都可点开，直到原始回复。",
    "How Chinese LLMs do on CORECODE: eight tasks of commonsense reasoning over Chinese dialogues, in an EASY and a HARD set. Every number opens, down to the raw reply."],
  readTitle: ["怎样读", "How to read"],
  read: ["未能解析、拒答、截断、多选、矛盾、空回复和被端点过滤的回复均按不正确计，并单独列出；请求失败没有分数，不计入。论文公布的行出自原论文，提示词、解析方式与数据均不同，已另行标出，不宜直接比较。",
    "Unparsed, refused, truncated, several, conflict, empty and filtered replies count as not right and are shown apart; failed requests have no score and are left out. Published rows come from the paper, with other prompts, parsers and data: they are marked, and no direct comparison."],
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
  accuracy: ["正确率", "Accuracy"], accuracy_sum: ["正确率，按总对数概率", "Accuracy by total log-probability"],
  accuracy_token: ["正确率，按每词元", "Accuracy per token"], accuracy_char: ["正确率，按每字", "Accuracy per character"], accuracy_prior: ["正确率，减去先验", "Accuracy less the prior"],
  "paper.accuracy": ["正确率，仅论文所列形式", "Accuracy, the paper's forms only"],
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
  "about.labels": ["“标签”：看模型接下来最可能写哪个选项标签，不生成文字，故无格式问题。", "Labels: which option label the model finds most likely to come next; nothing is written, so no format can fail."],
  "about.constrained": ["“限定生成”：模型照常生成，但只能写出选项标签。", "Constrained: the model writes, but can write an option label only."],
  "about.texts": ["“选项文本”：比较各选项全文的概率，不生成文字；“正确率”即按每词元。", "Texts: the probabilities of the options' whole texts are compared, nothing is written; “accuracy” is that per token."],
  "about.accuracy_sum": ["按总对数概率：各词元对数概率之和，偏向短选项。", "By total log-probability: the sum over all tokens; it favours short options."],
  "about.accuracy_token": ["按每词元：总和除以词元数，不偏向短选项，但随分词器而变。", "Per token: the sum over the number of tokens; no favour to short options, but it hangs on the tokenizer."],
  "about.accuracy_char": ["按每字：总和除以字数，与分词器无关。", "Per character: the sum over the number of characters; the same for all tokenizers."],
  "about.accuracy_prior": ["减去先验：减去该文本在没有题目时的对数概率，去掉选项本身常见与否的影响。", "Less the prior: less the text's log-probability without the question, so that common phrases gain nothing."],
  otherTasks: ["抽取与生成任务只有“生成”一种作答，仍显示其结果；未以所选方式作答的模型，选择题处为“–”。",
    "Spans and short texts are always generated and keep their results; models not asked in the chosen way have “–” at choices."],
  onlyGenerated: ["论文的选择题成绩出自生成作答，与此方式不可比，故不并列显示。", "The paper's models wrote their answers to choices: its figures do not compare with this way of asking and are left out."],
  scoring: ["作答方式", "Scoring"], generate: ["生成", "generate"], labels: ["标签概率", "labels"], texts: ["选项文本概率", "texts"], constrained: ["限定生成", "constrained"],
  byScoring: ["按作答方式比较", "By scoring"],
  byScoringNote: ["同一批选择题，各种作答方式下的正确率（%）。生成低、而限定生成与标签高，是格式问题（看“无答案”一列）；各列都近于随机水平，才是不会。",
    "The same choices, asked in every way: accuracy in percent. Low when generated but higher when constrained or by labels: the format failed (see “no answer”). Near chance in all columns: the model does not know."],
  differWays: ["≠ 各方式所答的题不尽相同", "≠ not all ways were asked the same items"],
  meanOf: ["{0} 项任务的平均", "Mean of {0} tasks"], meanNote: ["平均为各任务正确率的算术平均，仅在各任务均有成绩时给出；各任务的随机水平不同。", "The mean is unweighted, given only where every task has a figure; chance levels differ between tasks."],
  perToken: ["每词元", "per token"], perSum: ["总和", "sum"], perChar: ["每字", "per char."], lessPrior: ["减先验", "less prior"], priorIs: ["先验", "prior"],
  logprob: ["log p", "log p"], amongOptions: ["占各选项之和", "among the options"], tokensAre: ["词元", "tokens"],
  likelihoodNote: ["条形：各选项概率之间的占比（对总对数概率 log p 取 softmax）。▲ 该列最高者；所选按“{0}”。对数以 e 为底。", "Bars: the options' probabilities against one another (softmax of log p, the total log-probability). ▲ highest by that measure; chosen is the highest by “{0}”. Natural logarithms."],
  nothingWritten: ["模型没有写出文字：以各选项的概率作答。", "Nothing was written: the answer is the most likely option."],
  withheld: ["回复被端点的内容过滤拦下。", "The endpoint's content filter withheld the reply."], reasoning: ["思考过程（不参与解析）", "Reasoning (not read for the answer)"],
  perturb: ["扰动", "Perturbation"], perturbNone: ["不扰动", "not perturbed"],
  "about.perturb": ["扰动“{0}”：题目换了形式，正确答案随之而变。", "Perturbation “{0}”: the same items put otherwise; the right answer follows."],
  "about.circular": ["circular：每题按选项的各种轮换各问一次，全对才算对。", "Circular: every item is asked in each rotation of its options, and right only if all are."],
  perturbElse: ["此扰动不适用的任务仍显示未扰动的结果。", "Tasks that it does not apply to keep their unperturbed results."],
  onlyPlain: ["论文表中的成绩未经扰动，故不与扰动后的结果并列。", "The paper's tables are not perturbed: its figures are left out beside perturbed results."],
  robustness: ["稳健性", "Robustness"], drops: ["扰动前后", "Under perturbation"], beside: ["0 – 100 %", "0 – 100 %"], change: ["变化", "Change"],
  dropsNote: ["○ 未扰动，● 扰动后；下方横须为变化的 95% 区间（同一批对话成对重抽样），只比较两边都作答的题。* 经 Holm 校正后 p < 0.05。“翻转”：由对变错（✓→✕）或由错变对（✕→✓）的题所占比例；抽取与生成任务为得分变化不小于 0.5 者。",
    "○ not perturbed, ● perturbed; the whisker below is the 95 % interval of the change (paired, over resampled dialogues), on items answered in both. * p < 0.05 after Holm. Flipped: share of items that went from right to wrong (✓→✕) or back (✕→✓); for spans and texts, whose score moved by 0.5 or more."],
  flips: ["翻转", "Flipped"], flipped: ["扰动后翻转", "Flipped"], sameChoice: ["选择不变", "Same choice"], consistent: ["各轮换一致", "over all rotations"],
  sameChoiceNote: ["“选择不变”：两边都读出选项的题中，所选仍是原来那个选项的比例，不论对错。", "Same choice: where an option was read in both, how often it is the same original option, right or wrong."],
  positions: ["按选项位置", "By position"], positionsNote: ["实心条为模型所选，空心条为正确答案所在；两者分布相同则偏差为 0。偏差为两个分布的全变差距离：对每题都答 (b) 的模型，一条实心条占满。",
    "Filled bars: what the model chose; hollow bars: where gold stands. Bias is the total variation distance between the two, 0 if they are spread alike: a model that says (b) to everything has one full bar."],
  nHead: ["题（对话）", "Items (dialogues)"], bias: ["偏差", "bias"], mostly: ["最常选 {0}：{1} %", "mostly {0}: {1} %"], option: ["选项", "Option"], chosenShare: ["所选 %", "chosen %"], goldShare: ["正确 %", "gold %"], rightThere: ["该处正确率 %", "right there %"],
  silentN: ["另有 {0} 次没有选出选项", "{0} more replies chose no option"], rotation: ["第 {0} 次轮换", "rotation {0}"],
  wordings: ["按提示词", "By prompt wording"], wordingsNote: ["其余设置相同，仅提示词不同（%）。", "The rest equal, only the prompt's wording differs (in percent)."], meanHead: ["平均", "Mean"], spread: ["极差", "Spread"], worst: ["最差", "Worst"],
  byShots: ["按示例数", "By number of shots"], byShotsNote: ["其余设置相同，仅示例数不同（%）。", "The rest equal, only the number of shots differs (in percent)."],
  save: ["另存为", "Save as"], saveAs: ["另存为 {0}：{1}", "Save as {0}: {1}"], showAdapters: ["显示微调适配器（{0}）", "Show fine-tuned adapters ({0})"], andAdapters: ["另有 {0} 个微调适配器", "and {0} fine-tuned adapters"],
  learning: ["学习曲线", "Learning curves"], learningNote: ["横轴为微调所用的训练题数（LoRA），纵轴为测试题上的成绩（%）。横虚线为未微调的基座模型（左端标记同其曲线），点线为随机水平。悬停或聚焦可看数值，点击看逐题证据。",
    "Training items of the LoRA fine-tuning across, score on test items up (in percent). Dashed lines: the base model before it (its marker, at the left, is its curve's); dotted: the chance level. Hover or focus for values, click for the evidence."],
  seedNote: ["有多个种子处取平均，竖须为最低与最高的种子；只有一个种子处为 95% 区间（对话重抽样）。", "Where there are several seeds: their mean, whiskers from the lowest to the highest; with one seed the 95 % interval over resampled dialogues."],
  itemNote: ["竖须为 95% 区间（对话重抽样）；每处只有一个种子，不含训练本身的波动。", "Whiskers: 95 % intervals over resampled dialogues. One seed a point: how training itself varies is not in them."],
  trainedOn: ["在 {0} 上训练", "trained on {0}"], allowLeak: ["训练含测试对话", "trained on dialogues of test items, too"], baseModel: ["基座模型", "Base model"], setBelow: ["下方题集", "Set, below"],
  curvesBySet: ["成绩与训练题数", "Score over training items"], curvesByPerturb: ["扰动之下", "Under perturbation"], base: ["基座", "base"], baseLine: ["基座模型", "base model"], trainingItems: ["训练题数", "Training items"],
  nItems: ["{0} 题", "{0} items"], nSeeds: ["{0} 个种子", "{0} seeds"], seed: ["种子", "seed"], zeroBase: ["0（基座）", "0 (base)"], curveNumbers: ["曲线的数值", "The curves' numbers"], csvCurves: ["曲线 CSV", "Curves as CSV"],
  labelCheck: ["标签捷径检查", "Label shortcut"], labelNote: ["实心条为适配器所选的标签，空心条为训练答案中该标签的占比（按位置对应）；右列为本组测试题的正确答案。打乱选项后，若所选仍接近训练分布而远离正确分布，说明模型在照搬训练中的标签，而不是看选项。距离为全变差距离，0 为相同。",
    "Filled bars: the labels that the adapter chose; hollow bars: how often each was the answer in training (by place); the right column: gold in these test items. Options shuffled, an adapter whose choices stay near training and far from gold repeats training's labels instead of reading the options. Distances are total variation distances, 0 if alike."],
  distances: ["所选与训练的距离 {0} %，与正确答案的距离 {1} %。", "Distance of the answers to training {0} %, to gold {1} %."], trainedShare: ["训练 %", "training %"], saidShare: ["所选 %", "chosen %"], saidNone: ["没有选出任何选项。", "No option was chosen."],
  mostTrained: ["训练中最多的是 {0}（{1} %）：作答中占 {2} %，正确答案中占 {3} %。", "Most frequent in training: {0} ({1} %). It is {2} % of the answers, and right in {3} %."],
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
  several: ["多选", "several"], conflict: ["矛盾", "conflict"], empty: ["空回复", "empty"], filtered: ["内容过滤", "filtered"], failed: ["请求失败", "failed"],
  missing: ["尚未提问", "not asked"], noRows: ["没有符合条件的行。", "No rows match."],
  back: ["← 返回总览", "← Overview"], toList: ["← 返回列表", "← List"], all: ["全部", "All"], right: ["正确", "Right"],
  partial: ["部分匹配", "Partial"], wrong: ["错误", "Wrong"], notParsed: ["无答案", "No answer"], failedFilter: ["失败", "Failed"],
  search: ["搜索题目、对话、回复", "Search items, dialogues, replies"], found: ["{0} / {1} 题", "{0} of {1} items"],
  searching: ["搜索中 {0} %", "searching, {0} %"], disagree: ["模型有分歧", "Models disagree"], noShard: ["无法读取 {0}：请把它与本页一起放置", "{0} could not be read: it belongs beside this page"],
  leftOut: ["…… 此处略去 {0} 字 ……", "… {0} characters left out …"], showAll: ["显示全部 {0} 字", "Show all {0}"],
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
  readAs: ["读作", "Read as"], prompt: ["完整提示词", "Exact prompt"], others: ["这一题的其他回答", "Others on this item"],
  otherForm: ["题面不同", "differs in wording or options"], openIt: ["打开", "Open"], noOthers: ["这一题没有其他回答。", "No other answer to this item."],
  gone: ["本页没有这一条，链接可能出自另一次运行。", "This page has no such entry; the link may be from another run."],
  old: ["此浏览器过旧，不支持 DecompressionStream，无法解开数据。请用新版 Chrome、Edge、Firefox 或 Safari。 · This browser lacks DecompressionStream and cannot unpack the data. Please use a recent Chrome, Edge, Firefox or Safari."],
  broken: ["数据无法读取 · The data could not be read: "],
  foot: ["本页自成一体，不联网，由 evalsuite 生成。“论文”指 CORECODE 原论文，数字引自其表 2、3、6、7。",
    "This page stands alone, needs no network, and was made by evalsuite. “The paper” is the CORECODE paper; its figures are from Tables 2, 3, 6 and 7."],
};
const STATUSES = ["parsed", "unparsed", "refused", "truncated", "several", "conflict", "empty", "filtered", "failed", "missing"];
const NO_ANSWER = STATUSES.slice(1, 8);
// In the order of the choice: [Chinese, English]. Those of the paper's profile are called "paper." and the name here.
const METRIC_NAMES = {
  accuracy: ["正确率", "Acc."], "paper.accuracy": ["正确率（论文形式）", "Acc. (paper's forms)"],
  accuracy_sum: ["正确率（总和）", "Acc. (sum)"], accuracy_token: ["正确率（每词元）", "Acc. (per token)"], accuracy_char: ["正确率（每字）", "Acc. (per char.)"], accuracy_prior: ["正确率（减先验）", "Acc. (less prior)"],
  f1: ["F1", "F1"], em: ["EM", "EM"],
  f1_token: ["F1（词）", "F1 of words"], bleu1: ["BLEU-1"], bleu2: ["BLEU-2"], bleu3: ["BLEU-3"], bleu4: ["BLEU-4"], rouge1: ["ROUGE-1"], rouge2: ["ROUGE-2"],
  rouge_l: ["ROUGE-L"], meteor15: ["METEOR 1.5"], meteor: ["METEOR"], cider: ["CIDEr"], chrf: ["chrF"],
};
// Our metric -> the paper's published figure of the same definition. All else does not compare.
const PUBLISHED_AS = {
  f1: "f1", em: "em", accuracy: "accuracy", "paper.accuracy": "accuracy", "paper.bleu1": "bleu1", "paper.bleu2": "bleu2", "paper.rouge_l": "rouge_l",
  "paper.meteor15": "meteor", "paper.cider": "cider",
};
const SCORINGS = ["generate", "constrained", "labels", "texts"];

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
