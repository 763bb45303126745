// Generated from schema/results.schema.json by types.mjs.

export type Format = 1;
/**
 * The version that wrote it.
 */
export type Evalsuite = string;
/**
 * For choices: the forms that count as an answer.
 */
export type Parser = "full" | "strict" | "paper";
/**
 * For spans and texts: lead-ins, quotes and reasons were cut off.
 */
export type Extract = boolean;
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
/**
 * Requests: as many as items, or several an item (perturb: circular; samples).
 */
export type Items = number;
/**
 * Requests not asked yet.
 */
export type Missing = number;
/**
 * Null where no request was answered.
 */
export type Value = number | null;
/**
 * 95 % interval, from dialogues resampled.
 */
export type Low = number | null;
/**
 * Its upper end.
 */
export type High = number | null;
/**
 * Items that it is computed from; failed requests are left out.
 */
export type N = number;
/**
 * Standard deviation between the samples' values, where every prompt has several replies.
 */
export type Spread = number | null;
/**
 * Everything that it depends on, in sacreBLEU's style: key:value|…
 */
export type Signature = string;
/**
 * Wilson's 95 % interval, for accuracies.
 */
export type Wilson = [number, number] | null;
/**
 * Examples left out for want of room in the model's context, in all.
 */
export type ShotsDropped = number;
/**
 * Its evidence (in a submission .gz may follow).
 */
export type Records = string;
/**
 * Of the official file that the items come from.
 */
export type Data = string;
/**
 * Of the prompt template.
 */
export type Template = string;
/**
 * Of the model: weights, tokenizer, chat template, dtype, kind of device, adapter.
 */
export type Fingerprint = string;
/**
 * As models.yaml names it: baseline, scripted, hf, vllm, openai, or another package's.
 */
export type Backend = string;
/**
 * Asked through the model's chat template.
 */
export type Chat = boolean;
/**
 * Replies to each prompt; absent if there is one.
 */
export type Samples = number | null;
/**
 * For drawing shots and perturbing.
 */
export type Seed = number;
/**
 * Only the first so many items of the file.
 */
export type Limit = number | null;
/**
 * Broken lines of the file, left out.
 */
export type SkippedLines = number;
/**
 * Items asked for whose dialogue the training split has, too; null: no such split there.
 */
export type Leaked = number | null;
/**
 * Those were left out.
 */
export type DropLeaked = boolean;
/**
 * The model's, from its models.yaml.
 */
export type Tags = string[];
/**
 * GLUCOSE: rows of the file that have an answer to the task.
 */
export type Answered = number | null;
/**
 * GLUCOSE: rows that say there is none.
 */
export type Escaped = number | null;
/**
 * Of the perturbation, where it is not the first: with 2, `shuffle` may keep an order.
 */
export type PerturbVersion = 2 | null;
/**
 * Of the model's checkpoint; absent where they are not known.
 */
export type Parameters = number | null;
/**
 * The model that the adapter was trained on.
 */
export type Base = string;
/**
 * The task of the training items; + joins several.
 */
export type Task1 = string;
/**
 * The only groups of items that it was trained on; empty: all.
 */
export type Groups = string[];
/**
 * Training items.
 */
export type Size = number;
export type Seed1 = number;
/**
 * One set, or both or all of them.
 */
export type Set1 = string;
/**
 * Dialogues of test items were among them.
 */
export type AllowLeak = boolean;
/**
 * Accuracy of guessing; choices only.
 */
export type Chance = number | null;
/**
 * Accuracy over readable replies; choices only.
 */
export type AccuracyOfParsed = number | null;
export type Cells = CellResult[];
/**
 * A name of `evalsuite tasks`.
 */
export type Task2 =
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
export type Set2 = string;
export type Split1 = "train" | "dev" | "test";
/**
 * The prompt template's name.
 */
export type Variant1 = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots1 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring1 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb1 =
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
export type Model1 = string;
export type Metric1 = string;
export type Items1 = number;
export type Dialogues = number;
/**
 * The metric without perturbation.
 */
export type Base1 = number | null;
export type Value1 = number | null;
/**
 * value less base: negative where it got worse.
 */
export type Drop1 = number | null;
export type Low1 = number | null;
export type High1 = number | null;
/**
 * Where p comes from.
 */
export type Test = string;
export type P = number | null;
/**
 * Dialogues whose scores differ: with fewer than 6, p cannot be below 0.05.
 */
export type Differ = number | null;
/**
 * p, corrected by Holm over the model's rows.
 */
export type PHolm = number | null;
export type FlipRate = number;
export type RightToWrong = number;
export type WrongToRight = number;
/**
 * How often the same option was chosen.
 */
export type SameChoice = number | null;
export type ParsedInBoth = number | null;
/**
 * How often all rotations got the same option.
 */
export type Consistency = number | null;
export type Drops = Drop[];
/**
 * A name of `evalsuite tasks`.
 */
export type Task3 =
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
export type Set3 = string;
export type Split2 = "train" | "dev" | "test";
/**
 * The prompt template's name.
 */
export type Variant2 = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots2 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring2 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb2 =
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
export type Model2 = string;
export type Labels1 = string[];
export type Gold = number[];
export type Right = number[];
export type Chosen = number[];
/**
 * Answered without choosing.
 */
export type Silent = number;
/**
 * Total variation distance between chosen and gold places.
 */
