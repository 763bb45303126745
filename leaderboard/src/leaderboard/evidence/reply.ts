// The reply to a request, and its reading.
import { button, div, fill, h, type Kid, para } from "../../common/dom.ts";
import { num } from "../../common/numbers.ts";
import { dataNode } from "../../common/passage.ts";
import { langOf } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { pairs } from "../facts.ts";
import { figure, metricName } from "../metrics.ts";
import { NO_ANSWER } from "../statuses.ts";
import type { Reply, ReplyTokens } from "./shards.ts";

/** The badge of an outcome. */
export function badge(kind: string, words = t(kind)) {
  const silent = (NO_ANSWER as string[]).includes(kind);
  return h("span", { class: `badge b-${silent ? "notParsed" : kind === "failed" ? "failedFilter" : kind}` }, words);
}

export function replyBlock(row: Reply, kind: string) {
  const lost = row.asked - row.shots;
  const parsed = row.status === "parsed";
  const scores = Object.entries(row.scores).map(([m, v]) => `${metricName(m)} ${figure(m, v)}`);
  return [
    row.reasoning &&
      h("details", { class: "reasoning" }, h("summary", null, t("reasoning")), dataNode("pre", "reply", row.reasoning)),
    row.likelihoods === null &&
      h("h3", null, t("reply"), row.start !== null && h("small", null, " · ", t("replyNote"))),
    replyNode(row),
    pairs([
      [t("statusIs"), badge(kind, t(row.status) + (parsed ? ` · ${t(kind)}` : ""))],
      parsed && row.text != null && [t("readAs"), dataNode("span", "", row.text)],
      [t("rule"), dataNode("code", "", row.rule || "–")],
      [t("scores"), scores.join(" · ") || "–"],
      [t("finish"), dataNode("code", "", row.finish)],
      row.tokens && [t("tokenCounts"), tokensOf(row.tokens)],
      [t("shotsShown"), t("shotsOf", row.shots, row.asked) + (lost > 0 ? t("shotsLost", lost) : "")],
    ]),
  ];
}

function tokensOf([ofPrompt, generated, thinking, guessed]: ReplyTokens) {
  const thought = thinking > 0 && t("tokensThought", `${guessed ? "≈ " : ""}${num(thinking)}`);
  return [t("tokensWritten", num(generated)), thought, t("tokensOfPrompt", num(ofPrompt))].filter(Boolean).join(" · ");
}

/** The reply, the reason why there is none, or a note that none was written. */
export function replyNode(row: Reply): Kid {
  if (row.error !== null) return div("notice", h("strong", null, t("noReply")), " ", dataNode("code", "", row.error));
  if (row.likelihoods) return row.finish !== "nll" && para("notice", t("nothingWritten"));
  return [
    row.status === "filtered" && para("notice", t("withheld")),
    (row.reply || row.status !== "filtered") && highlighted(row),
  ];
}

const LONG = 12000; // characters above which a reply is shown in parts
const AROUND = 2000; // characters shown on each side of the part that was read

/** A part of a text: the index of its first character, and the index after its last one. */
type Stretch = [from: number, to: number];

/** The shown stretches of a very long reply: its beginning, its end and the part that was read. */
export function stretches(length: number, read: Stretch | null): Stretch[] {
  const around: Stretch[] = read ? [[read[0] - AROUND, Math.min(read[1], read[0] + LONG / 2) + AROUND]] : [];
  const wanted: Stretch[] = [[0, LONG / 2], ...around, [length - AROUND, length]];
  const parts: Stretch[] = [];
  for (const [from, to] of wanted.sort((x, y) => x[0] - y[0])) {
    const last = parts.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], Math.min(length, to));
    else parts.push([Math.max(0, from), Math.min(length, to)]);
  }
  return parts;
}

/** The reply, with the part that was read highlighted. Positions count code points, as in Python, not UTF-16 units. */
function highlighted(row: Reply, whole = false): HTMLElement {
  const chars = Array.from(row.reply);
  const box = h("pre", { class: "data reply", lang: langOf(row.reply) });
  if (!chars.length) return fill(box, null, [h("span", { class: "muted" }, t("emptyReply"))]);
  const read: Stretch | null = row.start !== null && row.end !== null ? [row.start, row.end] : null;
  const cut = (from: number, to: number) => chars.slice(from, to).join("");
  const marked = ([from, to]: Stretch): Kid => {
    if (!read || to <= read[0] || from >= read[1]) return cut(from, to);
    const [begin, end] = [Math.max(from, read[0]), Math.min(to, read[1])];
    return [cut(from, begin), h("mark", { class: "read" }, cut(begin, end)), cut(end, to)];
  };
  const all = () =>
    button(t("showAll", num(chars.length)), () => box.replaceWith(highlighted(row, true)), { class: "small" });
  const gap = (n: number) => h("span", { class: "gap" }, t("leftOut", num(n)), " ", all());
  const parts: Stretch[] = whole || chars.length <= LONG ? [[0, chars.length]] : stretches(chars.length, read);
  return fill(
    box,
    null,
    parts.map((part, i) => [i > 0 && gap(part[0] - parts[i - 1][1]), marked(part)]),
  );
}
