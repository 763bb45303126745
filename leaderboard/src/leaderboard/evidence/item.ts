// One item: the dialogue, what was asked, what came back and how it was read, and what others said.
import { button, fill, h, visible } from "../../common/dom.ts";
import { isNumber, num, pct } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { langOf, plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { data, models, nameNode, taskOf } from "../data.ts";
import { figure, metricName } from "../metrics.ts";
import { perturbName } from "../names.ts";
import { NO_ANSWER } from "../statuses.ts";
import { open } from "./open.ts";
import { idAt, outcomeAt } from "./shards.ts";

/** The class of an outcome's badge. */
export const badge = (kind) => (NO_ANSWER.includes(kind) ? "notParsed" : kind === "failed" ? "failedFilter" : kind);

export function answers(row) {
  const x = row.item;
  if (!x.options.length)
    return [
      h("h3", null, t("references")),
      h(
        "ul",
        { class: "opts" },
        x.references.map((ref) =>
          h("li", { class: "isgold" }, data$("span", "", ref), h("span", { class: "pill gold" }, `✓ ${t("gold")}`)),
        ),
      ),
    ];
  return [
    h("h3", null, t("options")),
    h(
      "ul",
      { class: "opts" },
      x.options.map((option, i) => {
        const gold = isGold(x, i),
          chosen = row.choice === i || row.choices.includes(i);
        return h(
          "li",
          { class: (gold ? "isgold " : "") + (chosen ? "ischosen" : "") },
          data$("span", "", `${x.labels[i] ?? ""} ${option}`),
          pills(gold, chosen),
        );
      }),
    ),
  ];
}

/** Whether the i-th option is right; where all right ones are asked for, their labels stand one after the other. */
const isGold = (x, i) =>
  x.labels[i] === x.gold || (taskOf(open.task).kind === "choices" && String(x.gold).split(", ").includes(x.labels[i]));

const pills = (gold, chosen) => [
  gold && h("span", { class: "pill gold" }, `✓ ${t("gold")}`),
  chosen && h("span", { class: "pill chosen" }, `● ${t("chosen")}`),
];

/** Each option's probability among the options: the softmax of the log-probabilities; null where one is no number. */
function shares(row) {
  const logprobs = row.likelihoods.map(([logprob]) => logprob),
    most = Math.max(...logprobs);
  const parts = logprobs.map((x) => (isNumber(x) ? Math.exp(x - most) : NaN)),
    sum = parts.reduce((a, b) => a + b, 0);
  return parts.map((x) => x / sum);
}

/** The options with how likely the model found each. What it is measured by: as most_likely of scoring.py has it. */
export function likelihoods(row) {
  const x = row.item,
    share = shares(row),
    ofTexts = row.finish === "texts";
  const sets = [["logprob", ([logprob]) => logprob]];
  if (ofTexts)
    sets.push(
      ["perToken", ([logprob, tokens]) => logprob / tokens],
      ["perChar", ([logprob], option) => logprob / Math.max(1, Array.from(option).length)],
      ["lessPrior", ([logprob, , prior]) => logprob - (prior ?? 0)],
    );
  const measures = sets.map(([name, of]) => {
    const values = row.likelihoods.map((l, i) => of(l, x.options[i]));
    return { name, values, most: Math.max(...values) };
  });
  const small = (name, value, top) =>
    h(
      "span",
      { class: top ? "most" : "" },
      h("small", null, t(name)),
      ` ${isNumber(value) ? value.toFixed(2).replace("-", "−") : "–"}`,
      top && " ▲",
    );
  return [
    h("h3", null, t("options")),
    h(
      "ul",
      { class: "opts likely" },
      x.options.map((option, i) => {
        const gold = isGold(x, i),
          chosen = row.choice === i,
          [, tokens, prior] = row.likelihoods[i];
        const bar = h("i", null);
        bar.style.width = `${isNumber(share[i]) ? 100 * share[i] : 0}%`;
        return h(
          "li",
          { class: (gold ? "isgold " : "") + (chosen ? "ischosen" : "") },
          data$("span", "", `${x.labels[i] ?? ""} ${option}`),
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
            measures.map((m) => small(m.name, m.values[i], m.values[i] === m.most)),
            ofTexts && [small("priorIs", prior), h("span", null, h("small", null, t("tokensAre")), ` ${num(tokens)}`)],
          ),
        );
      }),
    ),
    h("p", { class: "note" }, t("likelihoodNote", t(ofTexts ? "perToken" : "logprob"))),
  ];
}

/** A probe: for each explanation what the model was given, and the loss of what it was to expect. */
export function probed(row) {
  const x = row.item,
    losses = row.likelihoods.map(([logprob, tokens]) => -logprob / tokens),
    least = losses[0] === losses[1] ? NaN : Math.min(...losses);
  const corruption = data.corruptions.find((c) => c.name === x.item.split(".").at(-1)),
    how = corruption ? corruption[inChinese() ? "zh" : "en"] : t("corrupted");
  return [
    h("h3", null, t("probe")),
    h(
      "ul",
      { class: "opts likely probe" },
      x.options.map((option, i) => {
        const gold = isGold(x, i),
          lower = losses[i] === least;
        return h(
          "li",
          { class: (gold ? "isgold " : "") + (row.choice === i ? "ischosen" : "") },
          data$("span", "", option),
          h("span", { class: `pill ${gold ? "gold" : "chosen"}` }, gold ? `✓ ${t("validOne")}` : `✕ ${how}`),
          h(
            "span",
            { class: "losses" },
            h(
              "span",
              { class: lower ? "most" : "" },
              h("small", null, t("lossIs")),
              ` ${isNumber(losses[i]) ? losses[i].toFixed(3) : "–"}`,
              lower && ` ▼ ${t("lowerLoss")}`,
            ),
            h("span", null, h("small", null, t("tokensAre")), ` ${num(row.likelihoods[i][1])}`),
          ),
          row.pairs?.[i] &&
            h(
              "details",
              null,
              h("summary", null, t("pairOf")),
              h(
                "pre",
                { class: "data reply", lang: langOf(row.pairs[i][0]) },
                visible(row.pairs[i][0]),
                h("mark", { class: "read" }, visible(row.pairs[i][1])),
              ),
            ),
        );
      }),
    ),
    h("p", { class: "note" }, t("probeNote")),
  ];
}