export type Bias = number | null;
export type Positions = Positions1[];
export type Model3 = string;
/**
 * A name of `evalsuite tasks`.
 */
export type Task4 =
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
export type Set4 = string;
export type Split3 = "train" | "dev" | "test";
export type Shots3 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring3 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb3 =
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
export type Metric2 = string;
export type Mean = number;
/**
 * Best less worst.
 */
export type Spread1 = number;
export type Worst = string;
export type Wordings = Wording[];
export type Model4 = string;
/**
 * A name of `evalsuite tasks`.
 */
export type Task5 =
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
export type Set5 = string;
export type Split4 = "train" | "dev" | "test";
export type Variant3 = string;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring4 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb4 =
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
export type Metric3 = string;
export type Shots4 = ShotValues[];
export type Model5 = string;
/**
 * A name of `evalsuite tasks`.
 */
export type Task6 =
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
export type Split5 = "train" | "dev" | "test";
export type Variant4 = string;
export type Shots5 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring5 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb5 =
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
 * @minItems 2
 */
export type Sets = [string, string, ...string[]];
/**
 * Of all sets.
 */
export type Items2 = number;
export type Value2 = number | null;
export type Low2 = number | null;
export type High2 = number | null;
/**
 * Sample standard deviation.
 */
export type Sd = number | null;
export type Means = Mean1[];
/**
 * A name of `evalsuite tasks`.
 */
export type Task7 =
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
export type Set6 = string;
export type Split6 = "train" | "dev" | "test";
/**
 * The prompt template's name.
 */
export type Variant5 = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots6 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring6 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb6 =
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
export type Model6 = string;
/**
 * Answered items.
 */
export type Items3 = number;
/**
 * Replies from which an answer was read that is not the whole reply.
 */
export type Cut = number;
/**
 * F1 of the answers.
 */
export type F1 = number;
/**
 * The same measure on the whole replies, less special tokens and thinking.
 */
export type F1Reply = number;
export type Em = number;
export type EmReply = number;
/**
 * f1 less f1_reply.
 */
export type Gain = number | null;
/**
 * 95 % interval, from dialogues resampled; null where no item differs.
 */
export type Low3 = number | null;
export type High3 = number | null;
/**
 * Absent in older runs.
 */
export type Extraction = Extraction1[];
export type Model7 = string;
/**
 * A name of `evalsuite tasks`.
 */
export type Task8 =
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
export type Split7 = "train" | "dev" | "test";
export type Variant6 = string;
export type Shots7 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring7 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb7 =
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
export type Metric4 = string;
/**
 * The easier one first.
 *
 * @minItems 2
 * @maxItems 2
 */
export type Sets1 = [string, string];
/**
 * @minItems 2
 * @maxItems 2
 */
export type Values2 = [number | null, number | null];
/**
 * @minItems 2
 * @maxItems 2
 */
export type Items4 = [number, number];
/**
 * @minItems 2
 * @maxItems 2
 */
export type Dialogues1 = [number, number];
/**
 * The first value less the second.
 */
export type Gap1 = number | null;
export type Low4 = number | null;
export type High4 = number | null;
/**
 * Of an unpaired permutation of dialogues between the sets.
 */
export type P1 = number;
/**
 * The smallest p that so few dialogues can give.
 */
export type LeastP = number;
/**
 * p, corrected by Holm over the model's tasks asked in one way.
 */
export type PHolm1 = number;
/**
 * Absent in older runs.
 */
export type Gaps = Gap[];
/**
 * A name of `evalsuite tasks`.
 */
export type Task9 =
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
export type Set7 = string;
export type Split8 = "train" | "dev" | "test";
/**
 * The prompt template's name.
 */
export type Variant7 = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots8 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring8 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb8 =
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
export type Base2 = string;
export type TrainedOn = string;
export type AllowLeak1 = boolean | null;
export type Metric5 = string;
export type Value3 = number | null;
export type Low5 = number | null;
export type High5 = number | null;
export type Items5 = number;
export type Chance1 = number | null;
export type Value4 = number | null;
export type Low6 = number | null;
export type High6 = number | null;
/**
 * Training items.
 */
export type Size1 = number;
/**
 * Lowest and highest seed, or the cell's own interval.
 */
export type Interval = "seeds" | "items";
/**
 * Test items.
 */
export type Items6 = number;
export type Value5 = number | null;
export type Low7 = number | null;
export type High7 = number | null;
export type Seed3 = number;
export type Model8 = string;
export type Seeds = Seed2[];
export type Labels2 = string[];
export type Trained1 = number[];
export type Chosen1 = number[];
export type Gold1 = number[];
export type Silent1 = number;
/**
 * Total variation distance between chosen and training.
 */
export type Distance = number | null;
/**
 * Total variation distance between chosen and gold.
 */
export type Bias1 = number | null;
/**
 * The position of the most frequent label in training.
 */
export type Most = number;
/**
 * Share of the choices at that position.
 */
export type Share = number | null;
export type GoldShare = number | null;
export type Points = Point[];
export type Learning = Curve[];
/**
 * A name of `evalsuite tasks`.
 */
export type Task10 =
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
export type Set8 = string;
export type Split9 = "train" | "dev" | "test";
/**
 * The prompt template's name.
 */
export type Variant8 = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots9 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring9 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb9 =
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
export type Model9 = string;
export type Metric6 = string;
/**
 * Null, as is high: unknown.
 */
