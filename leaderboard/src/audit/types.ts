// Data from audit_page_data (evalsuite/review/audit/folder.py) and answer_page_data (answering.py), and marks.

export interface Task {
  name: string;
  zh: string;
  en: string;
  kind: string; // choice, choices (all right options are asked for), span, text; probe, which people answer as a choice
  marking?: [zh: string, en: string] | null; // what is told to who marks it
}
export interface Scale {
  name: string;
  zh: string;
  en: string;
  low: number;
  high: number;
  criteria: [zh: string, en: string][]; // one for each number, or one for the whole scale
}
export interface Rubric {
  name: string;
  zh: string;
  en: string;
  scales: Scale[];
}

interface Item {
  id: string;
  task: string;
  set: string;
  dialogue: string[];
  question: string;
  labels: string[]; // of the options
  options: string[];
}
/** A model's output, of which people say what it says. */
export interface Output extends Item {
  references: string[];
  reply: string;
  golds: number[]; // places of the right options
  parser: { status: string; read: number[]; text: string | null };
}
/** An item that people answer; `replies` are what a model would write for each option. */
export interface Question extends Item {
  replies: string[];
}
export type Entry = Output | Question;

export interface PageData {
  answering?: boolean;
  sample: string;
  name: string;
  rubric?: Rubric; // where models' outputs are marked
  tasks: Task[];
  outputs: Entry[];
}

/** A mark of an entry: for options a label, several, or one of NO_OPTION. Scores stand under their scales' names. */
export interface Mark {
  said?: string | string[];
  right?: boolean;
  text?: string; // of an answer
  note?: string;
  blind?: boolean;
  [scale: string]: string | string[] | number | boolean | undefined;
}
