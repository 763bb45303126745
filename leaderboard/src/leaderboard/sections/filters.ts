// The bar of filters: which models, tasks and sets are on the page.
import { button, byId, check, choice, copyButton, h, kept } from "../../common/dom.ts";
import { menu } from "../../common/menu.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { choose, chooseBenchmark, clearFilters, findModels } from "../actions.ts";
import { picker } from "../controls.ts";
import { benchmarkOf, benchmarksHere, data, everyTask, manyBenchmarks, models, taskOf } from "../data.ts";
import { CHOICES, FILTERS, state } from "../state.ts";
import { admitted, allSets, SIZES, setTitle, sizeOf, taskName } from "../view.ts";

export function filterBar() {
  if (!data.cells.length) return null;
  const own = [...models.values()].filter((m) => state.adapters || !m.adapter);
  const there = new Set(own.filter((m) => !m.baseline).map(sizeOf));
  const sizes = [...SIZES.map(([name]) => name), "?"].filter((x) => there.has(x) || x === state.size);
  const tags = [...new Set(own.flatMap((m) => m.tags))].sort();
  const offered = everyTask.filter((x) => !state.onlyBenchmark || benchmarkOf(x).name === state.onlyBenchmark);
  const on = FILTERS.some((name) => String(state[name]) !== String(CHOICES[name][1]));
  return h(
    "div",
    { class: "controls filters", role: "search", "aria-label": t("filters") },
    own.length > 1 && kept("find", searchBox()),
    sizes.length > 1 &&
      picker("size", t("sizes"), ["", ...sizes], state.size, (v) =>
        v === "" ? t("all") : v === "?" ? t("unknown") : v,
      ),
    tags.length > 1 && tickMenu("tags", t("tags"), tags, "tags", plain),
    benchmarkPicker(),
    offered.length > 1 &&
      tickMenu(
        "tasks",
        t("task"),
        offered.map((x) => x.name),
        "onlyTasks",
        (x) => taskName(taskOf(x)),
      ),
    allSets().length > 1 &&
      picker("onlySet", t("set"), ["", ...allSets()], state.onlySet, (v) =>
        v ? setTitle(v) : t(allSets().length > 2 ? "all" : "allSets"),
      ),
    on && [
      h("span", { class: "muted", role: "status" }, t("modelsShown", own.filter(admitted).length, own.length)),
      kept("clear", h("span", null, button(t("clear"), clearFilters, { class: "small" }))),
    ],
    h(
      "span",
      { class: "push" },
      copyButton(() => location.href, t("copyLink"), t("copyLink")),
    ),
  );
}

let typing: ReturnType<typeof setTimeout> | undefined;

function searchBox() {
  const look = (e: Event) => {
    clearTimeout(typing);
    if ("isComposing" in e && e.isComposing) return; // Chinese half typed: drawing now would take the input away
    const input = e.currentTarget as HTMLInputElement;
    typing = setTimeout(() => {
      findModels(input.value);
      const box = byId<HTMLInputElement>("find");
      box?.setSelectionRange(box.value.length, box.value.length);
    }, 150);
  };
  return h(
    "span",
    { class: "field" },
    h("input", {
      type: "search",
      id: "find",
      value: state.find,
      placeholder: t("findModels"),
      "aria-label": t("findModels"),
      oninput: look,
      oncompositionend: look,
    }),
  );
}

/** A menu of boxes to tick; none ticked is all. It stays open while they are. */
function tickMenu(
  id: string,
  label: string,
  values: string[],
  name: "tags" | "onlyTasks",
  words: (value: string) => string,
) {
  const chosen = state[name];
  const pick = (v: string, yes: boolean) =>
    choose(
      name,
      values.filter((x) => (x === v ? yes : chosen.includes(x))),
    );
  return menu(
    `${label}: ${chosen.length ? `${chosen.length} / ${values.length}` : t("all")}`,
    label,
    values.map((v) =>
      kept(
        `${id}-${v}`,
        check(words(v), chosen.includes(v), (yes) => pick(v, yes)),
      ),
    ),
    { id: `choose-${id}`, open: Boolean(byId<HTMLDetailsElement>(`choose-${id}`)?.open) },
  );
}

function benchmarkPicker() {
  return (
    manyBenchmarks() &&
    kept(
      "benchmark",
      choice(t("benchmark"), ["", ...benchmarksHere().map((b) => b.name)], state.onlyBenchmark, chooseBenchmark, (v) =>
        v ? (data.benchmarks.find((b) => b.name === v)?.title ?? v) : t("all"),
      ),
    )
  );
}
