// Generated from schema/judged-record.schema.json (b13d686cee0bf4a2) by types.mjs.

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
  task:
    | "knowledge_filling"
    | "knowledge_generation"
    | "conflict_detection"
    | "domain_identification"
    | "slot_identification"
    | "event_cause"
    | "subsequent_event"
    | "clipped_subsequent_event"
    | "charm_anachronisms"
    | "charm_time"
    | "charm_sequence"
    | "charm_recommendation"
    | "charm_sport"
    | "charm_nli"
    | "charm_reading"
    | "charm_memory_anachronisms"
    | "charm_memory_time"
    | "charm_memory_recommendation"
    | "charm_memory_sport"
    | "xcopa_cause_effect"
    | "c3_reading"
    | "cmmlu_exam"
    | "blend_everyday"
    | "fewclue_cluewsc"
    | "fewclue_chid"
    | "tombench_unexpected_outcome"
    | "tombench_scalar_implicature"
    | "tombench_persuasion_story"
    | "tombench_false_belief"
    | "tombench_ambiguous_story"
    | "tombench_hinting"
    | "tombench_strange_story"
    | "tombench_faux_pas"
    | "tombench_discrepant_emotions"
    | "tombench_hidden_emotions"
    | "tombench_moral_emotions"
    | "tombench_emotion_regulation"
    | "tombench_discrepant_desires"
    | "tombench_multiple_desires"
    | "tombench_completion_of_failed_actions"
    | "tombench_discrepant_intentions"
    | "tombench_prediction_of_actions"
    | "tombench_knowledge_pretend_play"
    | "tombench_percepts_knowledge"
    | "tombench_knowledge_attention"
    | "halluqa_tell"
    | "halluqa_choose"
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
  perturb:
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
    | "shuffle5"
    | "swap_speakers"
    | "drop_turns"
    | "traditional"
    | "taiwan"
    | "no_dialogue"
    | "none_of_above";
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
  settings: AskedWith;
  prompt: string;
  /**
   * @maxItems 100
   */
  attempts: Attempt[];
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
export interface AskedWith {
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
export interface Attempt {
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
  reasoning?: string | null;
}
