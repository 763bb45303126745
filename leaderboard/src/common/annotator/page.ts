// The frame of the annotation and audit pages: the person and their progress, the steps to other entries, the list of keys.
import { $, button, byId, h, type Kid, para, put, visible } from "../dom.ts";
import { drawFrame } from "../frame.ts";
import { canStore } from "../json_store.ts";
import { key$, shortcut } from "../keys.ts";
import { num } from "../numbers.ts";
import { addWords, onLanguage, t, type Words } from "../words.ts";
import ofAll from "./words.json" with { type: "json" };
import {
  actionOf,
  begin,
  draw,
  exportWork,
  importText,
  isKept,
  type Job,
  job,
  lastEntry,
  moveTo,
  nextOpen,
  openFrom,
  setEntry,
  takeBack,
  takeUp,
  takeUpAgain,
  work,
} from "./work.ts";

addWords(ofAll);

/** Start the work. In a page with a mode, the words of the key "MODE.KEY" replace those of KEY. */
export function startWork(made: Job, words: Words, mode = "", annotator = "") {
  const own = Object.entries(words).filter(([key]) => mode && key.startsWith(`${mode}.`));
  addWords(Object.fromEntries(own.map(([key, both]) => [key.slice(mode.length + 1), both])));
  begin(made);
  work.keeps = canStore();
  const drawAll = () => {
    drawFrame(t("title"), t("foot"));
    draw();
  };
  onLanguage(drawAll);
  const last = lastEntry(),
    name = last.annotator || annotator;
  if (name) {
    takeUp(name);
    setEntry(last.at);
  }
  drawAll();
  addEventListener("keydown", onKey);
  addEventListener("storage", ({ key }) => {
    if (isKept(key)) takeUpAgain();
  });
}

function onKey(event: KeyboardEvent) {
  const key = shortcut(event),
    target = event.target as HTMLElement;
  if (!key || !work.annotator || byId<HTMLDialogElement>("help")?.open) return; // a dialog closes by Esc itself
  if (target.closest("input:not([type=checkbox]), select, textarea")) {
    if (key === "Escape") target.blur();
    return;
  }
  const action = actionOf(key);
  if (!action || (key === " " && target.closest("button, input"))) return;
  event.preventDefault();
  // A held arrow key moves on; any other held key acts only once, or the next entry would get the same mark.
  if (!event.repeat || key.startsWith("Arrow")) action();
}

/** Run `action` when Enter is pressed in an input, unless that Enter ends a word of an input method. */
export const onEnter = (action: () => void) => (event: KeyboardEvent) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  action();
};

export const low = (words: string, id?: string) => h("h2", { class: "low", id }, words);

type Attributes = Record<string, string | number>;

/** A button that shows its key. */
export const keyButton = (
  id: string,
  label: Kid,
  on: boolean,
  key: string,
  action: () => void,
  more: Attributes = {},
) => button([h("span", null, label), key && key$(key)], action, { id, class: "mark", "aria-pressed": on, ...more });

/** A list of an entry's buttons; short ones stand side by side. */
export const keyButtons = (kids: Kid, cls = "", name: Attributes = {}) =>
  h("div", { class: `marks ${cls}`.trim(), ...(Object.keys(name).length && { role: "group" }), ...name }, kids);

/** The field for a person's note on a mark. */
export function noteField(id: string, label: string, value: string, write: (note: string) => void) {
  const input: HTMLInputElement = h("input", {
    type: "text",
    id,
    maxlength: 500,
    value,
    autocomplete: "off",
    onchange: () => write(input.value.trim()),
    onkeydown: onEnter(() => input.blur()),
  });
  return h("label", { class: "notefield" }, h("span", null, label), input);
}

const warning = () => h("p", { class: "notice caution", id: "warning", hidden: work.keeps }, t("keepsNothing"));

/** Draw the page that asks for the person's name. */
export function drawDoor(name = "") {
  const input = h("input", {
    id: "name",
    type: "text",
    autocomplete: "name",
    maxlength: 60,
    required: true,
    value: name,
  });
  const enter = (event: Event) => {
    event.preventDefault();
    if (!input.value.trim()) {
      input.focus();
      return;
    }
    takeUp(input.value.trim());
    moveTo(Math.max(0, openFrom(0)));
  };
  const ask = h("div", { class: "row2" }, input, h("button", { type: "submit", class: "primary" }, t("begin")));
  put(
    $("main"),
    h(
      "section",
      { class: "intro door" },
      h("h1", null, t("title")),
      para("lead", t("lead", num(job.size))),
      warning(),
      h("form", { onsubmit: enter }, h("label", { for: "name" }, t("yourName")), ask),
    ),
  );
  input.focus();
}

