// The page's data, from audit_page_data (evalsuite/review/audit/folder.py) and answer_page_data (answering.py), and the marks.

export interface Task {
  name: string;
  zh: string;
  en: string;
  kind: string; // choice, choices (all right options are asked for), span, text; probe, which people answer as a choice
  marking?: [zh: string, en: string] | null; // instructions for the annotator
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
  labels: string[]; // the labels of the options
  options: string[];
}
/** A model's output, whose answer people mark. */
export interface Output extends Item {
  references: string[];
  reply: string;
  golds: number[]; // indices of the right options
  parser: { status: string; read: number[]; text: string | null };
}
/** An item that people answer. `replies`: for each option, the reply by which a model would choose it. */
export interface Question extends Item {
  replies: string[];
}
export type Entry = Output | Question;

export interface PageData {
  answering?: boolean;
  sample: string;
  name: string;
  rubric?: Rubric; // only on pages that show models' outputs
  tasks: Task[];
  outputs: Entry[];
}

/** A person's mark of an entry. `said`: the chosen label or labels, or one of `othersOf`. Scores have their scales' names as keys. */
export interface Mark {
  said?: string | string[];
  right?: boolean;
  text?: string; // a written answer
  note?: string;
  blind?: boolean;
  [scale: string]: string | string[] | number | boolean | undefined;
}
