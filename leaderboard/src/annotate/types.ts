// Data from annotation_page_data of evalsuite/authoring/annotation_page.py, and rows as the page has them.
import type { EvalsuiteAnnotationFormat1 as Line, Knowledge as Written } from "../types/annotation.ts";

export type { Line, Written };
export type Part = Line["set"];
export type Reason = Exclude<NonNullable<Written["reason"]>, "">;
/** The fields of an annotation that a person fills in. */
export type Field = Exclude<Reason, "knowledge">;
export type TextField = Exclude<Field, "evidence">;

/** An annotation, and a dialogue's row, with all that a line may leave out. */
export type Knowledge = Required<Written>;
export type Row = Required<Omit<Line, "annotations" | "dialogue">> & { dialogue: string[]; annotations: Knowledge[] };

/** A dimension, domain or slot of ontology.yaml. */
export interface Entry {
  en: string;
  zh: string;
  description?: string;
  description_zh?: string;
  example?: [subject: string, object: string];
}
export interface Branch {
  dimension: Entry;
  domains: { name: Entry; slots: Entry[] }[];
}

/** The start and end of a piece of a text. */
export type Span = [from: number, to: number];

/** rules.yaml: patterns are regular expressions, messages are [English, Chinese]. */
export interface Rules {
  minimal: number;
  share: number;
  unit: string;
  untidy: string;
  event_slots: string[];
  no_events: string[];
  speakers: Record<Part, string>;
  messages: Record<string, string[]>;
}

/** A broken rule: in which annotation (-1: in none), of which field ("": as a whole). */
export interface Problem {
  of: number;
  field: string;
  code: string;
  values: Record<string, string | number>;
}

export interface PageData {
  hash: string;
  name: string;
  annotator: string;
  inspect: boolean;
  dialogues: Line[];
  ontology: Branch[];
  rules: Rules;
  reasons: Reason[];
}
