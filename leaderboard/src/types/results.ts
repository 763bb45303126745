// Generated from schema/results.schema.json (a8bf3d93370aa9ae) by types.mjs.

/**
 * results.json: all figures of a run. It holds no time and no path: the same settings give the same bytes.
 */
export interface EvalsuiteResultsFormat1 {
  format: 1;
  /**
   * Version of evalsuite that wrote the file.
   */
  evalsuite: string;
  reading: ReadingFields;
  cells: CellResult[];
  /**
   * A row per model over the benchmarks of a group.
   */
  groups?: BenchmarkGroup[] | null;
  /**
   * Means over the sets of a benchmark.
   */
  means?: Mean[] | null;
  /**
   * Models that were asked until they are told apart (--until-ranked).
   */
  ranked?: Ranked[] | null;
  /**
   * F1 and EM of the answers beside those of the whole replies.
   */
  extraction?: Extraction[] | null;
  /**
   * The smallest difference between two models that a set can show.
   */
  detectable?: Detectable[] | null;
  /**
   * The gap between a benchmark's levels, EASY and HARD.
   */
  gaps?: Gap[] | null;
  /**
   * Who is above chance.
   */
  chance?: Chance[] | null;
  /**
   * Drops under perturbation, choices by position, wordings and shots.
   */
  robustness?: Robustness | null;
  /**
   * Items right under every perturbation, wording and rotation.
   */
  stability?: Stability[] | null;
  /**
   * Votes over samples, wordings, orders and rotations: cons@k, pass@k, pass^k.
   */
  votes?: Votes[] | null;
  /**
   * Refusals apart from wrong answers; a score with a penalty.
   */
  abstention?: Abstention[] | null;
  /**
   * Calibration of option probabilities and of stated confidence; accuracy of the surest.
   */
  calibration?: Calibration[] | null;
  /**
   * Reasoning by what a model knows of the facts.
   */
  memory?: Memory | null;
  /**
   * Signs that a model read the test data.
   */
  contamination?: ExposureTest[] | null;
  /**
   * Scores by length, distance, options and group.
   */
  breakdowns?: Breakdown[] | null;
  /**
   * Accuracy by group of items over the tasks of a benchmark.
   */
  aspects?: Aspects[] | null;
  /**
   * How hard items are, and whether they tell models apart.
   */
  difficulty?: Difficulty[] | null;
  /**
   * Names taken for another.
   */
  confusions?: Confusion[] | null;
  /**
   * Rank correlations between metrics of spans and texts.
   */
  metric_correlations?: MetricCorrelation[] | null;
  /**
   * Judges' scores, and the controls of the judges.
   */
  judged?: Judged | null;
  /**
   * Judges' means, corrected by people's scores of a random sample.
   */
  corrected?: JudgeCorrection[] | null;
  /**
   * A second reader beside the parser.
   */
  second?: SecondReaders | null;
  /**
   * Learning curves of adapters.
   */
  learning?: Curve[] | null;
}
/**
 * The settings by which replies were read.
 */
export interface ReadingFields {
  /**
   * For choices: the forms that count as an answer.
   */
  parser: "full" | "strict" | "paper";
  /**
   * For spans and texts: lead-ins, quotes and reasons were cut off.
   */
  extract: boolean;
}
/**
 * The results of one model on one task and set, asked in one way.
 */
export interface CellResult {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  /**
   * Number of requests: as many as items, or several an item (perturb: circular; samples). The number of items is n of a metric.
   */
  items: number;
  /**
   * Requests not asked yet.
   */
  missing: number;
  /**
   * Status -> number of the other requests.
   */
  status: {
    [k: string]: number;
  };
  /**
   * The first of the task's metrics is its headline.
   */
  metrics: {
    [k: string]: MetricValue;
  };
  /**
   * Examples left out for want of room in the model's context, in all.
   */
  shots_dropped: number;
  /**
   * The most frequent errors of failed requests, and how often each.
   */
  errors: {
    [k: string]: number;
  };
  /**
   * File of the cell's records (in a submission .gz may follow).
   */
  records: string;
  facts: Facts;
  /**
   * Absent where nothing was written, or the backend counts no tokens.
   */
  tokens?: TokenCounts | null;
  /**
   * Where only a part of the items was asked: every figure of the cell is an estimate, or of that part alone; low and high of the estimate's metric are those of its interval. Absent where all were asked.
   */
  estimate?: Estimate | null;
  /**
   * Mean over items of 1 / number of options. Of choices of one option only, and not where an item is right only if all its rotations are.
   */
  chance?: number | null;
  /**
   * Share of the readable replies that are right, each rotation and sample apart; choices only.
   */
  accuracy_of_parsed?: number | null;
}
/**
 * One figure of a cell. Shares and scores are in 0 … 1; CIDEr in 0 … 10; delta_nll in nats, which may be negative.
 */
export interface MetricValue {
  /**
   * Null where no request was answered.
   */
  value: number | null;
  /**
   * 95 % interval by dialogues: resampled if there are 30 or more; of fewer, for means, Wilson's for so few. Of an estimate, the estimate's own.
   */
  low: number | null;
  high: number | null;
  /**
   * Items that it is computed from; failed requests are left out.
   */
  n: number;
  /**
   * Standard deviation between the samples' values, where every prompt has several replies.
   */
  spread?: number | null;
  /**
   * Everything that it depends on, in sacreBLEU's style: key:value|…
   */
  signature: string;
  /**
   * Wilson's 95 % interval, for accuracies.
   */
  wilson?: [number, number] | null;
}
/**
 * The hashes and settings that a cell's figures depend on.
 */
export interface Facts {
  /**
   * Hash of the official file that the items come from.
   */
  data: string;
  /**
   * Hash of the prompt template.
   */
  template: string;
  /**
   * Identifies the model: weights, tokenizer, chat template, dtype, kind of device, adapter.
   */
  fingerprint: string;
  /**
   * As models.yaml names it: baseline, scripted, hf, vllm, openai, or another package's.
   */
  backend: string;
  /**
   * Asked through the model's chat template.
   */
  chat: boolean;
  /**
   * The backend's sampling settings.
   */
  sampling: {
    [k: string]: unknown;
  };
  /**
   * Replies to each prompt; absent if there is one.
   */
  samples?: number | null;
  /**
   * Seed of shots and perturbations.
   */
  seed: number;
  /**
   * Only the first so many items of the file.
   */
  limit: number | null;
  /**
   * Only the items of a file (--items); absent without one.
   */
  items?: ItemsFile | null;
  /**
   * Broken lines of the file, left out, and items that the file of the wording lacks.
   */
  skipped_lines: number;
  /**
   * Items asked for whose dialogue the training split has, too; null: no such split there.
   */
  leaked: number | null;
  /**
   * Whether leaked items were left out.
   */
  drop_leaked: boolean;
  /**
   * Tags of the model, from its models.yaml.
   */
  tags: string[];
  /**
   * GLUCOSE: rows of the file that have an answer to the task.
   */
  answered?: number | null;
  /**
   * GLUCOSE: rows that say there is none.
   */
  escaped?: number | null;
  /**
   * Version of the perturbation, if it is not the first: with 2, `shuffle` may keep an order.
   */
  perturb_version?: 2 | null;
  /**
   * Number of parameters of the model's checkpoint; absent if not known.
   */
  parameters?: number | null;
  /**
   * Absent where the model itself was asked.
   */
  recorded?: Recorded | null;
  trained?: AdapterTraining | null;
  until?: StopRule | null;
  /**
   * Absent where no reply was asked again.
   */
  again?: RepeatedRequests | null;
  /**
   * Price in the model's models.yaml, less the discount of a batch API; absent if there is none.
   */
  price?: TokenPrice | null;
}
/**
 * The items that a file names.
 */
