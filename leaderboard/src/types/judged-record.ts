// Generated from schema/judged-record.schema.json (82deb8d6a54d1226) by types.mjs.

/**
 * A line of judged/*.jsonl: one candidate, the judge's prompt and replies, and the verdict.
 */
export interface EvalsuiteJudgedRecordFormat1 {
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
  item: string;
  rotation: number;
  /**
   * The key of the candidate's own record.
   */
  candidate_key: string;
  candidate: string;
  attack: string | null;
  question: string;
  /**
   * @maxItems 100
   */
  references: string[];
  /**
   * SHA-256, in hexadecimal.
   */
  template: string;
  settings: RecordedSettings;
  prompt: string;
  /**
   * @maxItems 100
   */
  attempts: JudgeAttempt[];
  status: "scored" | "empty" | "invalid" | "failed" | "missing";
  scores: {
    [k: string]: number;
  };
  rule: string;
  reasons: string;
  start: number | null;
  end: number | null;
}
/**
 * The settings of the judge.
 */
export interface RecordedSettings {
  fingerprint: string;
  sampling: {
    [k: string]: unknown;
  };
  max_new_tokens: number;
  attempts: number;
}
/**
 * One reply of a judge.
 */
export interface JudgeAttempt {
  /**
   * The text added after the prompt.
   */
  added: string;
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
}
