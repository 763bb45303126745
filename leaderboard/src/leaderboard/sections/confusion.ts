// What gets mixed up: gold × chosen for domains and slots.
import { h, s, visible } from "../../common/dom.ts";
import { NAMES, num, pct } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { savers } from "../charts/picture.ts";
import { picker } from "../controls.ts";
import { models, taskOf } from "../data.ts";
import { state } from "../state.ts";
import { framed, headRow } from "../tables/frame.ts";
import { taskAndSet, toldOf, total } from "../told.ts";
import { setLabel, taskName } from "../view.ts";

const MOST_NAMES = 15,
  SQUARE = { wide: 42, high: 28 };

export function drawConfusion() {
  const every = toldOf("confusions");
  if (!every.length) return null;
  const most = every.reduce((a, b) => (b.names.length > a.names.length ? b : a));
  const { all, task, sets, set, mine } = taskAndSet(every, state.mixTask || most.task, state.mixSet);
  const order = [...mine].sort(
    (a, b) => models.get(a.id).baseline - models.get(b.id).baseline || NAMES.compare(a.model, b.model),
  );
  const row = order.find((r) => r.id === state.mixModel) ?? order[0],
    mix = counted(row),
    few = mix.names.length > MOST_NAMES && state.mixNames !== "all";
  const title = `${t("confusion")} · ${plain(models.get(row.id).label)} · ${taskName(task)} · ${setLabel(set)}`;
  return h(
    "section",
    { class: "block", id: "confusion" },
    h("div", { class: "titled" }, h("h2", null, t("confusion")), savers("confusion-matrix", title)),
    h("p", { class: "note" }, t("confusionNote")),
    h(
      "div",
      { class: "controls" },
      picker(
        "mixModel",
        t("model"),
        order.map((r) => r.id),
        row.id,
        (v) => plain(models.get(v).label),
      ),
      picker(
        "mixTask",
        t("task"),
        all.map((x) => x.name),
        task.name,
        (v) => taskName(taskOf(v)),
      ),
      picker("mixSet", t("set"), sets, set, (v) => setLabel(v)),
      mix.names.length > MOST_NAMES &&
        picker("mixNames", t("namesShown"), ["", "all"], few ? "" : "all", (v) =>
          v ? t("allNames", mix.names.length) : t("mostNames", MOST_NAMES),
        ),
    ),
    h(
      "div",
      { class: "mixed" },
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
        h("div", { id: "confusion-matrix" }, matrix(mix, few ? frequent(mix) : mix.names.map((_, i) => i), title)),
      ),
      h(
        "div",
        null,
        h("h3", null, t("largest")),
        mix.wrong.length
          ? h(
              "ol",
              { class: "largest" },
              mix.wrong.slice(0, 5).map((w) => h("li", null, visible(mixedWords(mix, w)))),
            )
          : h("p", { class: "note" }, t("noMixed")),
      ),
    ),
    mix.wrong.length > 0 && mixTable(mix, title),
  );
}

/** An entry of results.json, easy to look things up in; names in the page's language. */
function counted(entry) {
  const names = entry.names.map(([zh, en]) => (inChinese() ? zh : en)),
    key = (gold, name) => gold * names.length + name;
  const chosen = new Map(entry.pairs.map(([gold, name, n]) => [key(gold, name), n])),
    offered = new Map(),
    all = Array(names.length).fill(0),
    silent = Array(names.length).fill(0),
    said = Array(names.length).fill(0);
  for (const offer of entry.offers)
    for (const [gold, n] of offer.gold) {
      all[gold] += n;
      for (const name of offer.options) offered.set(key(gold, name), (offered.get(key(gold, name)) ?? 0) + n);
    }
  for (const [gold, n] of entry.silent) silent[gold] += n;
  for (const [, name, n] of entry.pairs) said[name] += n;
  const wrong = entry.pairs.filter(([gold, name]) => gold !== name).sort((a, b) => b[2] - a[2]);
  return {
    names,
    all,
    silent,
    said,
    wrong,
    chosen: (gold, name) => chosen.get(key(gold, name)) ?? 0,
    offered: (gold, name) => offered.get(key(gold, name)) ?? 0,
  };
}

/** The names that are right or chosen most often, in the ontology's order. */
const frequent = (mix) =>
  mix.names
    .map((_, i) => i)
    .sort((a, b) => mix.all[b] + mix.said[b] - mix.all[a] - mix.said[a] || a - b)
    .slice(0, MOST_NAMES)
    .sort((a, b) => a - b);

const mixedWords = (mix, [gold, name, n]) =>
  t(
    "mixed",
    plain(mix.names[gold]),
    plain(mix.names[name]),
    num(n),
    num(mix.offered(gold, name)),
    pct(n / mix.offered(gold, name), 0),
  );

const widthOf = (text) => [...text].reduce((sum, c) => sum + (c > "\u2e80" ? 12 : 6.6), 0);

