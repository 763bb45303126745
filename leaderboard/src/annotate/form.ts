// The steps of one annotation, in the order of the paper's section 3: what it is about, "domain: slot = value", the evidence,
// the phrase to be rewritten, the two conflict phrases. Typing redraws nothing but what hangs on it.
import { $, button, byId, h, put, visible } from "../common/dom.ts";
import { key$ } from "../common/keys.ts";
import { data$ } from "../common/passage.ts";
import { inChinese, t } from "../common/words.ts";
import { accept, giveBack, giveBackFor, mayRemove, remove } from "./acts.ts";
import { drawList, drawProgress } from "./around.ts";
import { activate, follow, KEYS, MENUS, pick, take } from "./fields.ts";
import { change, chosen, current, edit, FIELDS, returned, wrongsOf } from "./rows.ts";
import { phrasePlace, told } from "./rules.ts";
import { drawTalk } from "./spans.ts";
import { data, draw, state } from "./state.ts";

const described = (x) => (inChinese() ? x.description_zh : x.description) ?? "";

const nameOf$ = (x) => (inChinese() ? x.zh : [x.en, " ", h("small", { lang: "zh-CN" }, x.zh)]);

export function drawForm() {
  const k = chosen();
  if (!k) return h("p", { class: "note" }, t("chooseOne"));
  return h(
    "section",
    { class: "form", id: "form", "aria-label": t("annotation", state.of + 1) },
    k.proposed &&
      h(
        "div",
        { class: "notice caution", id: "proposal" },
        h("p", null, t("isProposed", k.proposer || "?")),
        h(
          "div",
          { class: "row2" },
          button([t("accept"), " ", key$("y")], accept, { id: "accept", class: "primary" }),
          button([t("reject"), " ", key$("x")], remove, { id: "reject" }),
        ),
      ),
    !k.proposed && drawVerdict(k),
    FIELDS.map((field) => step(field, k)),
    h("p", { class: "wrong", id: "w-whole", role: "status" }),
    h(
      "div",
      { class: "row2 low" },
      !k.proposed && mayRemove(k) && button([t("remove"), " ", key$("x")], remove, { id: "remove", class: "small" }),
    ),
  );
}

const reasonName = (name) => (name === "knowledge" ? t("noKnowledge") : t(`step.${name}`).replace(/^\d+\. /, ""));

export const reasonKey = (name) => KEYS[name] ?? "n";

/** To an inspector: accept, return for a reason with a note, or revise by editing. To the annotator: what was returned and why. */
function drawVerdict(k) {
  const said =
    k.verdict &&
    h(
      "p",
      { id: "said" },
      t(`verdict.${k.verdict}`, k.inspector || t("theAnnotator")),
      k.reason && [" ", t("wasFor"), h("strong", null, reasonName(k.reason))],
      k.note && [" ", data$("span", "", k.note)],
    );
  if (!data.inspect) return returned(k) && h("div", { class: "notice caution", id: "verdict" }, said);
  return h(
    "div",
    { class: "notice", id: "verdict" },
    said || h("p", { id: "said" }, t("verdictAsked")),
    h(
      "div",
      { class: "row2" },
      button([t("accept"), " ", key$("y")], accept, { id: "accept", class: "primary" }),
      button([t("giveBack"), " ", key$("r")], giveBack, { id: "return" }),
    ),
    (state.returning || returned(k)) && [
      h("p", { class: "note" }, t("returnedWhy")),
      h(
        "div",
        { class: "marks dense", role: "group", "aria-label": t("returnedWhy") },
        data.reasons.map((name) =>
          h(
            "button",
            {
              type: "button",
              class: "mark",
              "data-reason": name,
              "aria-pressed": returned(k) && k.reason === name,
              onclick: () => giveBackFor(name),
            },
            h("span", null, reasonName(name)),
            key$(reasonKey(name)),
          ),
        ),
      ),
    ],
    returned(k) && noteInput(k),
  );
}

function noteInput(k) {
  const input = h("input", {
    type: "text",
    id: "in-note",
    value: k.note,
    maxlength: 500,
    autocomplete: "off",
    onchange: () => {
      change(() => {
        k.note = input.value.trim();
      });
    },
  });
  return h("label", { class: "notefield" }, h("span", null, t("noteToAnnotator")), input);
}

function step(field, k) {
  const menu = field in MENUS,
    label = [t(`step.${field}`), " ", key$(KEYS[field])];
  return h(
    "div",
    {
      class: `step${field === state.field ? " now" : ""}`,
      id: `step-${field}`,
      "data-field": field,
      ...(menu && { tabindex: -1, role: "group", "aria-labelledby": `l-${field}` }),
    },
    menu
      ? h("p", { class: "steplabel", id: `l-${field}` }, label)
      : h("label", { class: "steplabel", for: `in-${field}` }, label),
    h("p", { class: "note" }, t(`hint.${field}`)),
    menu ? drawMenu(field, k) : field === "evidence" ? drawEvidence(k) : textInput(field, k),
    field.startsWith("conflict") && h("p", { class: "preview data", id: `preview-${field}`, lang: "zh-CN" }),
    h("p", { class: "wrong", id: `w-${field}` }),
  );
}

