// The dialogue, of which spans are picked by pointer or keys.
import { button, h } from "../common/dom.ts";
import { HIDDEN } from "../common/text.ts";
import { t } from "../common/words.ts";
import { take } from "./fields.ts";
import { chosen, current } from "./rows.ts";
import { phrasePlace } from "./rules.ts";
import { state } from "./state.ts";

const SPEAKER = /^\s*[^:：\s]{1,12}[:：]\s?/;

/** The text of a turn without its speaker. */
const saidIn = (turn) => turn.slice(SPEAKER.exec(turn)?.[0].length ?? 0);

/** A turn's text in pieces that know where they begin; what the annotation rests on is set apart. */
function pieces(text, spans) {
  const cuts = new Set([0, text.length]);
  const places = spans
    .filter(([span]) => span)
    .map(([span, cls, at]) => [at ?? text.indexOf(span), span.length, cls])
    .filter(([at]) => at >= 0);
  for (const [at, length] of places) {
    cuts.add(at);
    cuts.add(at + length);
  }
  let at = 0;
  for (const char of text) {
    if (HIDDEN.test(char)) {
      cuts.add(at);
      cuts.add(at + char.length);
    }
    at += char.length;
  }
  const ends = [...cuts].sort((a, b) => a - b);
  return ends.slice(1).map((end, i) => {
    const from = ends[i],
      part = text.slice(from, end);
    const cls = places.filter(([start, length]) => start <= from && end <= start + length).map((x) => x[2]);
    return h(
      cls.length ? "mark" : "span",
      {
        class: [...cls, HIDDEN.test(part) && "ctl"].filter(Boolean).join(" ") || null,
        "data-at": from,
        "data-size": end - from,
      },
      part,
    );
  });
}

export function drawTalk() {
  const k = chosen(),
    evidence = k ? k.evidence.map((x) => [x, "evidence"]) : [];
  const place = k && phrasePlace(k, current().dialogue); // where it cannot be told, all places are shown
  const turns = current().dialogue,
    first = SPEAKER.exec(turns[0])?.[0];
  return h(
    "ol",
    { class: "chat picks", id: "turns", onmouseup: takeDragged },
    turns.map((turn, n) => {
      const who = SPEAKER.exec(turn)?.[0] ?? "";
      const phrase =
        !k || (place && place[0] !== n) ? [] : [[k.phrase, "phrase", place ? place[1] - who.length : undefined]];
      return h(
        "li",
        { class: who === first ? "left" : "right" },
        button(who.trim().replace(/[:：]$/, "") || "·", () => take(saidIn(turn)), {
          class: "who link",
          tabindex: -1,
          title: t("wholeTurn"),
        }),
        h(
          "span",
          {
            class: "data bubble",
            lang: "zh-CN",
            tabindex: n === (state.turn ?? 0) ? 0 : -1,
            "data-turn": n,
            role: "group",
            "aria-label": t("turnOf", n + 1) + saidIn(turn),
            onkeydown: (e) => steer(e, n),
            onfocus: () => {
              state.turn = n;
            },
          },
          pieces(saidIn(turn), [...evidence, ...phrase]),
        ),
      );
    }),
  );
}

/** Where a point of the page is in its turn's text. */
function placeOf$(node, offset) {
  const piece = (
    node.nodeType === Node.TEXT_NODE
      ? node.parentElement
      : (node.childNodes[Math.min(offset, node.childNodes.length - 1)] ?? node)
  )?.closest?.("[data-at]");
  if (!piece) return null;
  const from = Number(piece.dataset.at),
    size = Number(piece.dataset.size);
  if (node.nodeType !== Node.TEXT_NODE) return offset >= node.childNodes.length ? from + size : from;
  return piece.classList.contains("ctl") ? from + (offset ? size : 0) : from + offset;
}

/** The text that is selected within one turn; "" if none. */
function selected() {
  const range = getSelection().rangeCount && getSelection().getRangeAt(0);
  if (!range || range.collapsed) return "";
  const bubble = (node) => (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest(".bubble");
  const one = bubble(range.startContainer);
  if (!one || one !== bubble(range.endContainer)) return "";
  const [start, end] = [
    placeOf$(range.startContainer, range.startOffset),
    placeOf$(range.endContainer, range.endOffset),
  ];
  return start === null || end === null ? "" : saidIn(current().dialogue[one.dataset.turn]).slice(start, end).trim();
}

function takeDragged() {
  const text = selected();
  if (text && chosen()) take(text);
}

/** Up and down: another turn. Left and right: a character; with Shift more of them. Enter: take what is selected. */
function steer(event, n) {
  const text = saidIn(current().dialogue[n]),
    size = text.length;
  const turnTo = (to) => {
    const next = document.querySelector(`[data-turn="${to}"]`);
    if (next) {
      state.cursor = null;
      next.tabIndex = 0;
      event.target.tabIndex = -1;
      next.focus();
    }
  };
  const [from, to] = state.cursor?.turn === n ? state.cursor.span : [0, 0];
  const step = (a, b) => {
    state.cursor = { turn: n, span: [a, b] };
    showSpan(event.target, a, b);
  };
  const actions = {
    ArrowDown: () => turnTo(n + 1),
    ArrowUp: () => turnTo(n - 1),
    ArrowRight: () =>
      event.shiftKey
        ? step(from, Math.min(size, to + 1))
        : state.cursor?.turn === n
          ? step(Math.min(size - 1, from + 1), Math.min(size, from + 2))
          : step(0, 1),
    ArrowLeft: () =>
      event.shiftKey ? step(from, Math.max(from + 1, to - 1)) : step(Math.max(0, from - 1), Math.max(1, from)),
    End: () => step(from, size),
    Home: () => step(0, 1),
    Enter: () => take(to > from ? text.slice(from, to).trim() : text),
  };
  if (!actions[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  actions[event.key]();
}

function showSpan(bubble, from, to) {
  const point = (place) => {
    const piece = [...bubble.querySelectorAll("[data-at]")].find(
      (x) => place <= Number(x.dataset.at) + Number(x.dataset.size),
    );
    return [
      piece.firstChild,
      piece.classList.contains("ctl")
        ? place > Number(piece.dataset.at)
          ? piece.firstChild.length
          : 0
        : place - Number(piece.dataset.at),
    ];
  };
  getSelection().setBaseAndExtent(...point(from), ...point(to));
}
