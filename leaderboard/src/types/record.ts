// Generated from schema/record.schema.json (7d0660b9086d447d) by types.mjs.

/**
 * One request about one item.
 */
export interface EvalsuiteRecordFormat1 {
  /**
   * Benchmark/set/split/task/number in its file.
   */
  item: string;
  model: string;
  variant: string;
  /**
   * Ids of the examples shown, in order.
   *
   * @maxItems 1000
   */
  shots: string[];
  asked_shots: number;
  /**
   * The longest reply, in tokens.
   */
  max_new_tokens: number;
  /**
   * Hash of the model's fingerprint, the exact prompt, and the sampling settings.
   */
  key: string;
  /**
   * The whole prompt, examples included, as a base model gets it.
   */
  prompt: string;
  /**
   * The same as chat turns; null for a base model.
   */
  messages: Turn[] | null;
  /**
   * The reply; null if the request failed.
   */
  reply: string | null;
  reasoning: string | null;
  /**
   * Likelihoods, one for each option, where nothing was written.
   */
  likelihoods: OptionLikelihood[] | null;
  /**
   * Whether the model writes an answer, or its options are compared by likelihood.
   */
  scoring: "generate" | "labels" | "texts" | "constrained" | "nll";
  /**
   * The perturbation of the items.
   */
  perturb: string;
  rotation: number;
  finish: "stop" | "length" | "content_filter" | "error" | "labels" | "texts" | "nll";
  error: string | null;
  prompt_tokens: number;
  /**
   * Generated tokens, thinking included; 0: not counted.
   */
  new_tokens: number;
  answer: AnswerRead;
  scores: ItemMetrics;
  /**
   * The right option's label, or those of all right ones, by ", "; null for spans and texts.
   */
  gold: string | null;
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
   * Turns, each with its speaker mark; none where there is no dialogue.
   *
   * @maxItems 200
   */
  dialogue: string[];
  question: string;
  /**
   * @maxItems 100
   */
  labels: string[];
  /**
   * @maxItems 100
   */
  options: string[];
  /**
   * Right answers as text.
   *
   * @minItems 1
   * @maxItems 30
   */
  references: [string, ...string[]];
  /**
   * Relation category, inference type or dimension; several with |.
   */
  group?: string | null;
  /**
   * Ids of the items that ask for the facts that this one rests on.
   */
  rests_on?: string[] | null;
  /**
   * People who gave each of the references.
   */
  votes?: number[] | null;
  /**
   * The pairs of a probe: [context, target] with the valid explanation, and with the corrupted one.
   */
  pairs?: [[string, string], [string, string], ...[string, string][]] | null;
  /**
   * The regular expression that the reply was held to.
   */
  pattern?: string | null;
  /**
   * The reply reasons first; its answer follows these words.
   */
  answer_after?: string | null;
  /**
   * The prompt goes on with these words and an option, whose likelihood is asked.
   */
  option_after?: string | null;
  /**
   * Index among the samples of the prompt; absent for the first.
   */
  sample?: number;
  /**
   * Tokens of thinking among new_tokens; absent where the endpoint does not count them.
   */
  thinking_tokens?: number | null;
}
/**
 * A chat turn.
 */
export interface Turn {
  role: "user" | "assistant" | "system";
  content: string;
}
/**
 * The likelihood of one option. Natural logarithms.
 */
export interface OptionLikelihood {
  logprob: number;
  tokens: number;
  prior: number | null;
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
/**
 * The item's own metrics; empty if the request failed.
 */
export interface ItemMetrics {
  accuracy?: number;
  set_accuracy?: number;
  answer_f1?: number;
  f1?: number;
  em?: number;
  contains?: number;
  delta_nll?: number;
}
