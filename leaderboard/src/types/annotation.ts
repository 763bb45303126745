// Generated from schema/annotation.schema.json (c69c99ce7aa8d4c7) by types.mjs.

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
   * Spans that support the annotation; each occurs once in the dialogue.
   */
  evidence?: string[];
  /**
   * The span that is rewritten, which occurs once in the dialogue.
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
   * Who wrote or accepted the annotation.
   */
  annotator?: string;
  /**
   * The model that proposed the annotation; empty if a person wrote it.
   */
  proposer?: string;
  /**
   * Whether no person has accepted it yet.
   */
  proposed?: boolean;
  /**
   * Verdict of an inspector; revised: changed by the inspector, or by the annotator after a verdict.
   */
  verdict?: "" | "accepted" | "returned" | "revised";
  /**
   * Reason for the last return: knowledge (the annotation is none), or the field that is wrong.
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
   * The inspector who gave the verdict; empty if the annotator revised the annotation since.
   */
  inspector?: string;
}