export type Low8 = number | null;
/**
 * Null: no upper end.
 */
export type High8 = number | null;
/**
 * Items.
 */
export type N1 = number;
/**
 * Dialogues that they come from.
 */
export type Dialogues2 = number;
/**
 * The cell's metric over them, 0 … 1.
 */
export type Value6 = number;
/**
 * Wilson's 95 % interval at the effective number of items, low and high.
 *
 * @minItems 2
 * @maxItems 2
 */
export type Interval1 = [number, number];
/**
 * By turns of the dialogue.
 */
export type Turns = Bin[];
/**
 * By turns from what the question is about to the answer.
 */
export type Distance1 = Bin[];
/**
 * By number of options; choices only.
 */
export type Options = Bin[] | null;
/**
 * By number of right answers; tasks with several only.
 */
export type Answers = Bin[] | null;
/**
 * By group, in the paper's order, where there are several.
 */
export type Groups1 = Group[] | null;
export type Name = string;
/**
 * Items.
 */
export type N2 = number;
/**
 * Dialogues that they come from.
 */
export type Dialogues3 = number;
/**
 * The cell's metric over them, 0 … 1.
 */
export type Value7 = number;
/**
 * As a bin's.
 *
 * @minItems 2
 * @maxItems 2
 */
export type Interval2 = [number, number];
export type Breakdowns = Breakdown[];
/**
 * A name of `evalsuite tasks`.
 */
export type Task11 =
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
export type Set9 = string;
export type Split10 = "train" | "dev" | "test";
/**
 * The prompt template's name.
 */
export type Variant9 = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots10 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring10 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb10 =
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
export type Model10 = string;
/**
 * [Chinese, English]
 */
export type Names = [string, string][];
/**
 * [right name, chosen name, replies]; names by their index.
 */
export type Pairs = [number, number, number][];
/**
 * [right name, replies that chose nothing]
 */
export type Silent2 = [number, number][];
/**
 * Indices into names.
 */
export type Options1 = number[];
/**
 * [right name, replies] of the items with these options.
 */
export type Gold2 = [number, number][];
export type Offers = Offer[];
export type Confusions = Confusion[];
/**
 * A name of `evalsuite tasks`.
 */
export type Task12 =
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
export type Set10 = string;
export type Split11 = "train" | "dev" | "test";
export type Variant10 = string;
export type Shots11 = number;
/**
 * What a point is: an item of a model, or a model's cell.
 */
export type Basis = "items" | "models";
export type Models = number;
/**
 * Points.
 */
export type N3 = number;
/**
 * Points that the sample was drawn from.
 */
export type Of = number;
export type Metrics2 = string[];
/**
 * Of every two metrics, in the order (1, 2), (1, 3) … (2, 3) …; null where one is constant.
 */
export type Spearman = (number | null)[];
/**
 * Kendall's τ-b, in the same order.
 */
export type Kendall = (number | null)[];
export type MetricCorrelations = MetricCorrelation[];
/**
 * A name of `evalsuite tasks`.
 */
export type Task13 =
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
export type Set11 = string;
export type Split12 = "train" | "dev" | "test";
/**
 * The prompt template's name.
 */
export type Variant11 = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots12 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring11 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb11 =
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
export type Model11 = string;
export type Judge = string;
export type Rubric = string;
/**
 * plain, blind (without the gold answer), repeat/N, attack.
 */
export type Control = string;
export type Items7 = number;
/**
 * Candidates for which the judge was asked more than once.
 */
export type AskedAgain = number;
/**
 * By name; none under attack.
 */
export type Scales = {
  [k: string]: ScaleNumbers;
} | null;
export type Value8 = number | null;
export type Low9 = number | null;
export type High9 = number | null;
export type N4 = number;
export type Spearman1 = number | null;
export type Partial = number | null;
/**
 * Correlation with every automatic metric, item by item.
 */
export type Metrics3 = {
  [k: string]: PerItem;
} | null;
export type Pearson = number | null;
export type Spearman2 = number | null;
export type Kendall1 = number | null;
export type SpearmanLow = number | null;
export type SpearmanHigh = number | null;
/**
 * Metric -> score -> number of items in each tenth of the metric's range.
 */
export type Joint = {
  [k: string]: {
    /**
     * Ten counts: 0 … 0.1, 0.1 … 0.2, …
     */
    [k: string]: string;
  };
} | null;
export type Signature1 = string;
export type Records1 = string;
/**
 * SHA-256, in hexadecimal.
 */
export type Template1 = string;
export type Scales1 = [unknown, unknown, unknown, unknown][];
/**
 * The text added to the prompt when a judge is asked again.
 */
export type Reminder = string;
export type Attempts = number;
export type Limit1 = number | null;
export type Seed4 = number;
export type Fingerprint1 = string;
export type Backend1 = string;
export type Chat1 = boolean;
/**
 * The longest reply, in tokens.
 */
export type MaxNewTokens = number;
export type RepeatsBy = "sampling" | "wording";
export type Family = string;
export type OfFamily = string;
export type Cells1 = JudgedCell[];
/**
 * A name of `evalsuite tasks`.
 */
export type Task14 =
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
export type Set12 = string;
export type Split13 = "train" | "dev" | "test";
/**
 * The prompt template's name.
 */