/** Draw the page with an entry. `tools` are drawn beside the steps to other entries, `keys` in the list of keys: [keys, word]. */
export function drawEntry(
  entry: { id: string; set: string },
  title: Kid,
  sides: Kid,
  keys: string[][],
  tools: Kid = null,
) {
  put(
    $("main"),
    drawProgress(),
    warning(),
    h("p", { class: "notice", id: "done" }, t("allDone")),
    drawStepper(tools),
    h(
      "article",
      { class: "output", id: "output", "data-id": entry.id, tabindex: -1 },
      h("h1", { class: "taskname" }, title, h("span", { class: "tag" }, entry.set.toUpperCase())),
      h("div", { class: "sides" }, sides),
    ),
    drawHelp(keys),
  );
  drawCount();
}

/** Update the progress in place: to redraw the buttons would lose a click in progress. */
export function drawCount() {
  const count = Array.from({ length: job.size }, (_, at) => at).filter(job.done).length,
    wrong = job.toMend?.() ?? 0;
  say("count", t("count", num(count), num(job.size)));
  $("bar").style.width = `${(100 * count) / job.size}%`;
  say("wrongs", wrong ? t("wrongs", num(wrong)) : "");
  $("warning").hidden = work.keeps;
  $("done").hidden = count < job.size;
  $<HTMLButtonElement>("open").disabled = count === job.size;
  $<HTMLButtonElement>("undo").disabled = !job.undo.size;
}

function say(id: string, words: string) {
  if ($(id).textContent !== words) put($(id), words);
}

function drawProgress() {
  const leave = () => {
    work.annotator = "";
    draw();
  };
  return h(
    "div",
    { class: "progress" },
    h("strong", { id: "count", role: "status" }),
    h("span", { class: "track", "aria-hidden": "true" }, h("i", { id: "bar" })),
    h("span", { class: "warn", id: "wrongs" }),
    h("span", { class: "data" }, visible(work.annotator)),
    button(t("someoneElse"), leave, { class: "small", id: "change" }),
    button(t("export"), exportWork, { class: "small primary", id: "export" }),
    drawImport(),
  );
}

function drawImport() {
  const input = h("input", {
    type: "file",
    class: "sr",
    accept: ".jsonl,.json,.txt",
    id: "file",
    tabindex: -1,
    "aria-label": t("import"),
    onchange: async () => {
      const file = input.files?.[0];
      if (file) importText(await file.text());
    },
  });
  return [button(t("import"), () => input.click(), { class: "small", id: "import" }), input];
}

const drawStepper = (tools: Kid) =>
  h(
    "div",
    { class: "stepper" },
    button("‹", () => moveTo(work.at - 1), { id: "prev", disabled: work.at === 0, "aria-label": t("prev") }),
    h("span", { id: "position" }, t("at", num(work.at + 1), num(job.size))),
    button("›", () => moveTo(work.at + 1), { id: "next", disabled: work.at === job.size - 1, "aria-label": t("next") }),
    button(t("nextOpen"), nextOpen, { id: "open" }),
    button(t("undo"), takeBack, { id: "undo" }),
    button([t("help"), " ", key$("?")], () => $<HTMLDialogElement>("help").showModal(), { id: "keys" }),
    tools,
    h("span", { class: "muted", role: "status", id: "told" }, work.said),
  );

const MOVES = [
  ["← → k j", "keyMove"],
  ["Space", "keyOpen"],
  ["u ⌫", "keyUndo"],
  ["?", "keyHelp"],
];

function drawHelp(keys: string[][]) {
  const entry = ([names, what]: string[]) => [
    h(
      "dt",
      null,
      names.split(" ").map((x) => [key$(x), " "]),
    ),
    h("dd", null, t(what)),
  ];
  const box: HTMLDialogElement = h(
    "dialog",
    { id: "help", "aria-label": t("keyList") },
    h("h2", null, t("keyList")),
    h("dl", { class: "settings" }, [...keys, ...MOVES].map(entry)),
    button(t("close"), () => box.close()),
  );
  return box;
}
