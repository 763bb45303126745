// The annotation page, which shows one dialogue at a time.

import { drawEntry, drawNameForm } from "../common/annotator/page.ts";
import { work } from "../common/annotator/work.ts";
import { h } from "../common/dom.ts";
import { dataNode } from "../common/passage.ts";
import { t } from "../common/words.ts";
import {
  accept,
  activate,
  add,
  FIELDS,
  KEYS,
  markNothing,
  pick,
  remove,
  returnFor,
  showBeside,
  startReturn,
} from "./actions.ts";
import { drawTalk } from "./dialogue.ts";
import { drawForm, drawWrongs } from "./form.ts";
import { drawList } from "./list.ts";
import { chosen, current } from "./rows.ts";
import { isMenu, MENUS } from "./rules.ts";
import { data, state } from "./state.ts";
import { reasonKey } from "./verdict.ts";

/** The actions of the keyboard's keys in the present state. Reasons take precedence over fields, which have the same letters. */
export function keys() {
  const k = chosen(),
    { field } = state;
  const menu = k && isMenu(field) ? MENUS[field](k).slice(0, 9) : [];
  return new Map<string, () => void>([
    ["n", add],
    ["0", markNothing],
    ["x", remove],
    ["y", accept],
    ["r", startReturn],
    ["[", () => showBeside(-1)],
    ["]", () => showBeside(1)],
    ...(k ? FIELDS : []).map((x) => [KEYS[x], () => activate(x)] as const),
    ...menu.map((entry, i) => [String(i + 1), () => isMenu(field) && pick(field, entry)] as const),
    ...(state.returning ? data.reasons : []).map((x) => [reasonKey(x), () => returnFor(x)] as const),
  ]);
}

const keyRows = () => [
  ["n", "keyAdd"],
  ["0", "keyNothing"],
  [Object.values(KEYS).join(" "), "keyFields"],
  ["1–9", "keyMenu"],
  ["Enter", "keyEnter"],
  ["Esc", "keyEscape"],
  ["↑ ↓ ← →", "keySpan"],
  ["Shift+→", "keyMore"],
  ["y", "keyAccept"],
  ...(data.inspect ? [["r", "keyReturn"]] : []),
  ["x", "keyRemove"],
  ["[ ]", "keyShow"],
];

export function drawPage() {
  if (!work.annotator) {
    drawNameForm(data.annotator);
    return;
  }
  const row = current();
  const sides = [
    h("section", { class: "talk", id: "talk", "aria-label": t("dialogue") }, drawTalk()),
    h("section", { class: "work" }, h("div", { id: "list" }), drawForm()),
  ];
  drawEntry(row, dataNode("span", "", row.topic || row.id), sides, keyRows());
  drawList();
  drawWrongs();
}
