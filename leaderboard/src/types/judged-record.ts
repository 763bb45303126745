// Generated from schema/judged-record.schema.json by types.mjs.

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
export type Judge = string;
export type Rubric = string;
/**
 * plain, blind (without the gold answer), repeat/N, attack.
 */
export type Control = string;
export type Item = string;
export type Rotation = number;
/**
 * The key of the candidate's own record.
 */
export type CandidateKey = string;
export type Candidate = string;
export type Attack = string | null;
export type Question = string;
/**
 * @maxItems 100
 */
export type References = string[];
/**
 * SHA-256, in hexadecimal.
 */
export type Template = string;
export type Fingerprint = string;
export type MaxNewTokens = number;
export type Attempts = number;
export type Prompt = string;
/**
 * The text added after the prompt.
 */
export type Added = string;
/**
 * SHA-256, in hexadecimal.
 */
export type Key = string;
export type Reply = string | null;
export type Finish = string;
export type Error = string | null;
export type PromptTokens = number;
export type NewTokens = number;
export type Reasoning = string | null;
/**
 * @maxItems 100
 */
export type Attempts1 = Attempt[];
export type Status = "scored" | "empty" | "invalid" | "failed" | "missing";
export type Rule = string;
export type Reasons = string;
export type Start = number | null;
export type End = number | null;

/**
 * A line of judged/*.jsonl: one candidate, the judge's prompt and replies, and the verdict.
 */
export interface EvalsuiteJudgedRecordFormat1 {
  task: Task;
  set: Set;
  split: Split;
  variant: Variant;
  shots: Shots;
  scoring: Scoring;
  perturb: Perturb;
  model: Model;
  judge: Judge;
  rubric: Rubric;
  control: Control;
  item: Item;
  rotation: Rotation;
  candidate_key: CandidateKey;
  candidate: Candidate;
  attack: Attack;
  question: Question;
  references: References;
  template: Template;
  settings: AskedWith;
  prompt: Prompt;
  attempts: Attempts1;
  status: Status;
  scores: Scores;
  rule: Rule;
  reasons: Reasons;
  start: Start;
  end: End;
}
export interface AskedWith {
  fingerprint: Fingerprint;
  sampling: Sampling;
  max_new_tokens: MaxNewTokens;
  attempts: Attempts;
}
export interface Sampling {
  [k: string]: unknown;
}
/**
 * One reply of a judge.
 */
export interface Attempt {
  added: Added;
  key: Key;
  reply: Reply;
  finish: Finish;
  error: Error;
  prompt_tokens: PromptTokens;
  new_tokens: NewTokens;
  reasoning?: Reasoning;
}
export interface Scores {
  [k: string]: number;
}
