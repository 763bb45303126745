// Generated from schema/second-record.schema.json (4f76087e613762e8) by types.mjs.

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
  first: AnswerRead;
  verdict: "answer" | "none" | "refused" | "several" | "unreadable" | "failed" | "missing";
  second: AnswerRead | null;
  relation: string;
  /**
   * The thinking, where an endpoint returns it apart.
   */
  reasoning?: string | null;
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
