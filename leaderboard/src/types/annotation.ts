// Generated from schema/annotation.schema.json (3c809616a4b675f5) by types.mjs.

/**
 * One dialogue with the annotations of one annotator, or of several after adjudication.
 */
export interface EvalsuiteAnnotationFormat1 {
  id: string;
  set: "easy" | "hard";
  topic?: string;
  /**
   * Turns, each with its speaker mark.
   *
   * @minItems 1
   */
  dialogue: [string, ...string[]];
  annotations: Knowledge[];
  /**
   * Who annotated the dialogue.
   */
  annotator?: string;
  /**
   * Whether an annotator found no commonsense knowledge.
   */
  nothing?: boolean;
}
/**
 * One annotation: "domain: slot = value" of an instance, its evidence, and two phrases against commonsense.
 */
export interface Knowledge {
  /**
   * In Chinese, as domain and slot: names of evalsuite/benchmarks/corecode/ontology.yaml.
   */
  dimension: string;
  /**
   * The entity, event or social interaction.
   */
  instance: string;
  domain: string;
  slot: string;
  value: string;
  /**
   * Other values that answer the slot's question as well.
   */
  alternatives?: string[];
  /**
   * Spans that support it; each occurs once in the dialogue.
   */
  evidence?: string[];
  /**
   * The span that is rewritten; it occurs once in the dialogue.
   */
  phrase: string;
  /**
   * The phrase with one or two words changed, now against commonsense.
   */
  conflict1: string;
  /**
   * The phrase with as much changed as can be, now against commonsense.
   */
  conflict2: string;
  /**
   * Who wrote it, or accepted it.
   */
  annotator?: string;
  /**
   * The model that proposed it; empty if a person wrote it.
   */
  proposer?: string;
  /**
   * Whether no person has accepted it yet.
   */
  proposed?: boolean;
  /**
   * An inspector's; revised: changed by the inspector, or by its annotator after a verdict.
   */
  verdict?: "" | "accepted" | "returned" | "revised";
  /**
   * What it was last returned for: knowledge (it is none), or the field that is wrong.
   */
  reason?:
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
  note?: string;
  /**
   * Whose verdict it is; empty if its annotator revised it since.
   */
  inspector?: string;
}
