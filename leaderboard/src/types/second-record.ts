// Generated from schema/second-record.schema.json by types.mjs.

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
 * The prompt template's name.
 */
export type Variant = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots = number;
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
/**
 * The model's name in its models.yaml.
 */
export type Model = string;
export type Reader = string;
export type Item = string;
export type Rotation = number;
export type Sample = number;
/**
 * The key of the reply's own record.
 */
export type ReplyKey = string;
export type Why = "unread" | "long" | "sample";
export type Prompt = string;
/**
 * SHA-256, in hexadecimal.
 */
export type Key = string;
export type Reply = string | null;
export type Finish = string;
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
export type Verdict = "answer" | "none" | "refused" | "several" | "unreadable" | "failed" | "missing";
export type Relation = string;
/**
 * Where an endpoint returns it apart.
 */
export type Reasoning = string | null;

/**
 * A line of second/*.jsonl: one reply, what the second reader was asked about it and said, and both readings.
 */
export interface EvalsuiteSecondRecordFormat1 {
  task: Task;
  set: Set;
  split: Split;
  variant: Variant;
  shots: Shots;
  scoring: Scoring;
  perturb: Perturb;
  model: Model;
  reader: Reader;
  item: Item;
  rotation: Rotation;
  sample: Sample;
  reply_key: ReplyKey;
  why: Why;
  prompt: Prompt;
  key: Key;
  reply: Reply;
  finish: Finish;
  error: Error;
  prompt_tokens: PromptTokens;
  new_tokens: NewTokens;
  first: AnswerRead;
  verdict: Verdict;
  second: AnswerRead | null;
  relation: Relation;
  reasoning?: Reasoning;
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
