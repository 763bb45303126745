// The options of an item, with marks for right and chosen ones, and with their likelihoods.
import { fold, h, type Kid, para } from "../../common/dom.ts";
import { fixed, isNumber, num, pct, sumOf, twoDigits } from "../../common/numbers.ts";
import { dataNode } from "../../common/passage.ts";
import { langOf } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { data, taskOf } from "../data.ts";
import { openCell } from "./open.ts";
import type { Item, Likelihood, Reply } from "./shards.ts";

/** Whether the i-th option is right. `gold` is the label of the right option; for the kind "choices", of all right ones, with commas. */
function isGold({ labels, gold }: Item, i: number) {
  const several = openCell && taskOf(openCell.task).kind === "choices";
  return labels[i] === gold || (several && String(gold).split(", ").includes(labels[i]));
}

/** A list of options; `rest(i)` returns the content below the i-th. */
function optionList(row: Reply, cls: string, rest: (i: number, gold: boolean, chosen: boolean) => Kid) {
  const option = (text: string, i: number) => {
    const gold = Boolean(isGold(row.item, i));
    const chosen = row.choice === i || row.choices.includes(i);
    const label = row.finish === "nll" ? "" : `${row.item.labels[i] ?? ""} `;
    const looks = (gold ? "isgold " : "") + (chosen ? "ischosen" : "");
    return h("li", { class: looks }, dataNode("span", "", label + text), rest(i, gold, chosen));
  };
  return h("ul", { class: cls }, row.item.options.map(option));
}

const GOLD = () => h("span", { class: "pill gold" }, `✓ ${t("gold")}`);
const pills = (gold: boolean, chosen: boolean) => [
  gold && GOLD(),
  chosen && h("span", { class: "pill chosen" }, `● ${t("chosen")}`),
];

export function answers(row: Reply) {
  const { options, references } = row.item;
  const reference = (text: string) => h("li", { class: "isgold" }, dataNode("span", "", text), GOLD());
  if (!options.length) return [h("h3", null, t("references")), h("ul", { class: "opts" }, references.map(reference))];
  return [h("h3", null, t("options")), optionList(row, "opts", (_, gold, chosen) => pills(gold, chosen))];
}

// ---- likelihoods
const logprobOf = ([logprob]: Likelihood) => logprob ?? Number.NaN;

/** Each option's probability among the options: the softmax of the log-probabilities; NaN if a log-probability is missing. */
export function shares(likelihoods: Likelihood[]) {
  const logprobs = likelihoods.map(logprobOf);
  const parts = logprobs.map((x) => Math.exp(x - Math.max(...logprobs)));
  return parts.map((x) => x / sumOf(parts));
}

/** The name of a measure -> the function that computes it for an option, as `most_likely` in benchmarks/kinds.py does. */
const MEASURES: Record<string, (likelihood: Likelihood, option: string) => number> = {
  logprob: logprobOf,
  perToken: (l) => logprobOf(l) / l[1],
  perChar: (l, option) => logprobOf(l) / Math.max(1, Array.from(option).length),
  lessPrior: (l) => logprobOf(l) - (l[2] ?? 0),
};

const small = (name: string, value: Kid, most = false) =>
  h("span", { class: most ? "most" : "" }, h("small", null, t(name)), " ", value);

/** The options with the likelihoods that the model gave them. */
export function likelihoods(row: Reply, ofOptions: Likelihood[]) {
  const share = shares(ofOptions);
  const ofTexts = row.finish === "texts";
  const measures = Object.entries(MEASURES)
    .slice(0, ofTexts ? undefined : 1)
    .map(([name, of]) => ({ name, values: ofOptions.map((l, i) => of(l, row.item.options[i])) }));
  const measured = ({ name, values }: { name: string; values: number[] }, i: number) => {
    const most = values[i] === Math.max(...values);
    return small(name, [twoDigits(values[i]), most && " ▲"], most);
  };
  const likely = (i: number, gold: boolean, chosen: boolean) => {
    const bar = h("i", null);
    bar.style.width = `${isNumber(share[i]) ? 100 * share[i] : 0}%`;
    const [, tokens, prior] = ofOptions[i];
    return [
      pills(gold, chosen),
      h(
        "span",
        { class: "share", title: t("amongOptions") },
        h("span", { class: "track", "aria-hidden": "true" }, bar),
        h("b", null, pct(share[i]), " %"),
      ),
      h(
        "span",
        { class: "measures" },
        measures.map((m) => measured(m, i)),
        ofTexts && [small("priorIs", twoDigits(prior)), small("tokensAre", num(tokens))],
      ),
    ];
  };
  return [
    h("h3", null, t("options")),
    optionList(row, "opts likely", likely),
    para("note", t("likelihoodNote", t(ofTexts ? "perToken" : "logprob"))),
  ];
}

/** The result of a probe: for each explanation the text that the model read, and its loss on the text that follows. */
export function probed(row: Reply, ofOptions: Likelihood[]) {
  const losses = ofOptions.map((l) => -logprobOf(l) / l[1]);
  const least = losses[0] === losses[1] ? Number.NaN : Math.min(...losses);
  const corruption = data.corruptions.find((c) => c.name === row.item.item.split(".").at(-1));
  const how = corruption ? corruption[inChinese() ? "zh" : "en"] : t("corrupted");
  const probe = (i: number, gold: boolean) => {
    const lower = losses[i] === least;
    const loss = isNumber(losses[i]) ? fixed(losses[i], 3) : "–";
    return [
      h("span", { class: `pill ${gold ? "gold" : "chosen"}` }, gold ? `✓ ${t("validOne")}` : `✕ ${how}`),
      h(
        "span",
        { class: "losses" },
        small("lossIs", [loss, lower && ` ▼ ${t("lowerLoss")}`], lower),
        small("tokensAre", num(ofOptions[i][1])),
      ),
      row.pairs?.[i] && pairNode(row.pairs[i]),
    ];
  };
  return [h("h3", null, t("probe")), optionList(row, "opts likely probe", probe), para("note", t("probeNote"))];
}

const pairNode = ([context, target]: string[]) =>
  fold(
    t("pairOf"),
    h("pre", { class: "data reply", lang: langOf(context) }, context, h("mark", { class: "read" }, target)),
  );
