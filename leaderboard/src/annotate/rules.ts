// What a row may not have: the rules of authoring/annotations.py, once more.
import { inChinese } from "../common/words.ts";
import { data } from "./state.ts";

const TEXTS = ["instance", "value", "phrase", "conflict1", "conflict2"];

const matches = (pattern, text) => new RegExp(pattern, "u").test(text);

const units = (text) => text.match(new RegExp(data.rules.unit, "gu")) ?? [];

const times = (whole, span) => whole.split(span).length - 1;

/** Fewest insertions, deletions and substitutions. */
function distance(a, b) {
  let before = Array.from({ length: b.length + 1 }, (_, j) => j);
  a.forEach((x, i) => {
    const now = [i + 1];
    b.forEach((y, j) => now.push(Math.min(before[j + 1] + 1, now[j] + 1, before[j] + (x !== y))));
    before = now;
  });
  return before[b.length];
}

/** All rules that a dialogue's row breaks. */
export function problems(row) {
  const found = [],
    seen = new Map();
  row.dialogue.forEach((turn, n) => {
    if (!turn.trim()) found.push({ field: `dialogue[${n}]`, code: "turn", values: {} });
  });
  if (row.nothing && row.annotations.length) found.push({ field: "nothing", code: "nothing", values: {} });
  row.annotations.forEach((k, n) => {
    const same = JSON.stringify(["dimension", "instance", "domain", "slot", "value"].map((name) => k[name]));
    if (seen.has(same) && k.value)
      found.push({ field: `annotations[${n}]`, code: "repeated", values: { other: seen.get(same) } });
    if (!seen.has(same)) seen.set(same, n);
    for (const p of problemsOf(k, row)) found.push({ ...p, field: `annotations[${n}].${p.field}` });
  });
  return found;
}

/** Those of one annotation. */
function problemsOf(k, row) {
  const found = [],
    r = data.rules;
  const wrong = (field, code, values = {}) => found.push({ field, code, values });
  if (k.proposed) wrong("proposed", "proposed", { value: k.proposer || "a model" });
  if (k.verdict === "returned" && !k.reason) wrong("reason", "empty");
  ontologyProblem(k, wrong);
  const evidence = k.evidence.map((span, i) => [`evidence[${i}]`, span]);
  for (const [name, text] of [...TEXTS.map((x) => [x, k[x]]), ...evidence]) {
    if (!text) wrong(name, "empty");
    else if (matches(r.untidy, text)) wrong(name, "untidy", { value: text });
    else if (["instance", "value"].includes(name) && k.dimension === "事件" && matches(r.speakers[row.set], text))
      wrong(name, "speakers", { value: text });
  }
  if (k.value && k.value === k.instance) wrong("value", "same");
  else if (k.value && r.event_slots.includes(k.slot) && r.no_events.some((x) => matches(x, k.value)))
    wrong("value", "event", { value: k.value });
  const whole = row.dialogue.join("\n");
  for (const [name, span] of [...evidence, ["phrase", k.phrase]]) {
    const count = span ? times(whole, span) : 1;
    if (name === "phrase" && count > 1 && phrasePlace(k, row.dialogue)) continue;
    if (count === 0) wrong(name, "missing", { value: span });
    else if (count > 1) wrong(name, "several", { value: span, count });
  }
  if (k.phrase && k.evidence.length && !k.evidence.some((span) => span.includes(k.phrase)))
    wrong("phrase", "outside", { value: k.phrase });
  if (k.phrase) conflictProblems(k, wrong);
  return found;
}

/** [turn, character] of the phrase: where it stands once, or stands once in the only span of evidence that has it. */
export function phrasePlace(k, dialogue) {
  const whole = dialogue.join("\n"),
    spans = k.evidence.filter((span) => span.includes(k.phrase));
  let around = k.phrase,
    within = 0;
  if (!around) return null;
  if (times(whole, around) !== 1) {
    if (spans.length !== 1 || times(spans[0], k.phrase) !== 1 || times(whole, spans[0]) !== 1) return null;
    [around, within] = [spans[0], spans[0].indexOf(k.phrase)];
  }
  const turn = dialogue.findIndex((x) => x.includes(around));
  return turn < 0 ? null : [turn, dialogue[turn].indexOf(around) + within];
}

function ontologyProblem(k, wrong) {
  for (const [name, parent, known] of [
    ["dimension", "", dimensions()],
    ["domain", k.dimension, domainsOf(k)],
    ["slot", k.domain, slotsOf(k)],
  ]) {
    if (!k[name]) {
      wrong(name, "empty");
      return;
    }
    if (!known.some((x) => x.zh === k[name])) {
      wrong(name, name, { value: k[name], parent, known: known.map((x) => x.zh).join(", ") });
      return;
    }
  }
}

function conflictProblems(k, wrong) {
  const r = data.rules,
    phrase = units(k.phrase),
    [one, two] = [k.conflict1, k.conflict2].map((text) => distance(phrase, units(text)));
  const most = Math.max(r.minimal, Math.trunc(r.share * phrase.length));
  if (k.conflict1 && k.conflict1 === k.phrase) wrong("conflict1", "unchanged");
  else if (k.conflict1 && one > most) wrong("conflict1", "minimal", { value: k.phrase, count: one, most });
  if (!k.conflict2) return;
  if (k.conflict2 === k.phrase) wrong("conflict2", "unchanged2");
  else if (k.conflict2 === k.conflict1) wrong("conflict2", "alike");
  else if (k.conflict1 && two < one) wrong("conflict2", "maximal", { count: two, most: one });
}

/** What is wrong, in words. */
export const told = (p) =>
  data.rules.messages[p.code][inChinese() ? 1 : 0].replace(/\{(\w+)\}/g, (_, name) => p.values[name]);

export const dimensions = () => data.ontology.map((x) => x.dimension);

export const domainsOf = (k) =>
  (data.ontology.find((x) => x.dimension.zh === k.dimension)?.domains ?? []).map((x) => x.name);

export const slotsOf = (k) =>
  data.ontology.find((x) => x.dimension.zh === k.dimension)?.domains.find((x) => x.name.zh === k.domain)?.slots ?? [];
