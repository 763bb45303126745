// The annotation page: one dialogue after the other.
import { $, button, byId, h, put } from "../common/dom.ts";
import { key$, shortcut } from "../common/keys.ts";
import { num } from "../common/numbers.ts";
import { data$ } from "../common/passage.ts";
import { t } from "../common/words.ts";
import { accept, add, giveBack, giveBackFor, moveTo, nextOpen, nothing, remove, show, takeBack } from "./acts.ts";
import { drawList, drawProgress, warning } from "./around.ts";
import { activate, KEYS, MENUS, pick } from "./fields.ts";
import { drawForm, drawWrongs, reasonKey } from "./form.ts";
import { chosen, current, done, rows, takeUp, undoable } from "./rows.ts";
import { drawTalk } from "./spans.ts";
import { data, state } from "./state.ts";

export function onKey(event) {
  const key = shortcut(event);
  if (!key || !state.annotator || byId<HTMLDialogElement>("help")?.open) return;
  if (event.target.closest("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const reason = state.returning && data.reasons.find((x) => reasonKey(x) === key);
  const entry = state.field in MENUS && chosen() && /^[1-9]$/.test(key) && MENUS[state.field]()[Number(key) - 1];
  const field = chosen() && Object.keys(KEYS).find((x) => KEYS[x] === key);
  const action = reason
    ? () => giveBackFor(reason)
    : entry
      ? () => pick(state.field, entry)
      : field
        ? () => activate(field)
        : {
            n: add,
            0: nothing,
            x: remove,
            y: accept,
            r: giveBack,
            u: takeBack,
            Backspace: takeBack,
            "[": () => show(state.of - 1),
            "]": () => show(state.of + 1),
            ArrowRight: () => moveTo(state.at + 1),
            ArrowLeft: () => moveTo(state.at - 1),
            j: () => moveTo(state.at + 1),
            k: () => moveTo(state.at - 1),
            " ": nextOpen,
            "?": () => $("help").showModal(),
          }[key];
  if (!action || (key === " " && event.target.closest("button"))) return;
  event.preventDefault();
  action();
}

export function drawDoor() {
  const input = h("input", {
    id: "name",
    type: "text",
    autocomplete: "name",
    maxlength: 60,
    required: true,
    value: data.annotator,
  });
  const enter = (event) => {
    event.preventDefault();
    const name = input.value.trim();
    if (!name) {
      input.focus();
      return;
    }
    takeUp(name);
    moveTo(
      Math.max(
        0,
        rows.findIndex((x) => !done(x)),
      ),
    );
  };
  put(
    $("main"),
    h(
      "section",
      { class: "intro door" },
      h("h1", null, t(data.inspect ? "inspectTitle" : "title")),
      h("p", { class: "lead" }, t(data.inspect ? "inspectLead" : "lead", num(data.dialogues.length))),
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

export function drawPage() {
  const row = current(),
    n = rows.length;
  put(
    $("main"),
    h("div", { class: "progress", id: "progress" }),
    h(
      "div",
      { class: "stepper" },
      button("‹", () => moveTo(state.at - 1), { id: "prev", disabled: state.at === 0, "aria-label": t("prev") }),
      h("span", { id: "position" }, t("at", num(state.at + 1), num(n))),
      button("›", () => moveTo(state.at + 1), { id: "next", disabled: state.at === n - 1, "aria-label": t("next") }),
      button(t("nextOpen"), nextOpen),
      button(t("undo"), takeBack, { id: "undo", disabled: !undoable.length }),
      button([t("help"), " ", key$("?")], () => $("help").showModal(), { id: "keys" }),
      h("span", { class: "muted", role: "status", id: "told" }, state.said),
    ),
    h(
      "article",
      { class: "output", id: "output", "data-id": row.id },
      h(
        "h1",
        { class: "taskname" },
        data$("span", "", row.topic || row.id),
        h("span", { class: "tag" }, row.set.toUpperCase()),
      ),
      h(
        "div",
        { class: "sides" },
        h("section", { class: "talk", id: "talk", "aria-label": t("dialogue") }, drawTalk()),
        h("section", { class: "work" }, h("div", { id: "list" }, drawList()), drawForm()),
      ),
    ),
    helpBox(),
  );
  drawProgress();
  drawWrongs();
}

function helpBox() {
  const list = [
    ["n", "keyAdd"],
    ["0", "keyNothing"],
    [Object.values(KEYS).join(" "), "keyFields"],
    ["1–9", "keyMenu"],
    ["Enter", "keyEnter"],
    ["Esc", "keyEscape"],
    ["↑ ↓ ← →", "keySpan"],
    ["Shift+→", "keyMore"],
    ["y", data.inspect ? "keyInspect" : "keyAccept"],
    ...(data.inspect ? [["r", "keyReturn"]] : []),
    ["x", "keyRemove"],
    ["[ ]", "keyShow"],
    ["j k", "keyMove"],
    ["Space", "keyOpen"],
    ["u ⌫", "keyUndo"],
  ];
  const box = h(
    "dialog",
    { id: "help", "aria-label": t("keyList") },
    h("h2", null, t("keyList")),
    h(
      "dl",
      { class: "settings" },
      list.map(([keys, what]) => [
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
