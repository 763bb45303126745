// The dialogue, in which a person selects spans by pointer or by keys.

import { smallHeading } from "../common/annotator/page.ts";
import { button, byId, h } from "../common/dom.ts";
import { splitTurn } from "../common/text.ts";
import { t } from "../common/words.ts";
import { fillField } from "./actions.ts";
import { chosen, current } from "./rows.ts";
import { phrasePosition } from "./rules.ts";
import { type Marked, nextSelection, type Piece, pieces } from "./spans.ts";
import { state } from "./state.ts";

export function drawTalk() {
  const turns = current().dialogue,
    first = splitTurn(turns[0]).speaker;
  const chat = h(
    "ol",
    { class: "chat picks", id: "turns", onmouseup: takeDragged },
    turns.map((turn, n) => {
      const { speaker, start, text } = splitTurn(turn);
      return h(
        "li",
        { class: speaker === first ? "left" : "right" },
        button(speaker || "·", () => fillField(text), { class: "who link", tabindex: -1, title: t("wholeTurn") }),
        drawBubble(n, text, markedIn(n, start)),
      );
    }),
  );
  return [smallHeading(t("dialogue")), chat];
}

const drawBubble = (n: number, text: string, marked: Marked[]) =>
  h(
    "span",
    {
      class: "data bubble",
      lang: "zh-CN",
      tabindex: n === state.turn ? 0 : -1,
      id: `turn-${n}`,
      "data-turn": n,
      role: "group",
      "aria-label": t("turnOf", n + 1) + text,
      onkeydown: (e) => onTurnKey(e, n, text),
      onfocus: () => goToTurn(n),
    },
    pieces(text, marked).map(drawPiece),
  );

/** The spans of the chosen annotation in a turn. If the position of its phrase is not certain, the first occurrence in each turn is
 *  among them. */
function markedIn(n: number, start: string): Marked[] {
  const k = chosen();
  if (!k) return [];
  const evidence = k.evidence.map((x): Marked => [x, "evidence"]),
    position = phrasePosition(k, current().dialogue);
  if (!position) return [...evidence, [k.phrase, "phrase"]];
  return position[0] === n ? [...evidence, [k.phrase, "phrase", position[1] - start.length]] : evidence;
}

const drawPiece = ({ from, text, classes, hidden }: Piece) =>
  h(
    classes.length ? "mark" : "span",
    { class: classes.join(" ") || null, "data-at": from, "data-size": text.length, "data-hidden": hidden },
    text,
  );

/** A position in the page's nodes as an index into the text of its turn; null outside of turns. */
function positionOf(node: Node, offset: number) {
  const inText = node.nodeType === Node.TEXT_NODE,
    at = inText ? node.parentElement : (node.childNodes[Math.min(offset, node.childNodes.length - 1)] ?? node);
  const piece = (at instanceof Element ? at : at?.parentElement)?.closest<HTMLElement>("[data-at]");
  if (!piece) return null;
  const from = Number(piece.dataset.at),
    size = Number(piece.dataset.size);
  if (!inText) return offset >= node.childNodes.length ? from + size : from;
  if ("hidden" in piece.dataset) return offset ? from + size : from;
  return from + offset;
}

const turnOf = (node: Node) =>
  (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>("[data-turn]")?.dataset.turn;

/** Write a selection within one turn, made by dragging, into the active field. */
function takeDragged() {
  const selection = getSelection();
  if (!selection?.rangeCount || selection.isCollapsed || !chosen()) return;
  const range = selection.getRangeAt(0),
    n = turnOf(range.startContainer);
  if (n === undefined || n !== turnOf(range.endContainer)) return;
  const from = positionOf(range.startContainer, range.startOffset),
    to = positionOf(range.endContainer, range.endOffset);
  if (from !== null && to !== null) fillField(splitTurn(current().dialogue[Number(n)]).text.slice(from, to).trim());
}

/** Let Tab reach the turn that got the focus; arrow keys reach the other turns. */
function goToTurn(n: number) {
  const old = byId(`turn-${state.turn}`),
    now = byId(`turn-${n}`);
  if (old) old.tabIndex = -1;
  if (now) now.tabIndex = 0;
  if (n !== state.turn) state.cursor = null;
  state.turn = n;
}

const textOf = (chars: string[], from: number, to: number) => chars.slice(from, to).join("");

/** Handle a key in a turn. Up and down: another turn. Left and right: select a character, with Shift several. Enter: take the
 *  selection, or the turn if nothing is selected. */
function onTurnKey(event: KeyboardEvent, n: number, text: string) {
  const { key } = event,
    chars = [...text]; // characters, not UTF-16 units: a selection never cuts a character in two
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (key === "ArrowDown") byId(`turn-${n + 1}`)?.focus();
  else if (key === "ArrowUp") byId(`turn-${n - 1}`)?.focus();
  else if (key === "Enter") fillField(state.cursor ? textOf(chars, ...state.cursor).trim() : text);
  else if (["ArrowRight", "ArrowLeft", "Home", "End"].includes(key)) {
    state.cursor = nextSelection(key, event.shiftKey, state.cursor, chars.length);
    const [from, to] = state.cursor.map((count) => textOf(chars, 0, count).length);
    showSpan(event.currentTarget as HTMLElement, from, to);
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function showSpan(bubble: HTMLElement, from: number, to: number) {
  const point = (position: number): [Node, number] => {
    const drawn = [...bubble.children].map((node) => node as HTMLElement),
      piece = drawn.find((x) => position <= Number(x.dataset.at) + Number(x.dataset.size));
    if (!piece?.firstChild) return [bubble, 0];
    const within = position - Number(piece.dataset.at);
    return "hidden" in piece.dataset ? [piece, Math.min(within, 1)] : [piece.firstChild, within];
  };
  getSelection()?.setBaseAndExtent(...point(from), ...point(to));
}