function drawMenu(field, k) {
  const entries = MENUS[field]();
  if (!entries.length) return h("p", { class: "muted" }, "–");
  return h(
    "div",
    { class: "marks dense" },
    entries.map((x, i) =>
      h(
        "button",
        {
          type: "button",
          class: "mark",
          "aria-pressed": k[field] === x.zh,
          "data-name": x.en,
          onclick: () => {
            state.field = field;
            pick(field, x);
          },
        },
        h(
          "span",
          null,
          h("b", null, nameOf$(x)),
          h(
            "small",
            { class: "about" },
            described(x),
            x.example && !inChinese() && ` ${x.example[0]} → ${x.example[1]}`,
          ),
        ),
        key$(String(i + 1)),
      ),
    ),
  );
}

/** What is typed counts at once; blanks at its ends go when it is left. */
function textInput(field, k) {
  const input = h("input", {
    type: "text",
    id: `in-${field}`,
    value: k[field],
    lang: "zh-CN",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `w-${field}`,
    oninput: () => {
      edit(field, input.value);
      refresh();
    },
    onchange: () => tidy(),
    onfocus: () => {
      now(field);
      if (field === "conflict1" && !input.value && chosen().phrase) {
        input.value = chosen().phrase;
        edit(field, input.value);
        refresh();
      }
    },
    onkeydown: (e) => {
      if (e.key === "Enter" && !e.isComposing) {
        e.preventDefault();
        tidy();
        follow(field);
      }
    },
  });
  const tidy = () => {
    if (input.value !== input.value.trim()) {
      input.value = input.value.trim();
      edit(field, input.value);
      refresh();
    }
  };
  return input;
}

function drawEvidence(k) {
  const input = h("input", {
    type: "text",
    id: "in-evidence",
    lang: "zh-CN",
    autocomplete: "off",
    placeholder: t("orType"),
    "aria-describedby": "w-evidence",
    onfocus: () => now("evidence"),
    onkeydown: (e) => {
      if (e.key === "Enter" && !e.isComposing) {
        e.preventDefault();
        if (input.value.trim()) {
          take(input.value.trim());
          $("in-evidence").focus();
        } else activate("phrase");
      }
    },
  });
  return [
    h(
      "ul",
      { class: "chips" },
      k.evidence.map((span, i) =>
        h(
          "li",
          null,
          data$("span", "", span),
          button(
            t("rewriteThis"),
            () => {
              state.field = "phrase";
              take(span);
            },
            { class: "small" },
          ),
          button(
            "×",
            () => {
              edit(
                "evidence",
                k.evidence.filter((_, j) => j !== i),
              );
              draw();
            },
            { class: "small", "aria-label": t("drop") + span },
          ),
        ),
      ),
    ),
    input,
  ];
}

/** Mark the field at work without drawing anew, which would take the caret away. */
function now(field) {
  state.field = field;
  for (const x of document.querySelectorAll(".step")) x.classList.toggle("now", x.dataset.field === field);
}

function refresh() {
  put($("talk"), drawTalk());
  put($("list"), drawList());
  drawProgress();
  drawWrongs();
}

export function drawWrongs() {
  const k = chosen();
  if (!k) return;
  const place = `annotations[${state.of}]`,
    mine = wrongsOf(current()).filter((p) => p.field === place || p.field.startsWith(`${place}.`));
  for (const field of [...FIELDS, "whole"]) {
    const node = $(`w-${field}`),
      found = mine.filter(
        (p) => (p.field === place ? "whole" : p.field.slice(place.length + 1).replace(/\[.*/, "")) === field,
      );
    put(
      node,
      found.map((p) => h("span", { class: p.code === "empty" ? "todo" : "", "data-code": p.code }, visible(told(p)))),
    );
    byId(`in-${field}`)?.setAttribute(
      "aria-invalid",
      found.some((p) => p.code !== "empty"),
    );
  }
  for (const field of ["conflict1", "conflict2"]) {
    const [turn, at] = (k[field] && phrasePlace(k, current().dialogue)) || [-1, 0],
      text = current().dialogue[turn] ?? "";
    put(
      $(`preview-${field}`),
      turn >= 0 && [
        visible(text.slice(0, at)),
        h("mark", null, visible(k[field])),
        visible(text.slice(at + k.phrase.length)),
      ],
    );
  }
}
