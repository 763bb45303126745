// Confusions: gold × chosen for domains and slots.

import { h, visible } from "../../common/dom.ts";
import { NAMES } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import type { Confusion } from "../../types/results.ts";
import { type Mix, MOST_NAMES, matrix, mixedWords } from "../charts/matrix.ts";
import { savers } from "../charts/picture.ts";
import { picker } from "../controls.ts";
import { modelOf, taskOf } from "../data.ts";
import { setLabel, taskName } from "../names.ts";
import { state } from "../state.ts";
import { sheetNode } from "../tables/sheet.ts";
import { taskAndSet, toldOf } from "../told.ts";
import type { Sheet } from "../types.ts";

export function drawConfusion() {
  const every = toldOf("confusions");
  if (!every.length) return null;
  const most = every.reduce((a, b) => (b.names.length > a.names.length ? b : a));
  const { all, task, sets, set, mine } = taskAndSet(every, state.mixTask || most.task, state.mixSet);
  const baseline = (r: { id: string }) => Number(modelOf(r.id).baseline);
  const order = [...mine].sort((a, b) => baseline(a) - baseline(b) || NAMES.compare(a.model, b.model));
  const row = order.find((r) => r.id === state.mixModel) ?? order[0];
  const mix = counted(row);
  const few = mix.names.length > MOST_NAMES && state.mixNames !== "all";
  const title = `${t("confusion")} · ${plain(modelOf(row.id).label)} · ${taskName(task)} · ${setLabel(set)}`;
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
        (v) => plain(modelOf(v).label),
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
        picker<string>("mixNames", t("namesShown"), ["", "all"], few ? "" : "all", (v) =>
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
function counted(entry: Confusion): Mix {
  const names = entry.names.map(([zh, en]) => (inChinese() ? zh : en));
  const key = (gold: number, name: number) => gold * names.length + name;
  const chosen = new Map(entry.pairs.map(([gold, name, n]) => [key(gold, name), n]));
  const offered = new Map<number, number>();
  const [all, silent, said] = [0, 1, 2].map((): number[] => Array(names.length).fill(0));
  for (const offer of entry.offers)
    for (const [gold, n] of offer.gold) {
      all[gold] += n;
      for (const name of offer.options) offered.set(key(gold, name), (offered.get(key(gold, name)) ?? 0) + n);
    }
  for (const [gold, n] of entry.silent) silent[gold] += n;
  for (const [, name, n] of entry.pairs) said[name] += n;
  return {
    ...{ names, all, silent, said },
    wrong: entry.pairs.filter(([gold, name]) => gold !== name).sort((a, b) => b[2] - a[2]) as Mix["wrong"],
    chosen: (gold, name) => chosen.get(key(gold, name)) ?? 0,
    offered: (gold, name) => offered.get(key(gold, name)) ?? 0,
  };
}

/** The names that are right or chosen most often, in the ontology's order. */
const frequent = (mix: Mix): number[] =>
  mix.names
    .map((_, i) => i)
    .sort((a, b) => mix.all[b] + mix.said[b] - mix.all[a] - mix.said[a] || a - b)
    .slice(0, MOST_NAMES)
    .sort((a, b) => a - b);

/** All confusions, the most frequent first. */
function mixTable(mix: Mix, title: string) {
  const sheet: Sheet = {
    name: "confusions",
    title: `${title} · ${t("asTable")}`,
    columns: [
      { heading: t("rightName") },
      { heading: t("chosenName") },
      { heading: t("timesHead"), kind: "count" },
      { heading: t("offeredHead"), kind: "count" },
      { heading: "%", kind: "percent", digits: 0 },
    ],
    rows: mix.wrong.map(([gold, name, n]) => {
      const offered = mix.offered(gold, name);
      return { cells: [mix.names[gold], mix.names[name], n, offered, n / offered] };
    }),
    look: "robust mixtable",
  };
  return h(
    "details",
    { class: "numbers" },
    h("summary", null, t("confusionNumbers")),
    sheetNode(sheet, { id: "confusions", heading: null }),
  );
}