export interface ItemsFile {
  /**
   * Hash of the file.
   */
  sha256: string;
  /**
   * Items that would be asked without it.
   */
  of: number;
  /**
   * Entry of anchor items; absent for a list of ids.
   */
  anchors?: AnchorChoice | null;
  /**
   * What differs from the way in which the models were asked that chose the items.
   */
  otherwise?: string[];
}
/**
 * A cell's entry in a file of anchor items (docs/anchors.md).
 */
export interface AnchorChoice {
  /**
   * Weights of the items, in their order; they sum to 1.
   */
  weights: number[];
  /**
   * The method that chose the items.
   */
  method: string;
  /**
   * Mean absolute error on models left out.
   */
  error: number;
  /**
   * Half width of a 95 % interval.
   */
  half: number;
  /**
   * Models by whose outcomes the items were chosen.
   */
  models: number;
  /**
   * Lowest and highest score of these models.
   *
   * @minItems 2
   * @maxItems 2
   */
  seen: [number, number];
}
/**
 * The source of recorded replies: nothing was asked in this run.
 */
export interface Recorded {
  /**
   * Name of the model, as its publisher calls it.
   */
  model: string;
  /**
   * Commit or file of the model.
   */
  revision: string | null;
  /**
   * When most of the replies were recorded: YYYY-MM-DD.
   */
  date: string;
  /**
   * Versions of engine and evalsuite at that time, by name.
   */
  versions: {
    [k: string]: string;
  };
}
/**
 * The training of an adapter by `evalsuite finetune`.
 */
export interface AdapterTraining {
  /**
   * The model that the adapter was trained on.
   */
  base: string;
  /**
   * The task of the training items; + joins several.
   */
  task: string;
  /**
   * The only groups of items that it was trained on; empty: all.
   */
  groups?: string[];
  /**
   * Training items.
   */
  size: number;
  seed: number;
  /**
   * One set, or both or all of them.
   */
  set: string;
  /**
   * Whether dialogues of test items were trained on.
   */
  allow_leak: boolean;
  /**
   * Settings of the training that are not the default ones, and its wording if not paper.
   */
  settings?: {
    [k: string]: unknown;
  };
  /**
   * How often each option label was the answer; empty for texts.
   */
  labels: {
    [k: string]: number;
  };
  [k: string]: unknown;
}
/**
 * The condition that ends the asking of a cell.
 */
export interface StopRule {
  /**
   * The half width of the interval that is waited for.
   */
  margin: number;
  /**
   * True: `margin` is for the interval of two models' difference, if they are not told apart before.
   */
  ranked?: true | null;
}
/**
 * Requests that were sent again with a longer limit, since their replies were cut off before they answered.
 */
export interface RepeatedRequests {
  status: "truncated";
  /**
   * The longer limit, in tokens.
   */
  max_new_tokens: number;
  /**
   * Replies that count in place of the first ones.
   */
  replies: number;
}
/**
 * Prices of a million tokens, in any one currency.
 */
export interface TokenPrice {
  input: number;
  output: number;
}
/**
 * The tokens of a cell's replies: every sample and rotation is one, failed requests are none.
 */
export interface TokenCounts {
  /**
   * Replies whose tokens were counted.
   */
  replies: number;
  /**
   * Generated tokens of a reply, thinking included.
   */
  mean: number;
  median: number;
  /**
   * 90th percentile, interpolated linearly.
   */
  p90: number;
  /**
   * Generated tokens of all these replies.
   */
  total: number;
  /**
   * Share of the total that is a reasoning model's own thinking.
   */
  thinking: number;
  /**
   * Replies whose thinking nobody counted: their tokens are split by the characters of thought and answer.
   */
  by_characters: number;
  /**
   * Mean tokens of a prompt.
   */
  prompt: number;
  /**
   * Cost of all these replies at the model's prices; absent without prices.
   */
  cost?: number | null;
  /**
   * Replies that came without token counts: all figures leave them out, so that total and cost are too low.
   */
  uncounted?: number;
}
/**
 * An estimate of all items from those that were asked. Which keys are there depends on the method.
 */
export interface Estimate {
  /**
   * The asking stopped early (--until), or a file named the items (--items): anchor items with weights, or a list, which says nothing of the other items.
   */
  method: "confidence sequence" | "anchors" | "subset";
  /**
   * Items asked.
   */
  asked: number;
  /**
   * All items.
   */
  of: number;
  /**
   * What is estimated: the headline; with --until, if it is a mean over items.
   */
  metric?: string | null;
  /**
   * anchors: the weighted mean; null where a reply is lacking.
   */
  value?: number | null;
  /**
   * 95 % interval of the mean over all items: the confidence sequence, or from errors on models left out.
   */
  low?: number | null;
  /**
   * Upper end of the interval.
   */
  high?: number | null;
  /**
   * Confidence level of the confidence sequence.
   */
  level?: number | null;
  /**
   * The half width that was waited for; null if models were asked until they are told apart.
   */
  margin?: number | null;
  reached?: boolean | null;
  /**
   * anchors: the method that chose the items.
   */
  chosen?: string | null;
  /**
   * anchors: the mean absolute error that is expected.
   */
  error?: number | null;
  /**
   * anchors: models by whose outcomes the items were chosen.
   */
  models?: number | null;
  /**
   * anchors: what differs from the way in which these models were asked.
   */
  otherwise?: string[];
  /**
   * anchors: the value is outside the scores of these models, where the error may be larger.
   */
  beyond?: boolean | null;
}
/**
 * One row per model over the benchmarks of a group: means, each with its parts (docs/benchmarks.md, Groups).
 */
export interface BenchmarkGroup {
  name: string;
  zh: string;
  en: string;
  split: "train" | "dev" | "test";
  columns: GroupColumn[];
  /**
   * Tasks whose headline metric is no score between 0 and a highest value.
   */
  left_out: string[];
  rows: GroupRow[];
}
/**
 * A benchmark or an ability, and the parts of its mean.
 */