export type Variant12 = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots13 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring12 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb12 =
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
export type Judge1 = string;
export type Rubric1 = string;
export type Scale = string;
export type Models2 = number;
export type Pearson1 = number | null;
export type Spearman3 = number | null;
export type Kendall2 = number | null;
export type Models1 = OverModels[];
export type Judge2 = string;
export type Rubric2 = string;
export type Scale1 = string;
export type Benchmark = string;
export type Split14 = string;
export type Variant13 = string;
export type Shots14 = number;
export type Scoring13 = string;
export type Perturb13 = string;
export type Models3 = number;
export type Points1 = number;
export type Systems = OverSystems[];
export type Judge3 = string;
export type Rubric3 = string;
export type Scale2 = string;
export type N5 = number;
export type Most1 = number;
export type Share1 = number;
export type NGold = number;
export type Gold3 = number | null;
export type NFar = number;
export type Far = number | null;
export type Anchors = Anchor[];
/**
 * Cohen's, with quadratic weights.
 */
export type Kappa = number | null;
export type Within1 = number;
export type Same = number;
/**
 * Standard deviation within an item, in the scale's unit.
 */
export type Spread2 = number;
export type Range = number;
export type Judge4 = string;
export type Rubric4 = string;
export type Scale3 = string;
export type By = "sampling" | "wording";
export type Repeats1 = number;
export type N6 = number;
export type Means1 = number[];
export type Repeats = Repeat[];
export type Kappa1 = number | null;
export type Same1 = number;
export type Within11 = number;
/**
 * The second less the first, in the scale's unit.
 */
export type Difference = number;
export type Spearman4 = number | null;
export type Judge5 = string;
export type Rubric5 = string;
export type Scale4 = string;
export type N7 = number;
export type Mean2 = number;
export type Blind2 = number;
export type Low10 = number;
export type High10 = number;
export type Blind = Blind1[];
export type Rubric6 = string;
export type Scale5 = string;
export type Judges = string[];
export type N8 = number;
export type Kappa2 = number | null;
export type Within12 = number | null;
export type Same2 = number | null;
export type Spread3 = number | null;
export type Range1 = number | null;
export type Kappa3 = number | null;
export type Same3 = number;
export type Within13 = number;
/**
 * The second less the first, in the scale's unit.
 */
export type Difference1 = number;
export type Spearman5 = number | null;
export type Judges1 = string[];
export type N9 = number;
export type Pairs1 = PanelPair[];
export type Value9 = number | null;
export type Low11 = number | null;
export type High11 = number | null;
/**
 * A name of `evalsuite tasks`.
 */
export type Task15 =
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
export type Set13 = string;
export type Split15 = "train" | "dev" | "test";
/**
 * The prompt template's name.
 */
export type Variant14 = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots15 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring14 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb14 =
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
export type Model12 = string;
export type N10 = number;
export type Cells2 = MedianCell[];
export type Panel = Panel1[];
export type Spearman6 = number | null;
export type Partial1 = number | null;
export type Judge6 = string;
export type Rubric7 = string;
export type Scale6 = string;
export type N11 = number;
export type Cells3 = number;
export type Length1 = LengthBias[];
export type Judge7 = string;
export type Rubric8 = string;
export type Scale7 = string;
export type Family2 = string;
export type OwnModels = string[];
export type Peers = string[];
export type NOwn = number;
export type NOther = number;
export type Own = number | null;
export type Other = number | null;
export type PeersOwn = number | null;
export type PeersOther = number | null;
export type Preference = number | null;
export type Families = Family1[];
export type Judge8 = string;
export type Rubric9 = string;
export type Scale8 = string;
export type Attacks1 = number;
export type Asked = number;
export type Invalid = number;
export type Compared = number;
export type N12 = number;
export type Raised = number;
export type ToMost = number;
export type Lowered = number;
export type RaisedWithout = number | null;
export type Change = number | null;
export type N13 = number;
export type Raised2 = number;
export type FellFor = string[];
export type Attacks = Attack[];
export type Value10 = number | null;
export type Low12 = number | null;
export type High12 = number | null;
/**
 * Replies that the second reader was asked about.
 */
export type Asked1 = number;
/**
 * Those with a verdict: the others are unreadable, failed or missing.
 */
export type N14 = number;
/**
 * Share of the n with the same answer, or with none by either.
 */
export type Agreement = number | null;
/**
 * Replies with a verdict.
 */
export type N15 = number;
export type Agree = number;
export type Reader = string;
/**
 * A name of `evalsuite tasks`.
 */
export type Task16 =
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
 * Of `value`: Cohen's kappa of choices; mean F1 of the two answers to spans and texts.
 */
export type Measure = "kappa" | "f1";
export type Tasks = SecondTask[];
/**
 * Replies that the second reader was asked about.
 */
export type Asked2 = number;
/**
 * Those with a verdict: the others are unreadable, failed or missing.
 */
export type N16 = number;
/**
 * Share of the n with the same answer, or with none by either.
 */
export type Agreement1 = number | null;
/**
 * A name of `evalsuite tasks`.
 */
export type Task17 =
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
export type Set14 = string;
export type Split16 = "train" | "dev" | "test";
/**
 * The prompt template's name.
 */
export type Variant15 = string;
/**
 * Examples before the question that were asked for.
 */
export type Shots16 = number;
/**
 * Whether the model writes an answer, or its options are compared by likelihood.
 */
