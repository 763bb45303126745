// Generated from schema/annotation.schema.json by types.mjs.

export type Id = string;
export type Set = "easy" | "hard";
export type Topic = string;
/**
 * Turns, each with its speaker mark.
 *
 * @minItems 1
 */
export type Dialogue = [string, ...string[]];
/**
 * In Chinese, as domain and slot: names of evalsuite/benchmarks/corecode/ontology.yaml.
 */
export type Dimension = string;
/**
 * The entity, event or social interaction.
 */
export type Instance = string;
export type Domain = string;
export type Slot = string;
export type Value = string;
/**
 * Spans that support it; each occurs once in the dialogue.
 */
export type Evidence = string[];
/**
 * The span that is rewritten; it occurs once in the dialogue.
 */
export type Phrase = string;
/**
 * The phrase with one or two words changed, now against commonsense.
 */
export type Conflict1 = string;
/**
 * The phrase with as much changed as can be, now against commonsense.
 */
export type Conflict2 = string;
/**
 * Who wrote it, or accepted it.
 */
export type Annotator = string;
/**
 * The model that proposed it; empty if a person wrote it.
 */
export type Proposer = string;
/**
 * Whether no person has accepted it yet.
 */
export type Proposed = boolean;
/**
 * An inspector's; revised: changed by the inspector, or by its annotator after a verdict.
 */
export type Verdict = "" | "accepted" | "returned" | "revised";
/**
 * What it was last returned for: knowledge (it is none), or the field that is wrong.
 */
export type Reason =
  | ""
  | "knowledge"
  | "dimension"
  | "instance"
  | "domain"
  | "slot"
  | "value"
  | "evidence"
  | "phrase"
  | "conflict1"
  | "conflict2";
/**
 * The inspector's words to the annotator.
 */
export type Note = string;
/**
 * Whose verdict it is; empty if its annotator revised it since.
 */
export type Inspector = string;
export type Annotations = Knowledge[];
/**
 * Who annotated the dialogue.
 */
export type Annotator1 = string;
/**
 * Whether an annotator found no commonsense knowledge.
 */
export type Nothing = boolean;

/**
 * One dialogue with the annotations of one annotator, or of several after adjudication.
 */
export interface EvalsuiteAnnotationFormat1 {
  id: Id;
  set: Set;
  topic?: Topic;
  dialogue: Dialogue;
  annotations: Annotations;
  annotator?: Annotator1;
  nothing?: Nothing;
}
/**
 * One annotation: "domain: slot = value" of an instance, its evidence, and two phrases against commonsense.
 */
export interface Knowledge {
  dimension: Dimension;
  instance: Instance;
  domain: Domain;
  slot: Slot;
  value: Value;
  evidence?: Evidence;
  phrase: Phrase;
  conflict1: Conflict1;
  conflict2: Conflict2;
  annotator?: Annotator;
  proposer?: Proposer;
  proposed?: Proposed;
  verdict?: Verdict;
  reason?: Reason;
  note?: Note;
  inspector?: Inspector;
}
