// The audit page: one output after the other.
import { $, button, byId, check, h, put, visible } from "../common/dom.ts";
import { key$, shortcut } from "../common/keys.ts";
import { num } from "../common/numbers.ts";
import { chat, data$ } from "../common/passage.ts";
import { inChinese, t } from "../common/words.ts";
import {
  asksSeveral,
  bare,
  complete,
  exportMarks,
  importMarks,
  isListed,
  keep,
  kindOf,
  marks,
  NO_OPTION,
  referenceShown,
  scales,
  setMark,
  takeUp,
  undo,
  undoable,
} from "./marks.ts";
import { data, draw, state, taskName, taskOf } from "./state.ts";

const current = () => data.outputs[state.at];

const done = () => data.outputs.filter(complete).length;

/** Key -> what it does to the output on screen. Options come first: where (n) is an option, N means none. */
function keysOf(output) {
  const keys = new Map();
  const offer = (key, action) => {
    if (!keys.has(key)) keys.set(key, action);
  };
  if (isListed(output)) {
    const names = output.labels.map((x) => bare(x).toLowerCase());
    const say = (said) => () => choose(said);
    names.forEach((name, i) => {
      if (/^[a-z0-9]$/.test(name)) offer(name, say(output.labels[i]));
    });
    // Where labels are no letters, letters count, and so do numbers; never both a label and a place.
    if (!names.some((x) => /^[0-9]$/.test(x)))
      output.labels.slice(0, 9).forEach((label, i) => offer(String(i + 1), say(label)));
    if (!names.some((x) => /^[a-z]$/.test(x)))
      output.labels.slice(0, 26).forEach((label, i) => offer(String.fromCharCode(97 + i), say(label)));
    for (const said of data.answering ? [] : NO_OPTION.filter((x) => x !== "several" || !asksSeveral(output))) {
      offer(said[0], say(said));
      offer(said[0].toUpperCase(), say(said));
    }
    return keys;
  }
  if (data.answering) return keys;
  offer("y", () => answer({ right: true }));
  offer("x", () => answer({ right: false }));
  offer("n", () => answer({ right: false }));
  const scale = asked(output);
  if (scale) for (let i = scale.low; i <= scale.high; i++) offer(String(i), () => answer({ [scale.name]: i }));
  return keys;
}

/** The scale that digits are for: the first without a score, or the only one. */
function asked(output) {
  const mark = marks.get(output.id);
  if (kindOf(output) !== "text" || mark?.right === undefined) return null;
  return scales().find((x) => mark[x.name] === undefined) ?? (scales().length === 1 ? scales()[0] : null);
}

/** One option; where all right ones are asked for, one more or one less of those that were said. */
function choose(said) {
  const output = current(),
    before = marks.get(output.id)?.said;
  if (!asksSeveral(output) || NO_OPTION.includes(said)) {
    answer({ said });
    return;
  }
  const old = Array.isArray(before) ? before : [];
  const now = output.labels.filter((x) => old.includes(x) !== (x === said));
  answer({ said: now.length ? now : undefined });
}

function answer(change) {
  const output = current(),
    was = complete(output);
  setMark(output, change);
  state.said = "";
  // On to the next as soon as one is marked, unless the answer is to be seen, or an old mark was changed.
  if (!was && complete(output) && !Array.isArray(change.said) && !state.show && state.at + 1 < data.outputs.length)
    moveTo(state.at + 1);
  else draw();
}

function moveTo(at) {
  state.at = Math.max(0, Math.min(data.outputs.length - 1, at));
  keep();
  draw();
  scrollTo(0, 0);
}

function nextOpen() {
  const after = data.outputs
    .map((x, i) => [x, (i - state.at - 1 + data.outputs.length) % data.outputs.length, i])
    .filter(([x]) => !complete(x))
    .sort((a, b) => a[1] - b[1])[0];
  if (after) moveTo(after[2]);
}

function takeBack() {
  const id = undo();
  state.said = t(id ? "undone" : "nothingToUndo");
  moveTo(id ? data.outputs.findIndex((x) => x.id === id) : state.at);
}