export interface GroupColumn {
  kind: "benchmark" | "ability";
  name: string;
  zh: string;
  en: string;
  /**
   * Parts, as task/set, that some model has a figure of.
   */
  parts: string[];
  /**
   * Tasks, or parts as task/set, that no model has a figure of.
   */
  absent: string[];
}
/**
 * A model asked in one way. A task without this scoring or these shots is asked in the nearest way that it has.
 */
export interface GroupRow {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  parts: GroupPart[];
  /**
   * Scores, one for each column.
   */
  scores: GroupScore[];
  changes: GroupChange[];
}
/**
 * The headline metric of a task on one set.
 */
export interface GroupPart {
  /**
   * Share of the metric's highest value, 0 … 1, as are low and high.
   */
  value: number | null;
  low: number | null;
  high: number | null;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  metric: string;
  items: number;
  /**
   * Requests that failed or were not asked yet, left out.
   */
  lost: number;
  /**
   * Only a part of the items was asked; absent otherwise.
   */
  estimated?: true | null;
  /**
   * Expected value of guessing; null where the metric has none.
   */
  chance: number | null;
}
/**
 * A mean over parts: those of a benchmark, or those that measure an ability.
 */
export interface GroupScore {
  value: number | null;
  low: number | null;
  high: number | null;
  kind: "benchmark" | "ability";
  name: string;
  items: number;
  /**
   * Parts that the model has no figure of: then it has no mean.
   */
  missing: string[];
  chance: number | null;
}
/**
 * The mean change of a benchmark's parts under a perturbation.
 */
export interface GroupChange {
  value: number | null;
  low: number | null;
  high: number | null;
  /**
   * The perturbation of the items.
   */
  perturb: string;
  benchmark: string;
  items: number;
  missing: string[];
  parts: GroupChangePart[];
}
/**
 * The change of a task's metric on one set.
 */
export interface GroupChangePart {
  /**
   * Negative where it got worse.
   */
  value: number | null;
  low: number | null;
  high: number | null;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  metric: string;
  items: number;
}
/**
 * A task's mean over the sets of a benchmark that is averaged: folds, dimensions. Every set weighs the same.
 */
export interface Mean {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  /**
   * @minItems 2
   */
  sets: [string, string, ...string[]];
  /**
   * Number of items in all sets that the headline is computed from.
   */
  items: number;
  /**
   * Sets of which only a part of the items was asked: then the mean has no interval. Absent if there are none.
   */
  estimates?: number | null;
  /**
   * Metrics that every set has.
   */
  metrics: {
    [k: string]: Average;
  };
}
/**
 * A metric's mean over sets, with an interval made of the sets' intervals, in which a dialogue that several sets ask about
 * counts once. The interval is null where a set has none.
 */
export interface Average {
  value: number | null;
  low: number | null;
  high: number | null;
  /**
   * Sample standard deviation between the sets.
   */
  sd: number | null;
}
/**
 * Models that were asked until the difference of each two was clear.
 */
export interface Ranked {
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  metric: string;
  margin: number;
  /**
   * Confidence level of each interval: 95 % over all pairs, by Bonferroni.
   */
  level: number;
  /**
   * @minItems 1
   */
  pairs: [RankedPair, ...RankedPair[]];
}
/**
 * Two models on the items that both were asked.
 */
export interface RankedPair {
  a: string;
  b: string;
  /**
   * Items that both were asked, in their random order.
   */
  asked: number;
  of: number;
  /**
   * a less b on these items.
   */
  difference: number;
  /**
   * Lower end of the difference over all items, from the confidence sequence.
   */
  low: number;
  high: number;
  /**
   * The better model; alike: surely within the margin.
   */
  verdict: "a" | "b" | "alike" | "open";
}
/**
 * The gain of extraction in the scores of a cell of spans or texts.
 */
export interface Extraction {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  /**
   * Answered items.
   */
  items: number;
  /**
   * Replies from which an answer was read that is not the whole reply.
   */
  cut: number;
  /**
   * F1 of the answers.
   */
  f1: number;
  /**
   * The same measure on the whole replies, less special tokens and thinking.
   */
  f1_reply: number;
  em: number;
  em_reply: number;
  /**
   * f1 less f1_reply.
   */
  gain: number;
  /**
   * 95 % interval by dialogues: resampled if there are 30 or more, of fewer Student's t. Null for one dialogue, or if all have the same gain.
   */
  low: number | null;
  high: number | null;
}
/**
 * The differences that one task and set can show, asked in one way.
 */
export interface Detectable {
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  metric: string;
  models: number;
  /**
   * Items that all models answered.
   */
  items: number;
  dialogues: number;
  /**
   * Smallest detectable difference: median over all pairs of models; null for fewer than 6 dialogues.
   */
  median: number | null;
  /**
   * Smallest detectable difference of the pair whose differences vary most.
   */
  largest: number | null;
}
/**
 * The scores of a model on two sets of a task that differ in difficulty.
 */
export interface Gap {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  metric: string;
  /**
   * Names of the two sets, the easier one first.
   *
   * @minItems 2
   * @maxItems 2
   */
  sets: [string, string];
  /**
   * @minItems 2
   * @maxItems 2
   */
  values: [number | null, number | null];
  /**
   * @minItems 2
   * @maxItems 2
   */
  items: [number, number];
  /**
   * @minItems 2
   * @maxItems 2
   */
  dialogues: [number, number];
  /**
   * The first value less the second.
   */
  gap: number;
  low: number | null;
  high: number | null;
  /**
   * p of an unpaired permutation of dialogues between the sets, or of both sets' items of a dialogue that both have: exact for few dialogues, else from random permutations, as many as the family needs.
   */
  p: number;
  /**
   * The smallest p that so few dialogues can give.
   */
  least_p: number;
  /**
   * p, corrected by Holm over the model's tasks asked in one way.
   */
  p_holm: number;
  /**
   * The smallest p_holm that the family's dialogues can give: at 0.05 or more, too few to tell.
   */
  least_p_holm?: number | null;
  /**
   * Number of tests that p_holm is corrected over.
   */
  family?: number | null;
}
/**
 * Whether a model's choices are more often right than its own choices in a random order (docs/numbers.md, Chance).
 */
export interface Chance {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  items: number;
  dialogues: number;
  accuracy: number;
  /**
   * Expected accuracy of uniform guesses.
   */
  chance: number;
  /**
   * Accuracy of the best answer that is the same for all items; of probes, which have no order, `chance`.
   */
  constant: number;
  /**
   * The answer that is best for all items; empty for probes.
   */
  label: string;
  /**
   * Expected accuracy of the model's own choices in a random order, among items with equally many options.
   */
  shuffled: number;
  /**
   * One-sided p of the choices among shuffled ones; not corrected.
   */
  p: number;
}
/**
 * Drops under perturbation, choices by option position, wordings, shots (docs/robustness.md).
 */