export function replyBlock(row, kind) {
  const lost = row.asked - row.shots;
  const facts = [
    [
      t("statusIs"),
      h("span", { class: `badge b-${badge(kind)}` }, t(row.status) + (row.status === "parsed" ? ` · ${t(kind)}` : "")),
    ],
    row.text != null && row.status === "parsed" && [t("readAs"), data$("span", "", row.text)],
    [t("rule"), data$("code", "", row.rule || "–")],
    [
      t("scores"),
      Object.entries(row.scores)
        .map(([m, v]) => `${metricName(m)} ${figure(m, v)}`)
        .join(" · ") || "–",
    ],
    [t("finish"), data$("code", "", row.finish)],
    [t("shotsShown"), t("shotsOf", row.shots, row.asked) + (lost > 0 ? t("shotsLost", lost) : "")],
  ].filter(Boolean);
  return [
    row.reasoning &&
      h("details", { class: "reasoning" }, h("summary", null, t("reasoning")), data$("pre", "reply", row.reasoning)),
    row.likelihoods === null &&
      h("h3", null, t("reply"), row.start !== null && h("small", null, " · ", t("replyNote"))),
    said(row),
    h(
      "dl",
      { class: "settings" },
      facts.map(([k, v]) => [h("dt", null, k), h("dd", null, v)]),
    ),
  ];
}

/** What came back: the reply, why there is none, or that none was written. */
function said(row) {
  if (row.error !== null)
    return h("div", { class: "notice" }, h("strong", null, t("noReply")), " ", data$("code", "", row.error));
  if (row.likelihoods) return row.finish !== "nll" && h("p", { class: "notice" }, t("nothingWritten"));
  return [
    row.status === "filtered" && h("p", { class: "notice" }, t("withheld")),
    (row.reply || row.status !== "filtered") && highlighted(row),
  ];
}

const LONG = 12000,
  AROUND = 2000; // characters of a reply shown at once; and beside the part that was read

/** Places count code points, as Python does, not UTF-16 units. Of a very long reply: its beginning, its end and where it was read. */
function highlighted(row, whole = false) {
  const chars = Array.from(row.reply),
    read = row.start !== null && row.end !== null;
  if (!chars.length)
    return h("pre", { class: "data reply", lang: langOf(row.reply) }, h("span", { class: "muted" }, t("emptyReply")));
  const box = h("pre", { class: "data reply", lang: langOf(row.reply) }),
    cut = (a, b) => visible(chars.slice(a, b).join(""));
  const marked = (a, b) =>
    !read || b <= row.start || a >= row.end
      ? cut(a, b)
      : [
          cut(a, Math.max(a, row.start)),
          h("mark", { class: "read" }, cut(Math.max(a, row.start), Math.min(b, row.end))),
          cut(Math.min(b, row.end), b),
        ];
  const wanted =
    whole || chars.length <= LONG
      ? [[0, chars.length]]
      : [
          [0, LONG / 2],
          ...(read ? [[row.start - AROUND, Math.min(row.end, row.start + LONG / 2) + AROUND]] : []),
          [chars.length - AROUND, chars.length],
        ];
  const parts = [];
  for (const [a, b] of wanted
    .map(([x, y]) => [Math.max(0, x), Math.min(chars.length, y)])
    .sort((x, y) => x[0] - y[0])) {
    if (parts.length && a <= parts.at(-1)[1]) parts.at(-1)[1] = Math.max(parts.at(-1)[1], b);
    else parts.push([a, b]);
  }
  const gap = (n) =>
    h(
      "span",
      { class: "gap" },
      t("leftOut", num(n)),
      " ",
      button(t("showAll", num(chars.length)), () => box.replaceWith(highlighted(row, true)), { class: "small" }),
    );
  return fill(
    box,
    null,
    parts.map(([a, b], i) => [i > 0 && gap(a - parts[i - 1][1]), marked(a, b)]),
  );
}

export function otherCard(cell, entry, row, mine) {
  const kind = outcomeAt(cell, entry),
    model = models.get(cell.id);
  return h(
    "article",
    { class: "card" },
    h(
      "header",
      null,
      h(
        "span",
        null,
        nameNode(model),
        cell.scoring !== open.scoring && h("small", null, t(cell.scoring)),
        cell.perturb !== open.perturb && h("small", null, perturbName(cell.perturb)),
      ),
      h("span", { class: `badge b-${badge(kind)}` }, t(kind)),
    ),
    row.shown !== mine.shown && h("p", { class: "warn" }, "≠ ", t("otherForm")),
    row.finish === "nll"
      ? h("p", null, `${metricName("delta_nll")} ${figure("delta_nll", row.scores.delta_nll)}`)
      : row.likelihoods
        ? data$(
            "p",
            "",
            `${row.item.labels[row.choice]} ${row.text}${row.finish === "labels" ? ` · ${pct(shares(row)[row.choice])} %` : ""}`,
          )
        : said(row),
    button(t("openIt"), () => go({ ...cellRoute(cell), item: idAt(cell, entry) }), {
      class: "link",
      "aria-label": `${t("openIt")}: ${plain(model.label)}`,
    }),
  );
} // where the overview was scrolled to when a cell was opened