export type Scoring15 = "generate" | "labels" | "texts" | "constrained" | "nll";
/**
 * The perturbation of the items.
 */
export type Perturb15 =
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
export type Model13 = string;
export type Reader1 = string;
/**
 * The task's headline.
 */
export type Metric7 = string;
/**
 * Of the cell; the second reader gave a verdict on n.
 */
export type Replies = number;
/**
 * The headline: its value in `cells`.
 */
export type First = number | null;
export type Value11 = number | null;
export type Low13 = number | null;
export type High13 = number | null;
export type Item = string;
export type Rotation = number;
export type Sample = number;
export type Relation = "same" | "other" | "first_only" | "second_only" | "neither";
/**
 * The parser's answer: labels, the beginning of a text, or without one the status.
 */
export type First1 = string;
/**
 * The second reader's, or its verdict.
 */
export type Second1 = string;
export type Parted = Parting[];
export type Records2 = string;
/**
 * SHA-256, in hexadecimal.
 */
export type Template2 = string;
export type Fingerprint2 = string;
export type Backend2 = string;
export type Chat2 = boolean;
export type MaxNewTokens1 = number;
/**
 * Longer replies were asked, in characters.
 */
export type Longer = number;
/**
 * Other replies drawn from the whole run.
 */
export type Sample1 = number;
export type Seed5 = number;
export type Cells4 = SecondCell[];

/**
 * results.json: all figures of a run. It holds no time and no path: the same settings give the same bytes.
 */
export interface EvalsuiteResultsFormat1 {
  format: Format;
  evalsuite: Evalsuite;
  reading: Reading;
  cells: Cells;
  robustness: Robustness;
  means: Means;
  extraction?: Extraction;
  gaps?: Gaps;
  learning: Learning;
  breakdowns: Breakdowns;
  confusions: Confusions;
  metric_correlations: MetricCorrelations;
  judged?: Judged | null;
  second?: Second | null;
}
/**
 * How replies were read.
 */
export interface Reading {
  parser: Parser;
  extract: Extract;
}
/**
 * The results of one model on one task and set, asked in one way.
 */
export interface CellResult {
  task: Task;
  set: Set;
  split: Split;
  variant: Variant;
  shots: Shots;
  scoring: Scoring;
  perturb: Perturb;
  model: Model;
  items: Items;
  missing: Missing;
  status: Status;
  metrics: Metrics;
  shots_dropped: ShotsDropped;
  errors: Errors;
  records: Records;
  facts: Facts;
  chance?: Chance;
  accuracy_of_parsed?: AccuracyOfParsed;
}
/**
 * The statuses of the others.
 */
export interface Status {
  [k: string]: number;
}
/**
 * The first of the task's metrics is its headline.
 */
export interface Metrics {
  [k: string]: Metric;
}
/**
 * One figure of a cell. Shares and scores are in 0 … 1; CIDEr in 0 … 10; delta_nll in nats, which may be negative.
 */
export interface Metric {
  value: Value;
  low?: Low;
  high?: High;
  n: N;
  spread?: Spread;
  signature: Signature;
  wilson?: Wilson;
}
/**
 * The most frequent errors of failed requests, and how often each.
 */
export interface Errors {
  [k: string]: number;
}
/**
 * The hashes and settings that a cell's figures depend on.
 */
export interface Facts {
  data: Data;
  template: Template;
  fingerprint: Fingerprint;
  backend: Backend;
  chat: Chat;
  sampling: Sampling;
  samples?: Samples;
  seed: Seed;
  limit: Limit;
  skipped_lines: SkippedLines;
  leaked: Leaked;
  drop_leaked: DropLeaked;
  tags: Tags;
  answered?: Answered;
  escaped?: Escaped;
  perturb_version?: PerturbVersion;
  parameters?: Parameters;
  trained?: Trained | null;
}
/**
 * The backend's sampling settings.
 */
export interface Sampling {
  [k: string]: unknown;
}
/**
 * The training of an adapter by `evalsuite finetune`.
 */
export interface Trained {
  base: Base;
  task: Task1;
  groups?: Groups;
  size: Size;
  seed: Seed1;
  set: Set1;
  allow_leak: AllowLeak;
  labels: Labels;
  [k: string]: unknown;
}
/**
 * How often each option label was the answer; empty for texts.
 */
export interface Labels {
  [k: string]: number;
}
/**
 * Drops under perturbation, choices by option position, wordings, shots (docs/robustness.md).
 */
export interface Robustness {
  drops: Drops;
  positions: Positions;
  wordings: Wordings;
  shots: Shots4;
}
/**
 * A perturbed cell compared with its unperturbed one, over the items answered in both.
 */
export interface Drop {
  task: Task2;
  set: Set2;
  split: Split1;
  variant: Variant1;
  shots: Shots1;
  scoring: Scoring1;
  perturb: Perturb1;
  model: Model1;
  metric: Metric1;
  items: Items1;
  dialogues: Dialogues;
  base: Base1;
  value: Value1;
  drop: Drop1;
  low: Low1;
  high: High1;
  test: Test;
  p: P;
  differ?: Differ;
  p_holm: PHolm;
  flip_rate: FlipRate;
  right_to_wrong: RightToWrong;
  wrong_to_right: WrongToRight;
  same_choice?: SameChoice;
  parsed_in_both?: ParsedInBoth;
  consistency?: Consistency;
}
/**
 * Counts by option position: gold, right choices, all choices.
 */
