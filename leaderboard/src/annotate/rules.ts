// The rules for a row's annotations. authoring/annotations.py checks the same rules in Python.
import { inChinese } from "../common/words.ts";
import { data } from "./state.ts";
import type { Knowledge, MenuEntry, Problem, Row } from "./types.ts";

const TEXTS = ["instance", "value", "phrase", "conflict1", "conflict2"] as const;
const KNOWLEDGE = ["dimension", "instance", "domain", "slot", "value"] as const;

type Report = (field: string, code: string, values?: Problem["values"]) => void;

const matches = (pattern: string, text: string) => new RegExp(pattern, "u").test(text);

const units = (text: string) => text.match(new RegExp(data.rules.unit, "gu")) ?? [];

const times = (whole: string, span: string) => whole.split(span).length - 1;

/** Edit distance: the fewest insertions, deletions and substitutions that turn `a` into `b`. */
export function distance(a: string[], b: string[]) {
  let before = Array.from({ length: b.length + 1 }, (_, j) => j);
  a.forEach((x, i) => {
    const now = [i + 1];
    b.forEach((y, j) => now.push(Math.min(before[j + 1] + 1, now[j] + 1, before[j] + Number(x !== y))));
    before = now;
  });
  return before[b.length];
}

/** The rules that a dialogue's row breaks. */
export function problems(row: Row): Problem[] {
  const found: Problem[] = [],
    seen = new Map<string, number>();
  const wrongIn =
    (of: number): Report =>
    (field, code, values = {}) =>
      found.push({ of, field, code, values });
  row.dialogue.forEach((turn, n) => {
    if (!turn.trim()) wrongIn(-1)(`dialogue[${n}]`, "turn");
  });
  if (row.nothing && row.annotations.length) wrongIn(-1)("nothing", "nothing");
  row.annotations.forEach((k, n) => {
    const same = JSON.stringify(KNOWLEDGE.map((name) => k[name])),
      other = seen.get(same);
    if (other === undefined) seen.set(same, n);
    else if (k.value) wrongIn(n)("", "repeated", { other });
    check(k, row, wrongIn(n));
  });
  return found;
}

/** Check the rules of one annotation. */
function check(k: Knowledge, row: Row, wrong: Report) {
  if (k.proposed) wrong("proposed", "proposed", { value: k.proposer || "a model" });
  if (k.verdict === "returned" && !k.reason) wrong("reason", "empty");
  checkOntology(k, wrong);
  for (const name of TEXTS) checkText(name, k[name], k, row, wrong);
  for (const text of k.alternatives) checkText("alternatives", text, k, row, wrong);
  for (const span of k.evidence) checkText("evidence", span, k, row, wrong);
  checkValue("value", k.value, k, wrong);
  for (const text of k.alternatives) checkValue("alternatives", text, k, wrong);
  const whole = row.dialogue.join("\n");
  for (const span of k.evidence) checkOccurrence("evidence", span, whole, wrong);
  if (!phrasePosition(k, row.dialogue)) checkOccurrence("phrase", k.phrase, whole, wrong);
  if (k.phrase && k.evidence.length && !k.evidence.some((span) => span.includes(k.phrase)))
    wrong("phrase", "outside", { value: k.phrase });
  if (k.phrase) checkConflicts(k, wrong);
}

/** Report the first of dimension, domain and slot that is missing or unknown; the known values of a later one depend on it. */
function checkOntology(k: Knowledge, wrong: Report) {
  let parent = "";
  for (const [name, entries] of Object.entries(MENUS)) {
    const value = k[name as Menu],
      known = entries(k).map((x) => x.zh);
    if (!value) wrong(name, "empty");
    else if (!known.includes(value)) wrong(name, name, { value, parent, known: known.join(", ") });
    if (!known.includes(value)) return;
    parent = value;
  }
}

function checkText(name: string, text: string, k: Knowledge, row: Row, wrong: Report) {
  const acts = k.dimension === "事件" && ["instance", "value", "alternatives"].includes(name);
  if (!text) wrong(name, "empty");
  else if (matches(data.rules.untidy, text)) wrong(name, "untidy", { value: text });
  else if (acts && matches(data.rules.speakers[row.set], text)) wrong(name, "speakers", { value: text });
}

function checkValue(name: string, value: string, { instance, slot }: Knowledge, wrong: Report) {
  const { event_slots, no_events } = data.rules;
  if (value && value === instance) wrong(name, "same");
  else if (value && event_slots.includes(slot) && no_events.some((x) => matches(x, value)))
    wrong(name, "event", { value });
}

function checkOccurrence(name: string, span: string, whole: string, wrong: Report) {
  const count = span ? times(whole, span) : 1;
  if (count === 0) wrong(name, "missing", { value: span });
  else if (count > 1) wrong(name, "several", { value: span, count });
}

function checkConflicts({ phrase, conflict1, conflict2 }: Knowledge, wrong: Report) {
  const before = units(phrase),
    [one, two] = [conflict1, conflict2].map((text) => distance(before, units(text))),
    most = Math.max(data.rules.minimal, Math.trunc(data.rules.share * before.length));
  if (conflict1 && conflict1 === phrase) wrong("conflict1", "unchanged");
  else if (conflict1 && one > most) wrong("conflict1", "minimal", { value: phrase, count: one, most });
  if (!conflict2) return;
  if (conflict2 === phrase) wrong("conflict2", "unchanged2");
  else if (conflict2 === conflict1) wrong("conflict2", "alike");
  else if (conflict1 && two < one) wrong("conflict2", "maximal", { count: two, most: one });
}

/** [turn, character] of the phrase, if it occurs once in the dialogue, or once in the only span of evidence that contains it. */
export function phrasePosition(k: Knowledge, dialogue: string[]): [number, number] | null {
  const whole = dialogue.join("\n"),
    spans = k.evidence.filter((span) => span.includes(k.phrase));
  let around = k.phrase;
  if (!around) return null;
  if (times(whole, around) !== 1) {
    if (spans.length !== 1 || times(spans[0], around) !== 1 || times(whole, spans[0]) !== 1) return null;
    around = spans[0];
  }
  const turn = dialogue.findIndex((x) => x.includes(around));
  return turn < 0 ? null : [turn, dialogue[turn].indexOf(around) + around.indexOf(k.phrase)];
}

/** The message of a broken rule, in the page's language. */
export const problemWords = (p: Problem) =>
  data.rules.messages[p.code][inChinese() ? 1 : 0].replace(/\{(\w+)\}/g, (_, name) => String(p.values[name]));

const domainsOf = (k: Knowledge) => data.ontology.find((x) => x.dimension.zh === k.dimension)?.domains ?? [];

export type Menu = "dimension" | "domain" | "slot";

/** The entries of each menu, given the choices in the menus before it. */
export const MENUS: Record<Menu, (k: Knowledge) => MenuEntry[]> = {
  dimension: () => data.ontology.map((x) => x.dimension),
  domain: (k) => domainsOf(k).map((x) => x.name),
  slot: (k) => domainsOf(k).find((x) => x.name.zh === k.domain)?.slots ?? [],
};
export const isMenu = (field: string): field is Menu => field in MENUS;