export function onKey(event) {
  const key = shortcut(event);
  if (!key || !state.annotator || event.target.closest("input, select, textarea")) return;
  if (byId<HTMLDialogElement>("help")?.open) return; // a dialog closes by Esc itself
  const action =
    keysOf(current()).get(key) ??
    {
      ArrowRight: () => moveTo(state.at + 1),
      ArrowLeft: () => moveTo(state.at - 1),
      j: () => moveTo(state.at + 1),
      k: () => moveTo(state.at - 1),
      " ": nextOpen,
      u: takeBack,
      Backspace: takeBack,
      "?": showHelp,
    }[key];
  if (!action || (key === " " && event.target.closest("button"))) return;
  event.preventDefault();
  action();
}

/** Who are you? */
export function drawDoor() {
  const input = h("input", { id: "name", type: "text", autocomplete: "name", maxlength: 60, required: true });
  const enter = (event) => {
    event.preventDefault();
    const name = input.value.trim();
    if (!name) {
      input.focus();
      return;
    }
    takeUp(name);
    const first = data.outputs.findIndex((x) => !complete(x));
    moveTo(Math.max(first, 0));
  };
  put(
    $("main"),
    h(
      "section",
      { class: "intro door" },
      h("h1", null, t(data.answering ? "answerTitle" : "title")),
      h("p", { class: "lead" }, t(data.answering ? "answerLead" : "lead", num(data.outputs.length))),
      warning(),
      h(
        "form",
        { onsubmit: enter },
        h("label", { for: "name" }, t("yourName")),
        h("div", { class: "row2" }, input, h("button", { type: "submit", class: "primary" }, t("begin"))),
      ),
    ),
  );
  input.focus();
}

const warning = () => !state.keeps && h("p", { class: "notice caution" }, t("keepsNothing"));

export function drawPage() {
  const output = current(),
    task = taskOf(output.task),
    n = data.outputs.length,
    count = done();
  const bar = h("i", null);
  bar.style.width = `${(100 * count) / n}%`;
  put(
    $("main"),
    h(
      "div",
      { class: "progress" },
      h("strong", { role: "status" }, t(data.answering ? "answered" : "marked", num(count), num(n))),
      h("span", { class: "track", "aria-hidden": "true" }, bar),
      h("span", { class: "data" }, visible(state.annotator)),
      button(
        t("someoneElse"),
        () => {
          state.annotator = "";
          draw();
        },
        { class: "small", id: "change" },
      ),
      button(t(data.answering ? "exportAnswers" : "export"), exportMarks, { class: "small primary", id: "export" }),
      importer(),
    ),
    warning(),
    count === n && h("p", { class: "notice", id: "done" }, t(data.answering ? "allAnswered" : "allDone")),
    h(
      "div",
      { class: "stepper" },
      button("‹", () => moveTo(state.at - 1), { id: "prev", disabled: state.at === 0, "aria-label": t("prev") }),
      h("span", { id: "position" }, t("at", num(state.at + 1), num(n))),
      button("›", () => moveTo(state.at + 1), { id: "next", disabled: state.at === n - 1, "aria-label": t("next") }),
      button(t("nextOpen"), nextOpen, { disabled: count === n }),
      button(t("undo"), takeBack, { disabled: !undoable.length }),
      button([t("help"), " ", key$("?")], showHelp, { id: "keys" }),
      !data.answering &&
        check(t("showAfter"), state.show, (on) => {
          state.show = on;
          keep();
          draw();
        }),
      h("span", { class: "muted", role: "status", id: "told" }, state.said),
    ),
    h(
      "article",
      { class: "output", id: "output", "data-id": output.id },
      h("h1", { class: "taskname" }, taskName(task), h("span", { class: "tag" }, output.set.toUpperCase())),
      h(
        "div",
        { class: "sides" },
        output.dialogue.length > 0 &&
          h(
            "section",
            { class: "talk", tabindex: 0, "aria-label": t("dialogue"), onmouseup: takeSpan },
            h("h2", { class: "low" }, t("dialogue")),
            chat(output.dialogue),
          ),
        h(
          "section",
          { class: "work" },
          h("h2", { class: "low" }, t("question")),
          output.question
            ? data$("p", "question", output.question)
            : h("p", { class: "question" }, t("whichExplanation")),
          data.answering
            ? isListed(output)
              ? drawOptions(output)
              : drawWriting(output)
            : [
                h("h2", { class: "low" }, t("replyHead")),
                output.reply.trim()
                  ? data$("pre", "reply said", output.reply)
                  : h("p", { class: "reply said muted" }, t("emptyReply")),
                isListed(output) ? drawOptions(output) : drawJudgement(output),
                state.show && complete(output) && drawParser(output),
                drawNote(output),
              ],
        ),
      ),
    ),
    helpBox(),
  );
}