export interface Robustness {
  drops: PerturbationEffect[];
  positions: PositionCounts[];
  wordings: Wordings[];
  shots: ShotValues[];
}
/**
 * A perturbed cell compared with its unperturbed one, over the items answered in both.
 */
export interface PerturbationEffect {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  metric: string;
  items: number;
  dialogues: number;
  /**
   * The metric without perturbation.
   */
  base: number;
  value: number;
  /**
   * value less base: negative where it got worse.
   */
  drop: number;
  low: number | null;
  high: number | null;
  /**
   * The test that p comes from.
   */
  test: string;
  p: number;
  /**
   * Dialogues whose scores differ: with fewer than 6, p cannot be below 0.05.
   */
  differ?: number | null;
  /**
   * The smallest p that so few dialogues can give.
   */
  least_p?: number | null;
  /**
   * p, corrected by Holm over the model's rows.
   */
  p_holm: number;
  /**
   * The smallest p_holm that the family's dialogues can give: at 0.05 or more, too few to tell.
   */
  least_p_holm?: number | null;
  /**
   * Number of tests that p_holm is corrected over.
   */
  family?: number | null;
  flip_rate: number;
  /**
   * Items that lose half a point or more; of samples, in their mean.
   */
  right_to_wrong: number;
  /**
   * Items that gain half a point or more.
   */
  wrong_to_right: number;
  /**
   * How often the same option was chosen.
   */
  same_choice?: number | null;
  parsed_in_both?: number | null;
  /**
   * How often all rotations got the same option.
   */
  consistency?: number | null;
}
/**
 * Counts by option position: gold, right choices, all choices.
 */
export interface PositionCounts {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  labels: string[];
  gold: number[];
  right: number[];
  chosen: number[];
  /**
   * Replies without an answer that counts: several options where one is right are none.
   */
  silent: number;
  /**
   * Total variation distance between chosen and gold positions.
   */
  bias: number | null;
}
/**
 * One task in several wordings.
 */
export interface Wordings {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  metric: string;
  /**
   * Values by the template's name, over the items that all answered.
   */
  values: {
    [k: string]: number;
  };
  mean: number;
  /**
   * Best less worst.
   */
  spread: number;
  worst: string;
}
/**
 * One task with several numbers of shots.
 */
export interface ShotValues {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  metric: string;
  /**
   * Values by number of shots, over the items that all answered.
   */
  values: {
    [k: string]: number;
  };
}
/**
 * One model's items under several askings.
 */
export interface Stability {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name; null where wordings differ.
   */
  variant: string | null;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation; null where perturbations differ.
   */
  perturb: string | null;
  /**
   * What differs between the askings.
   */
  over: "wordings" | "perturbations" | "rotations";
  metric: string;
  /**
   * Items answered in every asking.
   */
  items: number;
  /**
   * Items answered in some askings only.
   */
  left_out: number;
  dialogues: number;
  /**
   * The mean of each asking; of a rotation over the items with so many options.
   */
  askings: AskingMean[];
  /**
   * The asking with the lowest mean; of rotations, among those of every item.
   */
  worst: string;
  mean: MeanInterval;
  all: MeanInterval1;
  any: MeanInterval2;
  sensitivity: MeanInterval3;
  /**
   * 5, 50 and 95 % quantiles of the askings' means (PromptEval); of rotations, those of every item.
   */
  quantiles: number[];
}
/**
 * The mean of one asking.
 */