export interface Positions1 {
  task: Task3;
  set: Set3;
  split: Split2;
  variant: Variant2;
  shots: Shots2;
  scoring: Scoring2;
  perturb: Perturb2;
  model: Model2;
  labels: Labels1;
  gold: Gold;
  right: Right;
  chosen: Chosen;
  silent: Silent;
  bias: Bias;
}
/**
 * One task in several wordings.
 */
export interface Wording {
  model: Model3;
  task: Task4;
  set: Set4;
  split: Split3;
  shots: Shots3;
  scoring: Scoring3;
  perturb: Perturb3;
  metric: Metric2;
  values: Values;
  mean: Mean;
  spread: Spread1;
  worst: Worst;
}
/**
 * By the template's name.
 */
export interface Values {
  [k: string]: number;
}
/**
 * One task with several numbers of shots.
 */
export interface ShotValues {
  model: Model4;
  task: Task5;
  set: Set5;
  split: Split4;
  variant: Variant3;
  scoring: Scoring4;
  perturb: Perturb4;
  metric: Metric3;
  values: Values1;
}
/**
 * By the number of shots.
 */
export interface Values1 {
  [k: string]: number;
}
/**
 * A task's mean over the sets of a benchmark that is averaged: folds, dimensions. Every set weighs the same.
 */
export interface Mean1 {
  model: Model5;
  task: Task6;
  split: Split5;
  variant: Variant4;
  shots: Shots5;
  scoring: Scoring5;
  perturb: Perturb5;
  sets: Sets;
  items: Items2;
  metrics: Metrics1;
}
/**
 * Those that every set has.
 */
export interface Metrics1 {
  [k: string]: Average;
}
/**
 * A metric's mean over sets; `sd` is between them.
 */
export interface Average {
  value: Value2;
  low: Low2;
  high: High2;
  sd: Sd;
}
/**
 * What extraction adds to the scores of a cell of spans or texts.
 */
export interface Extraction1 {
  task: Task7;
  set: Set6;
  split: Split6;
  variant: Variant5;
  shots: Shots6;
  scoring: Scoring6;
  perturb: Perturb6;
  model: Model6;
  items: Items3;
  cut: Cut;
  f1: F1;
  f1_reply: F1Reply;
  em: Em;
  em_reply: EmReply;
  gain: Gain;
  low: Low3;
  high: High3;
}
/**
 * The scores of a model on two sets of a task that differ in difficulty.
 */
export interface Gap {
  model: Model7;
  task: Task8;
  split: Split7;
  variant: Variant6;
  shots: Shots7;
  scoring: Scoring7;
  perturb: Perturb7;
  metric: Metric4;
  sets: Sets1;
  values: Values2;
  items: Items4;
  dialogues: Dialogues1;
  gap: Gap1;
  low: Low4;
  high: High4;
  p: P1;
  least_p: LeastP;
  p_holm: PHolm1;
}
/**
 * A learning curve: one base model, one pool of training items, one place.
 */
export interface Curve {
  task: Task9;
  set: Set7;
  split: Split8;
  variant: Variant7;
  shots: Shots8;
  scoring: Scoring8;
  perturb: Perturb8;
  base: Base2;
  trained_on: TrainedOn;
  allow_leak: AllowLeak1;
  metric: Metric5;
  before: Before | null;
  chance: Chance1;
  points: Points;
}
/**
 * The base model's figure.
 */
export interface Before {
  value: Value3;
  low: Low5;
  high: High5;
  items: Items5;
}
/**
 * The adapters of one size.
 */
export interface Point {
  value: Value4;
  low: Low6;
  high: High6;
  size: Size1;
  interval: Interval;
  items: Items6;
  seeds: Seeds;
  labels: LabelCheck | null;
}
/**
 * One adapter.
 */
export interface Seed2 {
  value: Value5;
  low: Low7;
  high: High7;
  seed: Seed3;
  model: Model8;
}
/**
 * Counts by option position: answers in training, choices of the adapter, gold.
 */
export interface LabelCheck {
  labels: Labels2;
  trained: Trained1;
  chosen: Chosen1;
  gold: Gold1;
  silent: Silent1;
  distance: Distance;
  bias: Bias1;
  most: Most;
  share: Share;
  gold_share: GoldShare;
}
/**
 * A cell's score by properties of its items.
 */
export interface Breakdown {
  task: Task10;
  set: Set8;
  split: Split9;
  variant: Variant8;
  shots: Shots9;
  scoring: Scoring9;
  perturb: Perturb9;
  model: Model9;
  metric: Metric6;
  turns: Turns;
  distance: Distance1;
  options?: Options;
  answers?: Answers;
  groups?: Groups1;
}
/**
 * The items with a property from low to high, both inclusive.
 */
export interface Bin {
  low: Low8;
  high: High8;
  n: N1;
  dialogues: Dialogues2;
  value: Value6;
  interval: Interval1;
}
/**
 * Items of one relation category, inference type or dimension.
 */
export interface Group {
  name: Name;
  n: N2;
  dialogues: Dialogues3;
  value: Value7;
  interval: Interval2;
}
/**
 * A confusion matrix over names of the ontology; every rotation counts as a reply.
 */
