// Generated from schema/second-record.schema.json (a84e736b435b9156) by types.mjs.

/**
 * A line of second/*.jsonl: one reply, what the second reader was asked about it and said, and both readings.
 */
export interface EvalsuiteSecondRecordFormat1 {
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
  item: string;
  rotation: number;
  sample: number;
  /**
   * The key of the reply's own record.
   */
  reply_key: string;
  why: "unread" | "long" | "sample";
  prompt: string;
  /**
   * SHA-256, in hexadecimal.
   */
  key: string;
  reply: string | null;
  finish: string;
  error: string | null;
  prompt_tokens: number;
  new_tokens: number;
  /**
   * The thinking, where an endpoint returns it apart.
   */
  reasoning?: string | null;
  first: AnswerRead;
  verdict: "answer" | "none" | "refused" | "several" | "unreadable" | "failed" | "missing";
  second: AnswerRead | null;
  relation: string;
}
/**
 * The answer read out of the reply.
 */
export interface AnswerRead {
  status: "parsed" | "unparsed" | "refused" | "truncated" | "several" | "conflict" | "empty" | "filtered" | "failed";
  /**
   * Index into the options.
   */
  choice: number | null;
  text: string | null;
  /**
   * The rule that read it.
   */
  rule: string;
  /**
   * Position of the answer in the reply, in characters.
   */
  start: number | null;
  end: number | null;
  /**
   * Indices of the chosen options, for tasks that ask for all right ones.
   *
   * @maxItems 100
   */
  choices: number[];
  /**
   * Characters of reasoning that the prompt asked for, before the part that was read; absent for none.
   */
  reasoned?: number;
  /**
   * Probability of being right that the reply states for its choice; absent if it states none.
   */
  confidence?: number | null;
}
