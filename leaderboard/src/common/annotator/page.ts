// Draws the parts that the annotation and audit pages share: the form for a person's name, the progress, the buttons to other
// entries, the list of keys.
import { $, button, byId, div, h, type Kid, para, setChildren } from "../dom.ts";
import { drawFrame } from "../frame.ts";
import { keycap, shortcut } from "../keys.ts";
import { num } from "../numbers.ts";
import { canStore } from "../storage.ts";
import { addWords, onLanguage, t, type Words } from "../words.ts";
import ofAll from "./words.json" with { type: "json" };
import {
  actionOf,
  draw,
  exportWork,
  importText,
  isOwnKey,
  type Job,
  job,
  loadWork,
  moveTo,
  nextOpen,
  openFrom,
  reloadWork,
  restoreLast,
  setEntry,
  setJob,
  takeBack,
  work,
} from "./work.ts";

addWords(ofAll);

/** Start a page. In a mode, the words of the key "MODE.KEY" replace the words of KEY. `annotator`: the name of the person, used if the
 *  browser has stored none. */
export function startWork(job: Job, words: Words, mode = "", annotator = "") {
  const ofMode = Object.entries(words).filter(([key]) => mode && key.startsWith(`${mode}.`));
  addWords(Object.fromEntries(ofMode.map(([key, both]) => [key.slice(mode.length + 1), both])));
  setJob(job);
  work.isStored = canStore();
  const drawAll = () => {
    drawFrame(t("title"), t("foot"));
    draw();
  };
  onLanguage(drawAll);
  const last = restoreLast(),
    name = last.annotator || annotator;
  if (name) {
    loadWork(name);
    setEntry(last.at);
  }
  drawAll();
  addEventListener("keydown", onKey);
  addEventListener("storage", ({ key }) => {
    if (isOwnKey(key)) reloadWork();
  });
}

function onKey(event: KeyboardEvent) {
  const key = shortcut(event),
    target = event.target as HTMLElement;
  if (!key || !work.annotator || byId<HTMLDialogElement>("help")?.open) return; // the browser itself closes a dialog by Esc
  if (target.closest("input:not([type=checkbox]), select, textarea")) {
    if (key === "Escape") target.blur();
    return;
  }
  const action = actionOf(key);
  if (!action || (key === " " && target.closest("button, input"))) return;
  event.preventDefault();
  // A held arrow key acts repeatedly; any other held key acts once, or the next entry would get the same mark.
  if (!event.repeat || key.startsWith("Arrow")) action();
}

/** A listener that runs `action` when Enter is pressed, unless Enter ends a word of an input method. */
export const onEnter = (action: () => void) => (event: KeyboardEvent) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  action();
};

export const smallHeading = (words: string, id?: string) => h("h2", { class: "low", id }, words);

type Attributes = Record<string, string | number>;

/** A button that shows the key that presses it. `on`: whether it is pressed. */
export const keyButton = (
  id: string,
  label: Kid,
  on: boolean,
  key: string,
  action: () => void,
  more: Attributes = {},
) => button([h("span", null, label), key && keycap(key)], action, { id, class: "mark", "aria-pressed": on, ...more });

/** A list of buttons. The class "dense" puts short ones side by side. `name`: attributes that name the list. */
export const keyButtons = (kids: Kid, cls = "", name: Attributes = {}) =>
  h("div", { class: `marks ${cls}`.trim(), ...(Object.keys(name).length && { role: "group" }), ...name }, kids);

/** A field for a note; `write` gets the note when the person leaves the field. */
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

const warning = () => h("p", { class: "notice caution", id: "warning", hidden: work.isStored }, t("keepsNothing"));

/** Draw the page that asks for the person's name. */
export function drawNameForm(name = "") {
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
    loadWork(input.value.trim());
    moveTo(Math.max(0, openFrom(0)));
  };
  const ask = div("row2", input, h("button", { type: "submit", class: "primary" }, t("begin")));
  setChildren(
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

/** Draw the page of an entry. `sides`: its content; `keys`: rows of the list of keys, [keys, key of their words]; `tools`: controls
 *  beside the buttons to other entries. */
export function drawEntry(
  entry: { id: string; set: string },
  title: Kid,
  sides: Kid,
  keys: string[][],
  tools: Kid = null,
) {
  setChildren(
    $("main"),
    drawProgress(),
    warning(),
    h("p", { class: "notice", id: "done" }, t("allDone")),
    drawStepper(tools),
    h(
      "article",
      { class: "output", id: "output", "data-id": entry.id, tabindex: -1 },
      h("h1", { class: "taskname" }, title, h("span", { class: "tag" }, entry.set.toUpperCase())),
      div("sides", sides),
    ),
    drawHelp(keys),
  );
  drawCount();
}

/** Update the progress without redrawing the buttons: a redraw would lose a click in progress. */
export function drawCount() {
  const count = Array.from({ length: job.size }, (_, at) => at).filter(job.done).length,
    wrong = job.countErrors?.() ?? 0;
  setText("count", t("count", num(count), num(job.size)));
  $("bar").style.width = `${(100 * count) / job.size}%`;
  setText("wrongs", wrong ? t("wrongs", num(wrong)) : "");
  $("warning").hidden = work.isStored;
  $("done").hidden = count < job.size;
  $<HTMLButtonElement>("open").disabled = count === job.size;
  $<HTMLButtonElement>("undo").disabled = !job.undo.size;
}

function setText(id: string, words: string) {
  if ($(id).textContent !== words) setChildren($(id), words);
}

function drawProgress() {
  const leave = () => {
    work.annotator = "";
    draw();
  };
  return div(
    "progress",
    h("strong", { id: "count", role: "status" }),
    h("span", { class: "track", "aria-hidden": "true" }, h("i", { id: "bar" })),
    h("span", { class: "warn", id: "wrongs" }),
    h("span", { class: "data" }, work.annotator),
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
  div(
    "stepper",
    button("‹", () => moveTo(work.at - 1), { id: "prev", disabled: work.at === 0, "aria-label": t("prev") }),
    h("span", { id: "position" }, t("at", num(work.at + 1), num(job.size))),
    button("›", () => moveTo(work.at + 1), { id: "next", disabled: work.at === job.size - 1, "aria-label": t("next") }),
    button(t("nextOpen"), nextOpen, { id: "open" }),
    button(t("undo"), takeBack, { id: "undo" }),
    button([t("help"), " ", keycap("?")], () => $<HTMLDialogElement>("help").showModal(), { id: "keys" }),
    tools,
    h("span", { class: "muted", role: "status", id: "told" }, work.message),
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
      names.split(" ").map((x) => [keycap(x), " "]),
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
