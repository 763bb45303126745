// The page's data, from annotation_page_data of evalsuite/authoring/annotation_page.py, and the rows that the page makes of it.
import type { EvalsuiteAnnotationFormat1 as Line, Knowledge as Written } from "../types/annotation.ts";

export type { Line, Written };
export type Part = Line["set"];
export type Reason = Exclude<NonNullable<Written["reason"]>, "">;
/** The fields of an annotation that a person fills in. */
export type Field = Exclude<Reason, "knowledge">;

/** An annotation with all fields, the optional ones too. */
export type Knowledge = Required<Written>;
export type Row = Required<Omit<Line, "annotations" | "dialogue">> & { dialogue: string[]; annotations: Knowledge[] };

/** A dimension, domain or slot of ontology.yaml. */
export interface MenuEntry {
  en: string;
  zh: string;
  description?: string;
  description_zh?: string;
  example?: [subject: string, object: string];
}
export interface Branch {
  dimension: MenuEntry;
  domains: { name: MenuEntry; slots: MenuEntry[] }[];
}

/** The start and the end of a piece of a text, in characters. */
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

/** A broken rule, with the index of the annotation (-1: the whole row) and the field ("": the whole annotation). */
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
