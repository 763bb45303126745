// Spans of a turn's text: the pieces to draw, and the selection of a span by keys.
import { HIDDEN } from "../common/text.ts";
import type { Span } from "./types.ts";

/** A span to draw with a CSS class. `at`: the index where it starts; undefined: where the text has it first. */
export type Marked = [span: string, cls: string, at?: number];
export interface Piece {
  from: number;
  text: string;
  classes: string[];
  hidden: boolean; // whether it is a character that cannot be seen; its code is drawn instead
}

/** Cut a text at the ends of spans and around characters that cannot be seen. */
export function pieces(text: string, spans: Marked[]): Piece[] {
  const positions = spans
    .map(([span, cls, at = text.indexOf(span)]) => ({ from: at, to: at + span.length, cls }))
    .filter((x) => x.from >= 0 && x.to > x.from);
  const signs = [...text.matchAll(new RegExp(HIDDEN, "gu"))].map((x) => ({ from: x.index, to: x.index + x[0].length }));
  const cuts = new Set([0, text.length, ...[...positions, ...signs].flatMap((x) => [x.from, x.to])]);
  const ends = [...cuts].sort((a, b) => a - b);
  return ends.slice(1).map((to, i) => {
    const from = ends[i],
      classes = positions.filter((x) => x.from <= from && to <= x.to).map((x) => x.cls);
    return { from, text: text.slice(from, to), classes, hidden: signs.some((x) => x.from === from) };
  });
}

/** The selection after an arrow key: the next or the previous character; with Shift (`more`) it grows or shrinks by one. Home
 *  selects the first character; End extends the selection to the end. */
export function nextSelection(key: string, more: boolean, span: Span | null, size: number): Span {
  const one = (at: number): Span => [Math.max(0, Math.min(size - 1, at)), Math.max(1, Math.min(size, at + 1))],
    by = key === "ArrowRight" ? 1 : -1;
  if (key === "End") return [span?.[0] ?? 0, size];
  if (!span || key === "Home") return one(0);
  const [from, to] = span;
  return more ? [from, Math.max(from + 1, Math.min(size, to + by))] : one(from + by);
}