/** Rows: names that were right; columns: all names shown, then the others together, no choice, and how many replies. */
function matrix(mix, shown, title) {
  const rows = shown.filter((i) => mix.all[i] > 0),
    rest = (gold) => mix.all[gold] - mix.silent[gold] - total(shown.map((i) => mix.chosen(gold, i)));
  const others = rows.some((i) => rest(i) > 0),
    nothing = rows.some((i) => mix.silent[i] > 0),
    label = (i) => plain(mix.names[i]);
  const columns = [
    ...shown.map((i) => ({ text: label(i), of: (gold) => mix.chosen(gold, i), name: i })),
    others && { text: t("otherNames"), of: rest },
    nothing && { text: t("nothing"), of: (gold) => mix.silent[gold] },
  ].filter(Boolean);
  const longest = Math.max(...columns.map((c) => widthOf(c.text))),
    left = 12 + Math.max(widthOf(t("rightName")), ...rows.map((i) => widthOf(label(i)))),
    top = 20 + 0.72 * longest;
  const gap = (n) => (n >= shown.length ? 8 : 0),
    x = (n) => left + n * SQUARE.wide + gap(n),
    y = (n) => top + n * SQUARE.high,
    right = x(columns.length) + 8;
  const width = Math.ceil(right + Math.max(52, 0.72 * longest + 8)),
    height = Math.ceil(y(rows.length) + 6);
  const square = (gold, column, at, line) => {
    const n = column.of(gold),
      share = mix.all[gold] ? n / mix.all[gold] : 0,
      isName = column.name !== undefined,
      possible = !isName || mix.offered(gold, column.name) > 0;
    if (!possible) return null;
    const words = isName
      ? t(
          "pairIs",
          label(gold),
          column.text,
          num(n),
          num(mix.all[gold]),
          pct(share),
          num(mix.offered(gold, column.name)),
        )
      : `${label(gold)} → ${column.text}: ${num(n)} / ${num(mix.all[gold])} (${pct(share)} %)`;
    // Shades in between would leave neither dark nor light figures readable.
    const shade = share > 0.5 ? 0.76 + 0.24 * share : 0.06 + 0.8 * share;
    return s(
      "g",
      {
        class: `square${share > 0.5 ? " full" : ""}${n ? "" : " none"}`,
        "data-gold": label(gold),
        "data-name": column.text,
      },
      s("title", null, words),
      s("rect", {
        class: "ground",
        x: x(at) + 1,
        y: y(line) + 1,
        width: SQUARE.wide - 2,
        height: SQUARE.high - 2,
        rx: 3,
      }),
      n > 0 &&
        s("rect", {
          class: "shade",
          x: x(at) + 1,
          y: y(line) + 1,
          width: SQUARE.wide - 2,
          height: SQUARE.high - 2,
          rx: 3,
          opacity: shade.toFixed(2),
        }),
      column.name === gold &&
        s("rect", {
          class: "frame",
          x: x(at) + 1,
          y: y(line) + 1,
          width: SQUARE.wide - 2,
          height: SQUARE.high - 2,
          rx: 3,
        }),
      s(
        "text",
        { x: x(at) + SQUARE.wide / 2, y: y(line) + SQUARE.high / 2 + 4, "text-anchor": "middle" },
        n > 0 && share < 0.005 ? "<1" : pct(share, 0),
      ),
    );
  };
  const summary =
    mix.wrong
      .slice(0, 5)
      .map((w) => mixedWords(mix, w))
      .join("; ") || t("noMixed");
  return s(
    "svg",
    {
      class: "plot matrix",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `${title}. ${summary}`,
    },
    columns.map((c, n) =>
      s(
        "text",
        { class: "head", transform: `translate(${x(n) + SQUARE.wide / 2 - 2} ${top - 6}) rotate(-45)` },
        c.text,
      ),
    ),
    s("text", { class: "corner", x: left - 8, y: top - 6, "text-anchor": "end" }, t("rightName")),
    s("text", { class: "corner", x: right, y: top - 6 }, t("repliesHead")),
    rows.map((gold, line) => [
      s("text", { class: "head", x: left - 8, y: y(line) + SQUARE.high / 2 + 4, "text-anchor": "end" }, label(gold)),
      columns.map((c, at) => square(gold, c, at, line)),
      s("text", { class: "head", x: right, y: y(line) + SQUARE.high / 2 + 4 }, num(mix.all[gold])),
    ]),
  );
}

function mixTable(mix, title) {
  return h(
    "details",
    { class: "numbers" },
    h("summary", null, t("confusionNumbers")),
    framed(
      h(
        "table",
        { class: "robust mixtable" },
        headRow([t("rightName"), t("chosenName"), t("timesHead"), t("offeredHead"), "%"], 2),
        h(
          "tbody",
          null,
          mix.wrong.map(([gold, name, n]) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, visible(mix.names[gold])),
              h("td", null, visible(mix.names[name])),
              [num(n), num(mix.offered(gold, name)), pct(n / mix.offered(gold, name), 0)].map((v) =>
                h("td", { class: "v" }, v),
              ),
            ),
          ),
        ),
      ),
      { id: "confusions", title: `${title} · ${t("asTable")}` },
    ),
  );
}
