// The form of one annotation, with the steps of the paper's section 3: the instance, "domain: slot = value", the evidence, the
// phrase to be rewritten, the two conflict phrases. Typing redraws only the parts that depend on the typed text.

import { drawCount, keyButton, keyButtons, onEnter } from "../common/annotator/page.ts";
import { draw } from "../common/annotator/work.ts";
import { $, button, byId, div, h, para, setChildren } from "../common/dom.ts";
import { keycap } from "../common/keys.ts";
import { dataNode } from "../common/passage.ts";
import { inChinese, t } from "../common/words.ts";
import { activate, activateNext, FIELDS, fillField, KEYS, mayRemove, pick, remove } from "./actions.ts";
import { drawTalk } from "./dialogue.ts";
import { drawList } from "./list.ts";
import { chosen, current, edit, problemsOf } from "./rows.ts";
import { isMenu, MENUS, type Menu, phrasePosition, problemWords } from "./rules.ts";
import { state } from "./state.ts";
import type { Field, Knowledge, MenuEntry } from "./types.ts";
import { drawProposal, drawVerdict } from "./verdict.ts";

type Written = Exclude<Field, Menu | "evidence">;

export function drawForm() {
  const k = chosen();
  if (!k) return para("note", t("chooseOne"));
  return h(
    "section",
    { class: "form", id: "form", "aria-label": t("annotation", state.of + 1) },
    k.proposed ? drawProposal(k) : drawVerdict(k),
    FIELDS.map((field) => drawStep(field, k)),
    h("p", { class: "wrong", id: "w-whole", role: "status" }),
    !k.proposed &&
      mayRemove(k) &&
      div("row2 low", button([t("remove"), " ", keycap("x")], remove, { id: "remove", class: "small" })),
  );
}

function drawStep(field: Field, k: Knowledge) {
  const label = [t(`step.${field}`), " ", keycap(KEYS[field])],
    hint = para("note", t(`hint.${field}`)),
    step = { class: field === state.field ? "step now" : "step", id: `step-${field}`, "data-field": field },
    wrong = h("p", { class: "wrong", id: `w-${field}` });
  if (isMenu(field)) {
    const group = { ...step, tabindex: -1, role: "group", "aria-labelledby": `l-${field}` };
    return h("div", group, h("p", { class: "steplabel", id: `l-${field}` }, label), hint, drawMenu(field, k), wrong);
  }
  return h(
    "div",
    step,
    h("label", { class: "steplabel", for: `in-${field}` }, label),
    hint,
    field === "evidence" ? drawEvidence(k) : drawText(field, k),
    field.startsWith("conflict") && h("p", { class: "preview data", id: `preview-${field}`, lang: "zh-CN" }),
    wrong,
  );
}

function drawMenu(field: Menu, k: Knowledge) {
  const entries = MENUS[field](k);
  if (!entries.length) return para("muted", "–");
  const toPress = (x: MenuEntry, i: number) =>
    keyButton(`${field}-${i}`, aboutEntry(x), k[field] === x.zh, `${i + 1}`, () => pick(field, x), {
      "data-name": x.en,
    });
  return keyButtons(entries.map(toPress), "dense");
}

function aboutEntry({ zh, en, description, description_zh, example }: MenuEntry) {
  const [name, about] = inChinese()
    ? [zh, description_zh ?? ""]
    : [[en, " ", h("small", { lang: "zh-CN" }, zh)], `${description ?? ""}${example ? ` ${example.join(" → ")}` : ""}`];
  return [h("b", null, name), h("small", { class: "about" }, about)];
}

/** A text field. Each letter is saved at once, without blanks at both ends; in the field, the blanks stay until it loses focus. */
function drawText(field: Written, k: Knowledge) {
  const write = (text: string) => {
    edit({ [field]: text.trim() }, field);
    refresh();
  };
  const input = drawInput(field, k[field], () => activateNext(field));
  input.addEventListener("input", () => write(input.value));
  input.addEventListener("change", () => {
    input.value = input.value.trim();
  });
  input.addEventListener("focus", () => {
    const phrase = chosen()?.phrase;
    if (field !== "conflict1" || input.value || !phrase) return;
    input.value = phrase;
    write(phrase);
  });
  return input;
}

const drawInput = (field: Field, value: string, enter: () => void) =>
  h("input", {
    type: "text",
    id: `in-${field}`,
    value,
    lang: "zh-CN",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `w-${field}`,
    onfocus: () => markActive(field),
    onkeydown: onEnter(enter),
  });

function drawEvidence(k: Knowledge) {
  const input = drawInput("evidence", "", () => {
    const text = input.value.trim();
    if (!text) {
      activate("phrase");
      return;
    }
    fillField(text);
    $("in-evidence").focus();
  });
  input.placeholder = t("orType");
  return [h("ul", { class: "chips" }, k.evidence.map(drawChip)), input];
}

function drawChip(span: string, i: number, evidence: string[]) {
  const rewrite = () => {
    state.field = "phrase";
    fillField(span);
  };
  const drop = () => {
    edit({ evidence: evidence.toSpliced(i, 1) });
    draw();
  };
  return h(
    "li",
    null,
    dataNode("span", "", span),
    button(t("rewriteThis"), rewrite, { class: "small" }),
    button("×", drop, { class: "small", "aria-label": t("drop") + span }),
  );
}

/** Make a field the active one without a redraw, which would remove the caret. */
function markActive(field: Field) {
  state.field = field;
  for (const x of FIELDS) $(`step-${x}`).classList.toggle("now", x === field);
}

/** Redraw the parts of the form that depend on typed text. */
function refresh() {
  setChildren($("talk"), drawTalk());
  drawList();
  drawCount();
  drawWrongs();
}

export function drawWrongs() {
  const k = chosen();
  if (!k) return;
  const mine = problemsOf(current()).filter((p) => p.of === state.of);
  for (const field of [...FIELDS, "whole"]) {
    const ofField = mine.filter((p) => (p.field || "whole") === field);
    setChildren(
      $(`w-${field}`),
      ofField.map((p) => h("span", { class: p.code === "empty" && "todo", "data-code": p.code }, problemWords(p))),
    );
    byId(`in-${field}`)?.setAttribute("aria-invalid", String(ofField.some((p) => p.code !== "empty")));
  }
  const position = phrasePosition(k, current().dialogue);
  setChildren($("preview-conflict1"), preview(k, k.conflict1, position));
  setChildren($("preview-conflict2"), preview(k, k.conflict2, position));
}

/** The turn in which a conflict phrase, highlighted, replaces the annotation's phrase. */
function preview(k: Knowledge, conflict: string, position: [turn: number, at: number] | null) {
  if (!conflict || !position) return null;
  const [turn, at] = position,
    text = current().dialogue[turn];
  return [text.slice(0, at), h("mark", null, conflict), text.slice(at + k.phrase.length)];
}
