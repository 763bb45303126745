// Generated from schema/record.schema.json by types.mjs.

/**
 * Benchmark/set/split/task/number in its file.
 */
export type Item = string;
export type Model = string;
export type Variant = string;
/**
 * Ids of the examples shown, in order.
 *
 * @maxItems 1000
 */
export type Shots = string[];
export type AskedShots = number;
/**
 * The longest reply, in tokens.
 */
export type MaxNewTokens = number;
/**
 * Of the model's fingerprint, the exact prompt, and the sampling settings.
 */
export type Key = string;
/**
 * The whole prompt, examples included, as a base model gets it.
 */
export type Prompt = string;
/**
 * The same as chat turns; null for a base model.
 */
export type Messages = Turn[] | null;
export type Role = "user" | "assistant" | "system";
export type Content = string;
/**
 * Null if the request failed.
 */
export type Reply = string | null;
export type Reasoning = string | null;
/**
 * One an option, where nothing was written.
 */
export type Likelihoods = OptionLikelihood[] | null;
export type Logprob = number;
export type Tokens = number;
export type Prior = number | null;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb =
  | "none"
  | "reindicate"
  | "reindicate_upper"
  | "reindicate_circled"
  | "reindicate_stems"
  | "shuffle"
  | "both"
  | "derange"
  | "derange_both"
  | "reverse"
  | "circular"
  | "swap_speakers"
  | "drop_turns"
  | "traditional";
export type Rotation = number;
export type Finish = "stop" | "length" | "content_filter" | "error" | "labels" | "texts" | "nll";
export type Error = string | null;
export type PromptTokens = number;
export type NewTokens = number;
export type Status =
  "parsed" | "unparsed" | "refused" | "truncated" | "several" | "conflict" | "empty" | "filtered" | "failed";
/**
 * Index into the options.
 */
export type Choice = number | null;
export type Text = string | null;
/**
 * The rule that read it.
 */
export type Rule = string;
/**
 * Position of the answer in the reply, in characters.
 */
export type Start = number | null;
export type End = number | null;
/**
 * Indices of the chosen options, for tasks that ask for all right ones.
 *
 * @maxItems 100
 */
export type Choices = number[];
export type Accuracy = number;
export type SetAccuracy = number;
export type AnswerF1 = number;
export type F1 = number;
export type Em = number;
export type DeltaNll = number;
/**
 * The right option's label, or those of all right ones, by ", "; null for spans and texts.
 */
export type Gold = string | null;
/**
 * A name of `evalsuite tasks`.
 */
export type Task =
  | "knowledge_filling"
  | "knowledge_generation"
  | "conflict_detection"
  | "domain_identification"
  | "slot_identification"
  | "event_cause"
  | "subsequent_event"
  | "clipped_subsequent_event"
  | "cicero_cause"
  | "cicero_subsequent_event"
  | "cicero_clipped_subsequent_event"
  | "cicero_prerequisite"
  | "cicero_motivation"
  | "cicero_reaction"
  | "cicero_chained_cause"
  | "cicero_chained_subsequent_event"
  | "cicero_single_answer"
  | "cicero_all_answers"
  | "cider_dnli"
  | "cider_span_extraction"
  | "cider_span_selection"
  | "cider_span_selection_question"
  | "cider_relation_prediction"
  | "cider_relation_prediction_pair"
  | "glucose_specific_statement"
  | "glucose_general_rule"
  | "cedar_inference_probing"
  | "cedar_attribution_probing";
/**
 * easy or hard; of other benchmarks a fold, dimension, version or source.
 */
export type Set = string;
export type Split = "train" | "dev" | "test";
/**
 * Turns, each with its speaker mark.
 *
 * @minItems 1
 * @maxItems 200
 */
export type Dialogue = [string, ...string[]];
export type Question = string;
/**
 * @maxItems 100
 */
export type Labels = string[];
/**
 * @maxItems 100
 */
export type Options = string[];
/**
 * Right answers as text.
 *
 * @minItems 1
 * @maxItems 30
 */
export type References = [string, ...string[]];
/**
 * Relation category, inference type or dimension.
 */
export type Group = string | null;
/**
 * Of a probe: [context, target] with the valid explanation, and with the corrupted one.
 */
export type Pairs = [[string, string], [string, string], ...[string, string][]] | null;
/**
 * The regular expression that the reply was held to.
 */
export type Pattern = string | null;
/**
 * Which of the cell's samples; absent for the first.
 */
export type Sample = number;

/**
 * One request about one item.
 */
export interface EvalsuiteRecordFormat1 {
  item: Item;
  model: Model;
  variant: Variant;
  shots: Shots;
  asked_shots: AskedShots;
  max_new_tokens: MaxNewTokens;
  key: Key;
  prompt: Prompt;
  messages: Messages;
  reply: Reply;
  reasoning: Reasoning;
  likelihoods: Likelihoods;
  scoring: Scoring;
  perturb: Perturb;
  rotation: Rotation;
  finish: Finish;
  error: Error;
  prompt_tokens: PromptTokens;
  new_tokens: NewTokens;
  answer: AnswerRead;
  scores: Scores;
  gold: Gold;
  task: Task;
  set: Set;
  split: Split;
  dialogue: Dialogue;
  question: Question;
  labels: Labels;
  options: Options;
  references: References;
  group?: Group;
  pairs?: Pairs;
  pattern?: Pattern;
  sample?: Sample;
}
/**
 * A chat turn.
 */
export interface Turn {
  role: Role;
  content: Content;
}
/**
 * The likelihood of one option. Natural logarithms.
 */
export interface OptionLikelihood {
  logprob: Logprob;
  tokens: Tokens;
  prior: Prior;
}
/**
 * The answer read out of the reply.
 */
export interface AnswerRead {
  status: Status;
  choice: Choice;
  text: Text;
  rule: Rule;
  start: Start;
  end: End;
  choices: Choices;
}
/**
 * The item's own metrics; empty if the request failed.
 */
export interface Scores {
  accuracy?: Accuracy;
  set_accuracy?: SetAccuracy;
  answer_f1?: AnswerF1;
  f1?: F1;
  em?: Em;
  delta_nll?: DeltaNll;
}