/** Something to press, with its key; the key is the last that does it, so that N stands where n is an option. */
function pressable(label, pressed, keys, action, cls = "") {
  return h(
    "button",
    { type: "button", class: `mark ${cls}`, "aria-pressed": pressed, onclick: action },
    h("span", null, label),
    keys && key$(keys),
  );
}

function drawOptions(output) {
  const said = marks.get(output.id)?.said,
    keys = keysOf(output),
    shown = state.show && complete(output);
  const names = output.labels.map((x) => bare(x).toLowerCase());
  const letters = names.some((x) => /^[a-z]$/.test(x));
  const keyFor = (i) =>
    /^[a-z0-9]$/.test(names[i])
      ? names[i]
      : letters
        ? ""
        : i < 9 && !names.some((x) => /^[0-9]$/.test(x))
          ? String(i + 1)
          : i < 26
            ? String.fromCharCode(97 + i)
            : "";
  const taken = (letter) => (letters ? names.includes(letter) : output.labels.length > letter.charCodeAt(0) - 97);
  const short = Math.max(...output.options.map((x) => x.length)) < 14;
  const chosen = (label) => (Array.isArray(said) ? said.includes(label) : said === label);
  const heading = data.answering
    ? ["yourAnswer", asksSeveral(output) && "yourAnswersNote"]
    : asksSeveral(output)
      ? ["whichOptions", "whichOnesNote"]
      : ["whichOption", "whichNote"];
  return [
    h("h2", { class: "low", id: "asked" }, t(heading[0])),
    heading[1] && h("p", { class: "note" }, t(heading[1])),
    h(
      "div",
      { class: `marks${short ? " dense" : ""}`, role: "group", "aria-labelledby": "asked" },
      output.options.map((option, i) =>
        pressable(
          [
            data$("b", "", output.labels[i]),
            " ",
            data$("span", "", option),
            shown && output.golds.includes(i) && h("span", { class: "pill gold" }, ` ✓ ${t("gold")}`),
          ],
          chosen(output.labels[i]),
          keyFor(i),
          () => choose(output.labels[i]),
        ),
      ),
    ),
    !data.answering &&
      h(
        "div",
        { class: "marks dense others" },
        NO_OPTION.filter((name) => name !== "several" || !asksSeveral(output)).map((name) =>
          pressable(
            t({ none: "none", several: "severalSaid", refused: "refusedSaid" }[name]),
            said === name,
            taken(name[0]) ? name[0].toUpperCase() : name[0],
            keys.get(name[0].toUpperCase()),
            "other",
          ),
        ),
      ),
  ];
}

/** A span or a short text: typed, or a span selected in the dialogue. Enter goes on. */
function drawWriting(output) {
  const input = h("input", {
    type: "text",
    id: "answer",
    autocomplete: "off",
    spellcheck: "false",
    "aria-labelledby": "asked",
    value: marks.get(output.id)?.text ?? "",
    onchange: () => write(output, input.value),
    onkeydown: (e) => {
      if (e.key === "Enter" && !e.isComposing) {
        e.preventDefault();
        write(output, input.value);
        moveTo(state.at + 1);
        byId("answer")?.focus();
      }
    },
  });
  return [
    h("h2", { class: "low", id: "asked" }, t("yourAnswer")),
    h("p", { class: "note" }, t(kindOf(output) === "span" ? "spanAnswerNote" : "textAnswerNote")),
    input,
  ];
}

function write(output, text) {
  setMark(output, { text: text.trim() });
}

function takeSpan() {
  const text = getSelection().toString().trim();
  if (!data.answering || kindOf(current()) !== "span" || !text) return;
  write(current(), text);
  draw();
}