export interface Confusion {
  task: Task11;
  set: Set9;
  split: Split10;
  variant: Variant9;
  shots: Shots10;
  scoring: Scoring10;
  perturb: Perturb10;
  model: Model10;
  names: Names;
  pairs: Pairs;
  silent: Silent2;
  offers: Offers;
}
/**
 * A set of options that items offered.
 */
export interface Offer {
  options: Options1;
  gold: Gold2;
}
/**
 * Correlations between every two metrics of a task of spans or texts.
 */
export interface MetricCorrelation {
  task: Task12;
  set: Set10;
  split: Split11;
  variant: Variant10;
  shots: Shots11;
  basis: Basis;
  models: Models;
  n: N3;
  of: Of;
  metrics: Metrics2;
  spearman: Spearman;
  kendall: Kendall;
}
/**
 * Judges' scores of the run's generations, and the controls of the judges.
 */
export interface Judged {
  cells: Cells1;
  models: Models1;
  systems?: Systems;
  controls: Controls;
}
/**
 * The scores of one judge on one cell.
 */
export interface JudgedCell {
  task: Task13;
  set: Set11;
  split: Split12;
  variant: Variant11;
  shots: Shots12;
  scoring: Scoring11;
  perturb: Perturb11;
  model: Model11;
  judge: Judge;
  rubric: Rubric;
  control: Control;
  items: Items7;
  status: Status1;
  asked_again: AskedAgain;
  errors: Errors1;
  scales?: Scales;
  signature: Signature1;
  records: Records1;
  facts: JudgingFacts;
}
export interface Status1 {
  [k: string]: number;
}
export interface Errors1 {
  [k: string]: number;
}
/**
 * One scale on one cell, in the scale's own unit.
 */
export interface ScaleNumbers {
  value: Value8;
  low: Low9;
  high: High9;
  n: N4;
  histogram: Histogram;
  length?: Length | null;
  metrics?: Metrics3;
  joint?: Joint;
}
/**
 * How often each score was given.
 */
export interface Histogram {
  [k: string]: number;
}
/**
 * Spearman's ρ of score with length, and the partial ρ with the candidates' F1 held fixed.
 */
export interface Length {
  spearman: Spearman1;
  partial: Partial;
}
/**
 * With the 95 % interval of Spearman's ρ, whose sample size is the number of dialogues; null if undefined.
 */
export interface PerItem {
  pearson: Pearson;
  spearman: Spearman2;
  kendall: Kendall1;
  spearman_low: SpearmanLow;
  spearman_high: SpearmanHigh;
}
/**
 * The hashes and settings that a judging's figures depend on.
 */
export interface JudgingFacts {
  template: Template1;
  scales: Scales1;
  reminder: Reminder;
  attempts: Attempts;
  limit: Limit1;
  seed: Seed4;
  fingerprint: Fingerprint1;
  backend: Backend1;
  chat: Chat1;
  sampling: Sampling1;
  max_new_tokens: MaxNewTokens;
  repeats_by: RepeatsBy;
  family: Family;
  of_family: OfFamily;
}
export interface Sampling1 {
  [k: string]: unknown;
}
/**
 * Correlations over models of a judge's mean scores with the metrics.
 */
export interface OverModels {
  task: Task14;
  set: Set12;
  split: Split13;
  variant: Variant12;
  shots: Shots13;
  scoring: Scoring12;
  perturb: Perturb12;
  judge: Judge1;
  rubric: Rubric1;
  scale: Scale;
  models: Models2;
  metrics: Metrics4;
}
export interface Metrics4 {
  [k: string]: Correlations;
}
/**
 * Null for fewer than three pairs, or if a side is constant.
 */
export interface Correlations {
  pearson: Pearson1;
  spearman: Spearman3;
  kendall: Kendall2;
}
/**
 * The same over all short texts of a benchmark; a point is a model on a task and set.
 */
export interface OverSystems {
  judge: Judge2;
  rubric: Rubric2;
  scale: Scale1;
  benchmark: Benchmark;
  split: Split14;
  variant: Variant13;
  shots: Shots14;
  scoring: Scoring13;
  perturb: Perturb13;
  models: Models3;
  points: Points1;
  metrics: Metrics5;
}
export interface Metrics5 {
  [k: string]: Correlations;
}
/**
 * How far the judges can be trusted.
 */
export interface Controls {
  anchors: Anchors;
  repeats: Repeats;
  blind: Blind;
  panel: Panel;
  length: Length1;
  families: Families;
  attacks: Attacks;
}
/**
 * Mean scores of gold answers, and of replies that share no character with them.
 */
export interface Anchor {
  judge: Judge3;
  rubric: Rubric3;
  scale: Scale2;
  n: N5;
  most: Most1;
  share: Share1;
  n_gold: NGold;
  gold: Gold3;
  n_far: NFar;
  far: Far;
}
/**
 * A judge's own scores of the same candidates.
 */
export interface Repeat {
  kappa: Kappa;
  within_1: Within1;
  same: Same;
  spread: Spread2;
  range: Range;
  judge: Judge4;
  rubric: Rubric4;
  scale: Scale3;
  by: By;
  repeats: Repeats1;
  n: N6;
  means: Means1;
}
/**
 * A judge with and without the gold answer.
 */
