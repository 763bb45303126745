// The page's names of tasks, sets, perturbations and settings.
import { pct } from "../common/numbers.ts";
import { hasWord, inChinese, listed, t } from "../common/words.ts";
import { benchmarkOf, data, manyBenchmarks, perturbation, setsOn } from "./data.ts";
import { state } from "./state.ts";
import type { Benchmark, Place, Task } from "./types.ts";

export const ownName = (task: Task) => (inChinese() ? task.zh : task.en);
export const taskName = (task: Task) =>
  (manyBenchmarks() && task.benchmark ? `${benchmarkOf(task).title} · ` : "") + ownName(task);

/** A benchmark's word for its sets. */
export const setWord = (b: Benchmark) => (inChinese() ? b.sets_zh : b.sets_en);

const benchmarkWith = (set: string) => data.benchmarks.find((b) => setsOn(b).includes(set));

const namesOf = (set: string, of = benchmarkWith(set) ?? data.benchmarks[0]) =>
  of.set_names[set] ?? { zh: set, en: set, title_zh: set };

/** A set's short name: EASY, 困难, fold 3, v1; for null, that of the mean over sets. `of`: the set's benchmark, which is needed if the
 *  page may lack the set. */
export function setLabel(set: string | null, of?: Benchmark) {
  if (set === null) return t("meanHead");
  return inChinese() ? namesOf(set, of).zh : namesOf(set, of).en;
}

/** A set's name in a heading. The Chinese one includes the name in papers and in options of commands: 困难（HARD）. */
export function setHeading(set: string, of?: Benchmark) {
  return inChinese() ? namesOf(set, of).title_zh : namesOf(set, of).en;
}

/** A set's name with its benchmark's name before it, if the page has several benchmarks. */
export function setTitle(set: string, of = benchmarkWith(set)) {
  return (manyBenchmarks() && of ? `${of.title} · ` : "") + setHeading(set, of);
}

/** The CSS class that gives a set its colour, by its index in the benchmark. */
export function setClass(set: string | null, task: Task) {
  const benchmark = benchmarkOf(task);
  const all = [...new Set([...benchmark.sets, ...setsOn(benchmark)])];
  return `set${set === null ? 1 : all.indexOf(set) % 6}`;
}

export const publishedNote = (b: Benchmark) => (inChinese() ? b.published_zh : b.published_en);

export const perturbName = (name: string) =>
  name === "none"
    ? t("perturbNone")
    : inChinese()
      ? `${perturbation(name).zh}（${name}）`
      : `${name} · ${perturbation(name).en}`;

/** The chosen settings in words, for captions. */
export const viewWords = () => settingWords(state);

export const settingWords = (x: Partial<Pick<Place, "split" | "variant" | "shots" | "scoring" | "perturb">>) =>
  [
    hasWord(`split.${x.split}`) ? t(`split.${x.split}`) : x.split,
    x.variant !== undefined && t("variantIs", x.variant),
    x.shots !== undefined && (x.shots === 0 ? t("zeroShot") : t("nShots", x.shots)),
    x.scoring !== undefined && t("scoringIs", t(x.scoring)),
    x.perturb !== undefined && x.perturb !== "none" && perturbName(x.perturb),
  ]
    .filter(Boolean)
    .join(inChinese() ? "，" : ", ");

/** The sources of published figures in the page's language: "Tables 2, 3, section 5". A file or a web page is called by its name. */
export function sourceWords(all: string[]): string {
  const names = [...new Set(all)];
  const numbersOf = (kind: string) => names.filter((x) => x.startsWith(kind)).map((x) => x.slice(kind.length));
  const tables = numbersOf("Table ");
  const rest = names.filter((x) => !/^(Table|Section) /.test(x));
  const sections = numbersOf("Section ").map((x) => t("section", x));
  return listed([...(tables.length ? [t("table", listed(tables))] : []), ...sections, ...rest]) || "–";
}

/** The levels of chance of a task's sets in words. Sets whose items have different numbers of options have different levels. */
export const chanceWords = (levels: number[]) => t("chanceIs", listed([...new Set(levels.map((x) => pct(x)))]));