function drawJudgement(output) {
  const mark = marks.get(output.id) ?? {},
    isSpan = kindOf(output) === "span";
  return [
    h("h2", { class: "low", id: "asked" }, t(isSpan ? "isRightSpan" : "isRight")),
    h("p", { class: "note" }, t(output.task === "conflict_detection" ? "spanNote" : "isRightNote")),
    h(
      "div",
      { class: "marks dense", role: "group", "aria-labelledby": "asked" },
      pressable(["✓ ", t("yes")], mark.right === true, "y", () => answer({ right: true }), "yes"),
      pressable(["✕ ", t("no")], mark.right === false, "x", () => answer({ right: false }), "no"),
    ),
    referenceShown(output) && [
      h("h2", { class: "low" }, t("reference")),
      h(
        "p",
        { class: "reference" },
        output.references.map((x, i) => [i > 0 && " / ", data$("span", "", x)]),
      ),
    ],
    !isSpan && mark.right !== undefined && drawScales(output, mark),
  ];
}

function drawScales(output, mark) {
  const lang = inChinese() ? "zh" : "en",
    now = asked(output);
  const criterion = (x) => x[lang === "zh" ? 0 : 1];
  return [
    h("h2", { class: "low" }, t("scoreBy", data.rubric[lang])),
    scales().map((x) => {
      const each = x.criteria.length > 1,
        values = Array.from({ length: x.high - x.low + 1 }, (_, i) => x.low + i);
      return h(
        "div",
        { class: `scale${x === now ? " now" : ""}`, role: "group", "aria-label": x[lang], "data-scale": x.name },
        scales().length > 1 &&
          h("p", null, h("strong", null, x[lang]), !each && h("small", null, " ", criterion(x.criteria[0]))),
        h(
          "div",
          { class: each ? "marks" : "marks line" },
          values.map((v, i) =>
            pressable(
              each ? [h("b", null, String(v)), " ", criterion(x.criteria[i])] : String(v),
              mark[x.name] === v,
              each && String(v),
              () => answer({ [x.name]: v }),
            ),
          ),
        ),
      );
    }),
  ];
}

function drawParser(output) {
  const { status, read: places, text } = output.parser;
  const read = places.length ? places.map((i) => `${output.labels[i]} ${output.options[i]}`).join("\n") : text;
  return [
    h("h2", { class: "low" }, t("parserRead")),
    h(
      "p",
      { id: "parser" },
      h("span", { class: "badge" }, t(status)),
      " ",
      read === null ? h("span", { class: "muted" }, t("nothingRead")) : data$("span", "", read),
    ),
  ];
}

function drawNote(output) {
  const write = (e) => {
    const note = e.target.value.trim();
    if (note || marks.get(output.id)?.note) setMark(output, { note });
  };
  return h(
    "label",
    { class: "notefield" },
    h("span", null, t("note")),
    h("input", { type: "text", maxlength: 500, value: marks.get(output.id)?.note ?? "", onchange: write }),
  );
}

function importer() {
  const input = h("input", {
    type: "file",
    class: "sr",
    accept: ".jsonl,.json,.txt",
    id: "file",
    tabindex: -1,
    "aria-label": t("import"),
    onchange: async () => {
      const [taken, left] = importMarks(await input.files[0].text());
      state.said = t("imported", taken) + (left ? t("refusedLines", left) : "");
      draw();
    },
  });
  return [button(t("import"), () => input.click(), { class: "small", id: "import" }), input];
}

function helpBox() {
  const moves = [
    ["← → k j", "keyMove"],
    ["Space", "keyOpen"],
    ["u ⌫", "keyUndo"],
    ["?", "keyHelp"],
  ];
  const rows = data.answering
    ? [["a–z 1–9", "keyOption"], ["Enter", "keyEnter"], ...moves]
    : [
        ["a–z 1–9", "keyOption"],
        ["n N", "keyNone"],
        ["s S", "keySeveral"],
        ["r R", "keyRefused"],
        ["y", "keyYes"],
        ["x", "keyNo"],
        ["0–5", "keyScore"],
        ...moves,
      ];
  const box = h(
    "dialog",
    { id: "help", "aria-label": t("keyList") },
    h("h2", null, t("keyList")),
    h(
      "dl",
      { class: "settings" },
      rows.map(([keys, what]) => [
        h(
          "dt",
          null,
          keys.split(" ").map((x) => [key$(x), " "]),
        ),
        h("dd", null, t(what)),
      ]),
    ),
    button(t("close"), () => box.close()),
  );
  return box;
}

const showHelp = () => $("help").showModal();