export interface Blind1 {
  kappa: Kappa1;
  same: Same1;
  within_1: Within11;
  difference: Difference;
  spearman: Spearman4;
  judge: Judge5;
  rubric: Rubric5;
  scale: Scale4;
  n: N7;
  mean: Mean2;
  blind: Blind2;
  low: Low10;
  high: High10;
}
/**
 * Several judges with one rubric. The figures of agreement stand here if the judges share any item.
 */
export interface Panel1 {
  rubric: Rubric6;
  scale: Scale5;
  judges: Judges;
  n: N8;
  kappa?: Kappa2;
  within_1?: Within12;
  same?: Same2;
  spread?: Spread3;
  range?: Range1;
  pairs: Pairs1;
  cells: Cells2;
}
export interface PanelPair {
  kappa: Kappa3;
  same: Same3;
  within_1: Within13;
  difference: Difference1;
  spearman: Spearman5;
  judges: Judges1;
  n: N9;
}
/**
 * The median judge's mean on a cell.
 */
export interface MedianCell {
  value: Value9;
  low: Low11;
  high: High11;
  task: Task15;
  set: Set13;
  split: Split15;
  variant: Variant14;
  shots: Shots15;
  scoring: Scoring14;
  perturb: Perturb14;
  model: Model12;
  n: N10;
}
/**
 * Whether longer candidates score higher, over all cells.
 */
export interface LengthBias {
  spearman: Spearman6;
  partial: Partial1;
  judge: Judge6;
  rubric: Rubric7;
  scale: Scale6;
  n: N11;
  cells: Cells3;
}
/**
 * Whether a judge prefers models of its own family, compared with judges of other families.
 */
export interface Family1 {
  judge: Judge7;
  rubric: Rubric8;
  scale: Scale7;
  family: Family2;
  own_models: OwnModels;
  peers: Peers;
  n_own: NOwn;
  n_other: NOther;
  own: Own;
  other: Other;
  peers_own: PeersOwn;
  peers_other: PeersOther;
  preference: Preference;
}
/**
 * How often an injected instruction raises a score.
 */
export interface Attack {
  judge: Judge8;
  rubric: Rubric9;
  scale: Scale8;
  attacks: Attacks1;
  asked: Asked;
  invalid: Invalid;
  compared: Compared;
  n: N12;
  raised: Raised;
  to_most: ToMost;
  lowered: Lowered;
  raised_without: RaisedWithout;
  change: Change;
  by_kind: ByKind;
  fell_for: FellFor;
}
export interface ByKind {
  [k: string]: Raised1;
}
export interface Raised1 {
  n: N13;
  raised: Raised2;
}
/**
 * Second readers beside the parser. No other figure depends on them.
 */
export interface Second {
  tasks: Tasks;
  cells: Cells4;
}
/**
 * One second reader on one task, over all models, sets and ways of asking.
 */
export interface SecondTask {
  value: Value10;
  low: Low12;
  high: High12;
  asked: Asked1;
  n: N14;
  agreement: Agreement;
  relations: Relations;
  statuses: Statuses;
  reasons: Reasons;
  reader: Reader;
  task: Task16;
  measure: Measure;
}
/**
 * Who found an answer, and whether it is the same.
 */
export interface Relations {
  [k: string]: number;
}
/**
 * The parser's status -> the second reader's verdict.
 */
export interface Statuses {
  [k: string]: {
    [k: string]: number;
  };
}
/**
 * Why they were asked: the parser found no answer, the reply is long, or it was drawn at random.
 */
export interface Reasons {
  [k: string]: Agreed;
}
export interface Agreed {
  n: N15;
  agree: Agree;
}
/**
 * One second reader on one cell.
 */
export interface SecondCell {
  asked: Asked2;
  n: N16;
  agreement: Agreement1;
  relations: Relations1;
  statuses: Statuses1;
  reasons: Reasons1;
  task: Task17;
  set: Set14;
  split: Split16;
  variant: Variant15;
  shots: Shots16;
  scoring: Scoring15;
  perturb: Perturb15;
  model: Model13;
  reader: Reader1;
  metric: Metric7;
  replies: Replies;
  first: First;
  second: Interval3;
  parted: Parted;
  errors: Errors2;
  records: Records2;
  facts: ReadingFacts;
}
/**
 * Who found an answer, and whether it is the same.
 */
export interface Relations1 {
  [k: string]: number;
}
/**
 * The parser's status -> the second reader's verdict.
 */
export interface Statuses1 {
  [k: string]: {
    [k: string]: number;
  };
}
/**
 * Why they were asked: the parser found no answer, the reply is long, or it was drawn at random.
 */
export interface Reasons1 {
  [k: string]: Agreed;
}
/**
 * The same with the second reader's answers to the n, the parser's to the others.
 */
export interface Interval3 {
  value: Value11;
  low: Low13;
  high: High13;
}
/**
 * A reply that the readers read differently.
 */
export interface Parting {
  item: Item;
  rotation: Rotation;
  sample: Sample;
  relation: Relation;
  first: First1;
  second: Second1;
}
export interface Errors2 {
  [k: string]: number;
}
/**
 * The hashes and settings that the verdicts depend on.
 */
export interface ReadingFacts {
  template: Template2;
  fingerprint: Fingerprint2;
  backend: Backend2;
  chat: Chat2;
  sampling: Sampling2;
  max_new_tokens: MaxNewTokens1;
  longer: Longer;
  sample: Sample1;
  seed: Seed5;
}
export interface Sampling2 {
  [k: string]: unknown;
}
