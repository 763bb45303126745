// Judgements of one reply, by judges and second readers.
import { div, fold, h, type Kid } from "../../common/dom.ts";
import { dataNode } from "../../common/passage.ts";
import { t } from "../../common/words.ts";
import type { Reply } from "./shards.ts";

type Opinion = Reply["opinions"][number];

/** Each judge's verdict on a reply, with and without the gold answer. */
export function opinions(row: Reply) {
  const mine = row.opinions.filter((j) => j.control !== "second").sort((a, b) => (a.control < b.control ? 1 : -1));
  const by = (j: Opinion) => [
    dataNode("span", "", j.judge),
    h("small", null, ` ${j.rubric}`),
    j.control === "blind" && h("small", null, ` · ${t("blindTag")}`),
  ];
  return cards(t("judgedBy"), mine, (j) => card(h("span", null, by(j)), verdict(j), j.reasons || t("noReasons")));
}

function verdict({ status, scores }: Opinion) {
  if (status === "empty") return t("empty");
  if (status !== "scored") return t(`verdict.${status}`);
  return Object.entries(scores)
    .map(([name, v]) => (name === "score" ? v : `${name} ${v}`))
    .join(" · ");
}

/** Second readers' readings of a reply, with their own words and their prompts. */
export function secondReadings(row: Reply) {
  const mine = row.opinions.filter((j) => j.control === "second");
  const asked = (j: Opinion) => fold(t("prompt"), dataNode("pre", "reply", j.asked));
  return cards(t("secondReader"), mine, (j) =>
    card(dataNode("span", "", j.judge), t(`second.${j.status}`), j.reasons || t("emptyReply"), asked(j)),
  );
}

const cards = (heading: string, mine: Opinion[], draw: (opinion: Opinion) => Kid) =>
  mine.length > 0 && h("section", { class: "opinions" }, h("h3", null, heading), div("cards", mine.map(draw)));

const card = (by: Kid, verdict: string, words: string, more?: Kid) =>
  h(
    "article",
    { class: "card" },
    h("header", null, by, h("span", { class: "badge" }, verdict)),
    dataNode("p", "reply", words),
    more,
  );