export interface AskingMean {
  /**
   * The wording, the perturbation, or the number of the rotation.
   */
  name: string;
  value: number;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval1 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval2 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval3 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * Votes over several askings of one model's items.
 */
export interface Votes {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name; null where wordings differ.
   */
  variant: string | null;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation; null where perturbations differ.
   */
  perturb: string | null;
  /**
   * What differs between the askings.
   */
  over: "samples" | "wordings" | "orders" | "rotations";
  /**
   * Names of the askings: numbers of samples or rotations, wordings, perturbations.
   */
  askings: string[];
  items: number;
  /**
   * Items without a reply to each asking.
   */
  left_out: number;
  dialogues: number;
  /**
   * Figures by number of askings.
   */
  points: VotePoint[];
}
/**
 * The figures of k askings.
 */
export interface VotePoint {
  /**
   * Askings of each item; of one with fewer rotations, all.
   */
  k: number;
  vote: MeanInterval4;
  once: MeanInterval5;
  always: MeanInterval6;
  /**
   * How often the right option ties for first place.
   */
  tied: number;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval4 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval5 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval6 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * One cell's replies, by whether they answer. Every reply counts: samples and rotations one by one.
 */
export interface Abstention {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  metric: string;
  replies: number;
  dialogues: number;
  answered: number;
  /**
   * Refused, or said that it cannot be known.
   */
  abstained: number;
  /**
   * Neither: unparsed, truncated, empty or filtered.
   */
  silent: number;
  coverage: MeanInterval7;
  /**
   * Mean of the answered; absent if there are none.
   */
  accuracy?: MeanInterval8 | null;
  /**
   * Mean value of all replies, those without an answer as 0.
   */
  right: number;
  /**
   * Mean of 1 - value over all replies, those without an answer as 0.
   */
  wrong: number;
  /**
   * Variance of `right` over dialogues; null for one dialogue.
   */
  right_variance: number | null;
  /**
   * Variance of `wrong`.
   */
  wrong_variance: number | null;
  /**
   * Covariance of `right` and `wrong`.
   */
  covariance: number | null;
}
/**
 * Share answered.
 */
export interface MeanInterval7 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval8 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * One cell's probabilities of being right: of options, or as its replies state them.
 */
export interface Calibration {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  /**
   * Items with probabilities; where they are stated, replies that state one.
   */
  items: number;
  /**
   * Replies with an answer, whether they state a confidence or not; absent for likelihoods.
   */
  answered?: number | null;
  /**
   * few: fewer than 30 replies state a confidence, and all figures are null; absent: it is not.
   */
  refused?: "few" | null;
  dialogues: number;
  /**
   * sum, token: how log-probabilities of options are compared; stated: by the reply itself.
   */
  by: "sum" | "token" | "stated";
  accuracy: MeanInterval9;
  confidence: MeanInterval10;
  ece: MeanInterval11;
  brier: MeanInterval12;
  /**
   * Brier score of equal probabilities for all options; of a stated 50 %: 0.25.
   */
  brier_uniform: number;
  /**
   * Ten equally wide bins, less those without items.
   */
  bins: ReliabilityBin[];
  /**
   * Accuracy by coverage, from a tenth of the items to all.
   */
  curve: SelectivePoint[];
  /**
   * Area under the risk-coverage curve: mean share wrong over all coverages.
   */
  aurc: number | null;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval9 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval10 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval11 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
 * Graubard 1998); null for items of one dialogue.
 */
export interface MeanInterval12 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * The items whose likeliest option has a probability from low (inclusive) to high (exclusive; in the last bin inclusive).
 */
export interface ReliabilityBin {
  low: number;
  high: number;
  n: number;
  /**
   * Mean probability of the likeliest option.
   */
  confidence: number;
  accuracy: MeanInterval8;
}
/**
 * Accuracy if only the surest items are answered.
 */
export interface SelectivePoint {
  /**
   * The share of items answered; those of equal confidence together.
   */
  coverage: number;
  accuracy: MeanInterval8;
}
/**
 * Items that rest on facts, beside the items that ask for these.
 */
export interface Memory {
  tasks: CellByKnowledge[];
  pooled: PooledByKnowledge[];
  independent: Independent[];
}
/**
 * The accuracy of one cell of reasoning items, by what the model knows.
 */
export interface CellByKnowledge {
  /**
   * The reasoning task's first metric.
   */
  metric: string;
  knowledge: KnowledgeWay[];
  /**
   * The facts that the items rest on: the share that the model knows.
   */
  facts: ItemMean | null;
  /**
   * Every answered item.
   */
  all: ItemMean | null;
  /**
   * Items all of whose facts the model knows; null: there are none.
   */
  known: ItemMean | null;
  /**
   * Items of whose facts one or more are lacking; null: there are none.
   */
  rest: ItemMean | null;
  /**
   * Items that rest on no fact.
   */
  free: number;
  /**
   * Items no fact of which is lacking, but one was not asked, failed or got no verdict.
   */
  unclear: number;
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
}
/**
 * The way in which a model was asked for facts, and the judge of what it knows.
 */
export interface KnowledgeWay {
  /**
   * The task that asks for them, with 0 shots and unperturbed.
   */
  facts_of: string;
  /**
   * The prompt template's name.
   */
  wording: string;
  /**
   * The rule: a metric of the task; of a judge, the scale of its rubric.
   */
  metric: string;
  /**
   * The judge whose verdicts count; null: the rule.
   */
  judge: string | null;
}
/**
 * A mean over items, with its interval.
 */
export interface ItemMean {
  /**
   * Items.
   */
  n: number;
  /**
   * Number of dialogues that the items come from.
   */
  dialogues: number;
  /**
   * Mean of the cell's metric over the items, 0 … 1.
   */
  value: number;
  /**
   * The 95 % interval, low and high: Wilson's at the effective number of items, reduced for few dialogues; null for one dialogue.
   */
  interval: [number, number] | null;
}
/**
 * All reasoning items of a model over several tasks.
 */
export interface PooledByKnowledge {
  /**
   * The reasoning task's first metric.
   */
  metric: string;
  knowledge: KnowledgeWay[];
  /**
   * The facts that the items rest on: the share that the model knows.
   */
  facts: ItemMean | null;
  /**
   * Every answered item.
   */
  all: ItemMean | null;
  /**
   * Items all of whose facts the model knows; null: there are none.
   */
  known: ItemMean | null;
  /**
   * Items of whose facts one or more are lacking; null: there are none.
   */
  rest: ItemMean | null;
  /**
   * Items that rest on no fact.
   */
  free: number;
  /**
   * Items no fact of which is lacking, but one was not asked, failed or got no verdict.
   */
  unclear: number;
  benchmark: string;
  split: "train" | "dev" | "test";
  variant: string;
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  tasks: string[];
  sets: string[];
  model: string;
}
/**
 * FRMM and MIB of the models asked in one way, on facts decided in one way. Baselines and adapters are left out.
 */
export interface Independent {
  benchmark: string;
  split: "train" | "dev" | "test";
  variant: string;
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  tasks: string[];
  sets: string[];
  knowledge: KnowledgeWay[];
  models: IndependentModel[];
  /**
   * Models with replies that failed or are still to be made.
   */
  left_out: string[];
}
/**
 * The authors' measures of one model. Shares, rounded to four decimals as theirs are, in percent, to two.
 */
export interface IndependentModel {
  model: string;
  items: number;
  accuracy: number | null;
  /**
   * By accuracy; models that tie share a rank.
   */
  rank: number | null;
  /**
   * Items no fact of which the model lacks; items that rest on none are among them.
   */
  retained: number;
  /**
   * Items not retained only because a fact was not asked or got no verdict.
   */
  unclear: number;
  /**
   * Accuracy on the retained items; null: there are none.
   */
  frmm: number | null;
  frmm_rank: number | null;
  /**
   * Mean of the margins, the model's own zero included; null: no other model.
   */
  mib: number | null;
  mib_rank: number | null;
  battles: PairedItems[];
}
/**
 * A pair of models on the items that both retain.
 */
export interface PairedItems {
  against: string;
  items: number;
  /**
   * The model's accuracy less the other's; null: no items.
   */
  margin: number | null;
}
/**
 * One test of one model on one file: does the model favour the published texts more than one that never saw them would?
 */
export interface ExposureTest {
  model: string;
  fingerprint: string;
  /**
   * A name of `evalsuite tasks`; of a package that is not installed, too.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  test: "order" | "options" | "mink" | "names" | "completion" | "guided";
  /**
   * The file's own lines, or our prompt and the right reply.
   */
  form: "raw" | "prompt";
  /**
   * Entries or items of the file that were tested.
   */
  n: number;
  /**
   * Entries or items that do not fit the context, were not drawn or have nothing to compare.
   */
  left_out: number;
  /**
   * Shards, items or dialogues that the test takes as independent.
   */
  units: number;
  /**
   * Tokens that the model scored.
   */
  tokens: number;
  /**
   * For the published form: share of other orders that are less likely, mean score, or overlap; less the reference's, of scores.
   */
  value: number | null;
  /**
   * The value expected of a model that has seen nothing: one half, or the control items'.
   */
  expected: number | null;
  /**
   * Further figures of the test (docs/contamination.md).
   */
  figures: {
    [k: string]: number | null;
  };
  /**
   * What could tell published from other forms without a model -> p-value.
   */
  checks: {
    [k: string]: number;
  };
  /**
   * One-sided p; null where it would mean nothing.
   */
  p: number | null;
  /**
   * Why there is no p-value; empty if there is one.
   */
  why: string;
  reference: ReferenceResult | null;
  /**
   * Items whose second half the model wrote nearly exactly, for reading.
   */
  listed: string[];
  /**
   * p, corrected by Holm over all tests of the model in this file.
   */
  p_holm: number | null;
}
/**
 * The reference model alone, on the same texts.
 */
export interface ReferenceResult {
  name: string;
  fingerprint: string;
  value: number | null;
  /**
   * p of the same test: small where texts favour the published form for any model.
   */
  p: number | null;
}
/**
 * A cell's score by properties of its items.
 */
export interface Breakdown {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  metric: string;
  /**
   * By turns of the dialogue.
   */
  turns: Bin[];
  /**
   * By turns from what the question is about to the answer.
   */
  distance: Bin[];
  /**
   * By number of options; choices only.
   */
  options?: Bin[] | null;
  /**
   * By number of right answers; tasks with several only.
   */
  answers?: Bin[] | null;
  /**
   * By group, in the paper's order, where there are several.
   */
  groups?: GroupMean[] | null;
}
/**
 * The items whose property has a value from low to high, both inclusive.
 */
export interface Bin {
  /**
   * Items.
   */
  n: number;
  /**
   * Number of dialogues that the items come from.
   */
  dialogues: number;
  /**
   * Mean of the cell's metric over the items, 0 … 1.
   */
  value: number;
  /**
   * The 95 % interval, low and high: Wilson's at the effective number of items, reduced for few dialogues; null for one dialogue.
   */
  interval: [number, number] | null;
  /**
   * Lowest value; null, as is high, where the value is unknown.
   */
  low: number | null;
  /**
   * Highest value; null: no upper end.
   */
  high: number | null;
}
/**
 * The items of one group: a relation category, inference type or dimension.
 */
export interface GroupMean {
  /**
   * Items.
   */
  n: number;
  /**
   * Number of dialogues that the items come from.
   */
  dialogues: number;
  /**
   * Mean of the cell's metric over the items, 0 … 1.
   */
  value: number;
  /**
   * The 95 % interval, low and high: Wilson's at the effective number of items, reduced for few dialogues; null for one dialogue.
   */
  interval: [number, number] | null;
  name: string;
  /**
   * Title in Chinese; absent: the name serves.
   */
  zh?: string | null;
  /**
   * Title in English.
   */
  en?: string | null;
}
/**
 * Accuracy by group of items over several tasks of a benchmark.
 */
export interface Aspects {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  scoring: string;
  perturb: "none";
  benchmark: string;
  tasks: string[];
  groups: Aspect[];
}
/**
 * A group over several tasks.
 */
export interface Aspect {
  /**
   * Items.
   */
  n: number;
  /**
   * Number of dialogues that the items come from.
   */
  dialogues: number;
  /**
   * Mean of the cell's metric over the items, 0 … 1.
   */
  value: number;
  /**
   * The 95 % interval, low and high: Wilson's at the effective number of items, reduced for few dialogues; null for one dialogue.
   */
  interval: [number, number] | null;
  name: string;
  /**
   * Title in Chinese; absent: the name serves.
   */
  zh?: string | null;
  /**
   * Title in English.
   */
  en?: string | null;
  /**
   * Mean of 1 / number of options.
   */
  chance: number;
}
/**
 * A task and set asked in one way of at least three models: how hard its items are, and which look suspicious.
 */
export interface Difficulty {
  /**
   * Items.
   */
  n: number;
  /**
   * Number of dialogues that the items come from.
   */
  dialogues: number;
  /**
   * Mean difficulty: the share of models that are right, or their mean value.
   */
  value: number;
  /**
   * The 95 % interval, low and high: Wilson's at the effective number of items, reduced for few dialogues; null for one dialogue.
   */
  interval: [number, number] | null;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  /**
   * The task's first metric; an item's value is the mean of its samples.
   */
  metric: string;
  /**
   * The models that answered every item; baselines and adapters are left out.
   *
   * @minItems 3
   */
  models: [string, string, string, ...string[]];
  /**
   * Items that 0, 1, … all of the models get right, with a value above 0.5.
   */
  right: number[];
  /**
   * Cronbach's alpha, which of right/wrong items is KR-20; null: all sums are equal.
   */
  alpha: number | null;
  discrimination: Discriminations;
  /**
   * Items on which every model has value 0.
   */
  all_wrong: number;
  /**
   * Items with a discrimination below 0 and p up to 0.05. By chance up to 5 % of those with one.
   */
  negative: number;
  /**
   * Suspicious items, in ascending order of p.
   *
   * @maxItems 50
   */
  suspicious: Suspicious[];
  /**
   * Models with replies that failed or are still to be made.
   */
  left_out: string[];
}
/**
 * Corrected item-total correlations: of an item with the sum of the task's other items, over models.
 */
export interface Discriminations {
  /**
   * Items of which it is defined: the models do not all have one value, nor all the same sum.
   */
  n: number;
  mean: number | null;
  /**
   * Items below 0, below 0.2, below 0.4, and from 0.4.
   *
   * @minItems 4
   * @maxItems 4
   */
  bins: [number, number, number, number];
}
/**
 * An item whose gold answer people should look at.
 */
export interface Suspicious {
  item: string;
  /**
   * All models have value 0; or the weaker are right and the stronger wrong, discrimination < 0 with p up to 0.05.
   */
  why: "all_wrong" | "negative";
  /**
   * Models with a value above 0.5.
   */
  right: number;
  /**
   * Mean over the models.
   */
  value: number;
  discrimination: number | null;
  /**
   * For all_wrong: the product of the models' shares of items with value 0. For negative: one-sided, by permutation of the models; not corrected for the number of items.
   */
  p: number;
  /**
   * Most models that chose the same wrong options; null where there are none.
   */
  agree: number | null;
  /**
   * The best model that is wrong on it.
   */
  reply_of: string;
}
/**
 * A confusion matrix over names of the ontology; every rotation counts as a reply.
 */
export interface Confusion {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  /**
   * [Chinese, English]
   */
  names: [string, string][];
  /**
   * [right name, chosen name, replies]; names by their index.
   */
  pairs: [number, number, number][];
  /**
   * [right name, replies without an answer that counts: several options are none]
   */
  silent: [number, number][];
  offers: Offer[];
}
/**
 * A set of options, and the replies to the items that offer it.
 */
export interface Offer {
  /**
   * Indices into names.
   */
  options: number[];
  /**
   * [right name, replies] of the items with these options.
   */
  gold: [number, number][];
}
/**
 * Correlations between every two metrics of a task of spans or texts.
 */
export interface MetricCorrelation {
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * What a point is: an item of a model, or a model's cell.
   */
  basis: "items" | "models";
  models: number;
  /**
   * Number of points.
   */
  n: number;
  /**
   * Points that the sample was drawn from.
   */
  of: number;
  metrics: string[];
  /**
   * Spearman's ρ of every two metrics, in the order (1, 2), (1, 3) … (2, 3) …; null where one is constant.
   */
  spearman: (number | null)[];
  /**
   * Kendall's τ-b, in the same order.
   */
  kendall: (number | null)[];
}
/**
 * Judges' scores of the run's generations, and the controls of the judges.
 */
export interface Judged {
  cells: JudgedCell[];
  models: OverModels[];
  systems?: OverSystems[];
  controls: Controls;
}
/**
 * The scores of one judge on one cell.
 */
export interface JudgedCell {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  judge: string;
  rubric: string;
  /**
   * plain, blind (without the gold answer), repeat/N, attack.
   */
  control: string;
  items: number;
  status: {
    [k: string]: number;
  };
  /**
   * Candidates for which the judge was asked more than once.
   */
  asked_again: number;
  errors: {
    [k: string]: number;
  };
  /**
   * Figures of scales by name; none under attack.
   */
  scales?: {
    [k: string]: ScaleSummary;
  } | null;
  signature: string;
  records: string;
  facts: JudgingFacts;
}
/**
 * One scale on one cell, in the scale's own unit.
 */
export interface ScaleSummary {
  value: number | null;
  low: number | null;
  high: number | null;
  n: number;
  /**
   * How often each score was given.
   */
  histogram: {
    [k: string]: number;
  };
  length?: Length | null;
  /**
   * Correlation with every automatic metric, item by item.
   */
  metrics?: {
    [k: string]: PerItem;
  } | null;
  /**
   * Metric -> score -> number of items in each tenth of the metric's range.
   */
  joint?: {
    [k: string]: {
      /**
       * Ten counts: 0 … 0.1, 0.1 … 0.2, …
       */
      [k: string]: string;
    };
  } | null;
}
/**
 * Spearman's ρ of score with length, and the partial ρ with the candidates' F1 held fixed.
 */
export interface Length {
  spearman: number | null;
  partial: number | null;
}
/**
 * Correlations over items, with the 95 % interval of Spearman's ρ (sample size: dialogues); null if undefined.
 */
export interface PerItem {
  pearson: number | null;
  spearman: number | null;
  kendall: number | null;
  spearman_low: number | null;
  spearman_high: number | null;
}
/**
 * The hashes and settings that a judging's figures depend on.
 */
export interface JudgingFacts {
  /**
   * SHA-256, in hexadecimal.
   */
  template: string;
  scales: [unknown, unknown, unknown, unknown][];
  /**
   * Scale -> the words that judges write for its scores.
   */
  words?: {
    [k: string]: {
      [k: string]: number;
    };
  } | null;
  /**
   * The text added to the prompt when a judge is asked again.
   */
  reminder: string;
  attempts: number;
  limit: number | null;
  seed: number;
  fingerprint: string;
  backend: string;
  chat: boolean;
  sampling: {
    [k: string]: unknown;
  };
  /**
   * The longest reply, in tokens.
   */
  max_new_tokens: number;
  repeats_by: "sampling" | "wording";
  family: string;
  of_family: string;
}
/**
 * Correlations over models of a judge's mean scores with the metrics.
 */
export interface OverModels {
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  judge: string;
  rubric: string;
  scale: string;
  models: number;
  metrics: {
    [k: string]: Correlations;
  };
}
/**
 * Correlation coefficients; null for fewer than three pairs, or if a side is constant.
 */
export interface Correlations {
  pearson: number | null;
  spearman: number | null;
  kendall: number | null;
}
/**
 * Correlations of a judge with metrics over the short texts of a benchmark; a point is a model on a task and set.
 */
export interface OverSystems {
  judge: string;
  rubric: string;
  scale: string;
  benchmark: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  models: number;
  points: number;
  metrics: {
    [k: string]: Correlations;
  };
}
/**
 * Controls of the judges, which show how far their scores can be trusted.
 */
export interface Controls {
  anchors: GoldAndFar[];
  repeats: Repeat[];
  blind: Blind[];
  panel: Panel[];
  length: LengthBias[];
  families: Family[];
  attacks: AttackEffect[];
}
/**
 * Mean scores of gold answers, and of replies that share no character with them.
 */
export interface GoldAndFar {
  judge: string;
  rubric: string;
  scale: string;
  n: number;
  most: number;
  share: number;
  n_gold: number;
  gold: number | null;
  n_far: number;
  far: number | null;
}
/**
 * A judge's own scores of the same candidates.
 */
export interface Repeat {
  /**
   * Cohen's kappa, with quadratic weights.
   */
  kappa: number | null;
  within_1: number;
  same: number;
  /**
   * Standard deviation within an item, in the scale's unit.
   */
  spread: number;
  range: number;
  judge: string;
  rubric: string;
  scale: string;
  by: "sampling" | "wording";
  repeats: number;
  n: number;
  means: number[];
}
/**
 * The agreement of a judge's scores with and without the gold answer.
 */
export interface Blind {
  kappa: number | null;
  same: number;
  within_1: number;
  /**
   * The second less the first, in the scale's unit.
   */
  difference: number;
  spearman: number | null;
  judge: string;
  rubric: string;
  scale: string;
  n: number;
  mean: number;
  blind: number;
  low: number | null;
  high: number | null;
}
/**
 * Several judges with one rubric. The figures of agreement stand here if the judges share any item.
 */
export interface Panel {
  rubric: string;
  scale: string;
  judges: string[];
  n: number;
  kappa?: number | null;
  within_1?: number | null;
  same?: number | null;
  spread?: number | null;
  range?: number | null;
  pairs: PanelPair[];
  cells: MedianCell[];
}
/**
 * The agreement of two judges.
 */
export interface PanelPair {
  kappa: number | null;
  same: number;
  within_1: number;
  /**
   * The second less the first, in the scale's unit.
   */
  difference: number;
  spearman: number | null;
  judges: string[];
  n: number;
}
/**
 * The median judge's mean on a cell.
 */
export interface MedianCell {
  value: number | null;
  low: number | null;
  high: number | null;
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  n: number;
}
/**
 * Whether longer candidates score higher, over all cells.
 */
export interface LengthBias {
  spearman: number | null;
  partial: number | null;
  judge: string;
  rubric: string;
  scale: string;
  n: number;
  cells: number;
}
/**
 * Whether a judge prefers models of its own family, compared with judges of other families.
 */
export interface Family {
  judge: string;
  rubric: string;
  scale: string;
  family: string;
  own_models: string[];
  peers: string[];
  n_own: number;
  n_other: number;
  own: number | null;
  other: number | null;
  peers_own: number | null;
  peers_other: number | null;
  preference: number | null;
}
/**
 * The effect of injected instructions on scores.
 */
export interface AttackEffect {
  judge: string;
  rubric: string;
  scale: string;
  attacks: number;
  asked: number;
  invalid: number;
  compared: number;
  n: number;
  raised: number;
  to_most: number;
  lowered: number;
  raised_without: number | null;
  change: number | null;
  by_kind: {
    [k: string]: Raised;
  };
  fell_for: string[];
}
/**
 * The effect of attacks of one kind.
 */
export interface Raised {
  n: number;
  raised: number;
}
/**
 * One judge's mean on one cell, and people's scores of a sample.
 */
export interface JudgeCorrection {
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  judge: string;
  rubric: string;
  scale: string;
  /**
   * Name of the sample, as in RUN/audit.
   */
  sample: string;
  annotators: string[];
  /**
   * Replies of the cell, scored by the judge, that the sample has.
   */
  drawn: number;
  /**
   * Drawn replies that people scored.
   */
  marked: number;
  /**
   * Number of dialogues of the marked replies.
   */
  dialogues: number;
  raw: IntervalFields;
  people: IntervalFields1;
  corrected: IntervalFields2;
  /**
   * λ: 0 takes people's mean alone, 1 takes the judge's less its mean error; null if it is refused.
   */
  tuning: number | null;
  /**
   * Why there is no corrected mean. suspicious: the sample is of suspicious items; changed: the run's replies are not those that it was drawn from; unmarked: more than 5 % of the drawn replies; few: marks of fewer than 10 dialogues.
   */
  refused: ("suspicious" | "changed" | "unmarked" | "few") | null;
}
/**
 * The judge's mean over the cell.
 */
export interface IntervalFields {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * People's mean alone, by weights of the sample.
 */
export interface IntervalFields1 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * The judge's mean, corrected by people: PPI++. Null if it is refused.
 */
export interface IntervalFields2 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * Second readers beside the parser. No other figure depends on them.
 */
export interface SecondReaders {
  tasks: SecondTask[];
  cells: SecondCell[];
}
/**
 * One second reader on one task, over all models, sets and ways of asking.
 */
export interface SecondTask {
  value: number | null;
  low: number | null;
  high: number | null;
  /**
   * Replies that the second reader was asked about.
   */
  asked: number;
  /**
   * Replies with a verdict: the others are unreadable, failed or missing.
   */
  n: number;
  /**
   * Share of the n with the same answer, or with none by either.
   */
  agreement: number | null;
  /**
   * Who found an answer, and whether it is the same.
   */
  relations: {
    [k: string]: number;
  };
  /**
   * The parser's status -> the second reader's verdict.
   */
  statuses: {
    [k: string]: {
      [k: string]: number;
    };
  };
  /**
   * Why they were asked: the parser found no answer, the reply is long, or it was drawn at random.
   */
  reasons: {
    [k: string]: Agreed;
  };
  reader: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * Measure of `value`: Cohen's kappa of choices; mean F1 of the two answers to spans and texts.
   */
  measure: "kappa" | "f1";
}
/**
 * Counts of replies that got the same reading.
 */
export interface Agreed {
  /**
   * Replies with a verdict.
   */
  n: number;
  agree: number;
}
/**
 * One second reader on one cell.
 */
export interface SecondCell {
  /**
   * Replies that the second reader was asked about.
   */
  asked: number;
  /**
   * Replies with a verdict: the others are unreadable, failed or missing.
   */
  n: number;
  /**
   * Share of the n with the same answer, or with none by either.
   */
  agreement: number | null;
  /**
   * Who found an answer, and whether it is the same.
   */
  relations: {
    [k: string]: number;
  };
  /**
   * The parser's status -> the second reader's verdict.
   */
  statuses: {
    [k: string]: {
      [k: string]: number;
    };
  };
  /**
   * Why they were asked: the parser found no answer, the reply is long, or it was drawn at random.
   */
  reasons: {
    [k: string]: Agreed;
  };
  /**
   * The model's name in its models.yaml.
   */
  model: string;
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  reader: string;
  /**
   * The task's headline.
   */
  metric: string;
  /**
   * Number of replies of the cell; the second reader gave a verdict on n.
   */
  replies: number;
  /**
   * Value of the headline in `cells`.
   */
  first: number | null;
  second: IntervalFields3;
  parted: ReadingDifference[];
  errors: {
    [k: string]: number;
  };
  records: string;
  facts: ReadingFacts;
}
/**
 * Value of the headline with the second reader's answers to the n replies, the parser's to the others.
 */
export interface IntervalFields3 {
  value: number | null;
  low: number | null;
  high: number | null;
}
/**
 * A reply that the readers read differently.
 */
export interface ReadingDifference {
  item: string;
  rotation: number;
  sample: number;
  relation: "same" | "other" | "first_only" | "second_only" | "neither";
  /**
   * The parser's answer: labels, the beginning of a text, or without one the status.
   */
  first: string;
  /**
   * The second reader's answer, or its verdict.
   */
  second: string;
}
/**
 * The hashes and settings that the verdicts depend on.
 */
export interface ReadingFacts {
  /**
   * SHA-256, in hexadecimal.
   */
  template: string;
  fingerprint: string;
  backend: string;
  chat: boolean;
  sampling: {
    [k: string]: unknown;
  };
  max_new_tokens: number;
  /**
   * Characters of a reply beyond which the second reader is asked about it.
   */
  longer: number;
  /**
   * Number of other replies that were drawn from the whole run.
   */
  sample: number;
  seed: number;
}
/**
 * A learning curve: one base model, one pool of training items, one place, the same settings of training and test items.
 */
export interface Curve {
  /**
   * A name of `evalsuite tasks`.
   */
  task: string;
  /**
   * easy or hard; of other benchmarks a fold, dimension, version or source.
   */
  set: string;
  split: "train" | "dev" | "test";
  /**
   * The prompt template's name.
   */
  variant: string;
  /**
   * Examples before the question that were asked for.
   */
  shots: number;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  base: string;
  trained_on: string;
  allow_leak: boolean | null;
  metric: string;
  before: UntunedScore | null;
  chance: number | null;
  points: CurvePoint[];
}
/**
 * The score of the base model, before fine-tuning.
 */
export interface UntunedScore {
  value: number | null;
  low: number | null;
  high: number | null;
  items: number;
}
/**
 * The adapters that were trained on one number of items.
 */
export interface CurvePoint {
  value: number | null;
  low: number | null;
  high: number | null;
  /**
   * Training items.
   */
  size: number;
  /**
   * Lowest and highest seed, or the cell's own interval.
   */
  interval: "seeds" | "items";
  /**
   * Test items; those of the first seed, if replies failed.
   */
  items: number;
  seeds: Seed[];
  labels: LabelCheck | null;
}
/**
 * One adapter, by the seed of its training.
 */
export interface Seed {
  value: number | null;
  low: number | null;
  high: number | null;
  seed: number;
  model: string;
}
/**
 * A check for label shortcuts. Counts by option position: answers in training, choices of the adapter, gold.
 */
export interface LabelCheck {
  labels: string[];
  trained: number[];
  chosen: number[];
  gold: number[];
  silent: number;
  /**
   * Total variation distance between chosen and training.
   */
  distance: number | null;
  /**
   * Total variation distance between chosen and gold.
   */
  bias: number | null;
  /**
   * The position of the most frequent label in training.
   */
  most: number;
  /**
   * Share of the choices at that position.
   */
  share: number | null;
  gold_share: number | null;
}
