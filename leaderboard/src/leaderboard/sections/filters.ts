// The bar of filters, which chooses the models, tasks and sets on the page.
import { button, byId, checkbox, copyButton, h, labelledSelect, withFocusKey } from "../../common/dom.ts";
import { menu } from "../../common/menu.ts";
import { plain } from "../../common/text.ts";
import { colon, t } from "../../common/words.ts";
import { choose, chooseBenchmark, clearFilters, findModels } from "../actions.ts";
import { picker, searchField } from "../controls.ts";
import { benchmarkNamed, benchmarksHere, data, manyBenchmarks, models, taskOf } from "../data.ts";
import { allSets, passesFilters, SIZES, sizeOf, tasksOffered } from "../filters.ts";
import { setTitle, taskName } from "../names.ts";
import { CHOICES, FILTERS, state } from "../state.ts";
import type { Model } from "../types.ts";

export function filterBar() {
  if (!data.cells.length) return null;
  const offered = [...models.values()].filter((m) => state.adapters || !m.adapter);
  const tags = [...new Set(offered.flatMap((m) => m.tags))].sort();
  const taskNames = tasksOffered().map((x) => x.name);
  const on = FILTERS.some((name) => String(state[name]) !== String(CHOICES[name][1]));
  return h(
    "div",
    { class: "controls filters", role: "search", "aria-label": t("filters") },
    offered.length > 1 && withFocusKey("find", searchBox()),
    sizePicker(offered),
    tags.length > 1 && tickMenu("tags", t("tags"), tags, "tags", plain),
    benchmarkPicker(),
    taskNames.length > 1 && tickMenu("tasks", t("task"), taskNames, "onlyTasks", (x) => taskName(taskOf(x))),
    setPicker(),
    on && [
      h(
        "span",
        { class: "muted", role: "status" },
        t("modelsShown", offered.filter(passesFilters).length, offered.length),
      ),
      withFocusKey("clear", h("span", null, button(t("clear"), clearFilters, { class: "small" }))),
    ],
    h(
      "span",
      { class: "push" },
      copyButton(() => location.href, t("copyLink"), t("copyLink")),
    ),
  );
}

function sizePicker(offered: Model[]) {
  const there = new Set(offered.filter((m) => !m.baseline).map(sizeOf));
  const sizes = [...SIZES.map(([name]) => name), "?"].filter((x) => there.has(x) || x === state.size);
  const words = (size: string) => (size === "?" ? t("unknown") : size || t("all"));
  return sizes.length > 1 && picker("size", t("sizes"), ["", ...sizes], state.size, words);
}

function setPicker() {
  const sets = allSets();
  const words = (set: string) => (set ? setTitle(set) : t(sets.length > 2 ? "all" : "allSets"));
  return sets.length > 1 && picker("onlySet", t("set"), ["", ...sets], state.onlySet, words);
}

function benchmarkPicker() {
  const names = ["", ...benchmarksHere().map((b) => b.name)];
  const words = (name: string) => benchmarkNamed(name)?.title ?? t("all");
  return (
    manyBenchmarks() &&
    withFocusKey("benchmark", labelledSelect(t("benchmark"), names, state.onlyBenchmark, chooseBenchmark, words))
  );
}

function searchBox() {
  const search = (text: string) => {
    findModels(text);
    // The redrawn field has its caret at the start.
    byId<HTMLInputElement>("find")?.setSelectionRange(text.length, text.length);
  };
  return h("span", { class: "field" }, searchField("find", t("findModels"), state.find, search));
}

/** A menu of boxes to tick; no tick means all. It stays open after a tick. */
function tickMenu(
  id: string,
  label: string,
  values: string[],
  name: "tags" | "onlyTasks",
  words: (value: string) => string,
) {
  const chosen = state[name];
  const pick = (value: string, yes: boolean) => values.filter((x) => (x === value ? yes : chosen.includes(x)));
  const box = (value: string) =>
    checkbox(words(value), chosen.includes(value), (yes) => choose(name, pick(value, yes)));
  return menu(
    `${label}${colon()}${chosen.length ? `${chosen.length} / ${values.length}` : t("all")}`,
    label,
    values.map((value) => withFocusKey(`${id}-${value}`, box(value))),
    { id: `choose-${id}`, open: Boolean(byId<HTMLDetailsElement>(`choose-${id}`)?.open) },
  );
}
