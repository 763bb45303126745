// The state of the page: all choices of a person. Only actions.ts and address.ts write it, and the address holds all of it.

/** The sorting of the overview. `key`: a column's key, `BY_RANK`, or "" to sort by name. */
export interface Sort {
  key: string;
  down: boolean;
}
/** The key that sorts by mean rank. */
export const BY_RANK = "rank";
type First = string | number | boolean | string[] | Sort;

/** All choices that a person can make, each with [its name in the address, its first value]. */
export const CHOICES = {
  metric: ["metric", ""],
  metricChoice: ["by", ""],
  byTask: ["metrics", []],
  variant: ["prompt", "paper"],
  shots: ["shots", 0],
  scoring: ["scoring", "generate"],
  perturb: ["perturb", "none"],
  split: ["split", "test"],
  intervals: ["ci", true],
  letters: ["groups", true],
  published: ["paper", true],
  adapters: ["adapters", false],
  sort: ["sort", { key: BY_RANK, down: false }],
  // Filters
  find: ["find", ""],
  size: ["size", ""],
  tags: ["tags", []],
  onlyBenchmark: ["benchmark", ""],
  onlySet: ["set", ""],
  onlyTasks: ["tasks", []],
  // Charts
  picked: ["highlight", []],
  // Pickers of sections. `picks` has one text for each picked value in sections that are drawn from sheets: SECTION.FIELD.VALUE.
  picks: ["pick", []],
  wayTask: ["scorings.task", ""],
  waySet: ["scorings.set", ""],
  judgeWho: ["judge", ""],
  judgeMetric: ["judge.metric", ""],
  judgeTask: ["judge.task", ""],
  judgeSet: ["judge.set", ""],
  statusModel: ["status.model", ""],
  statusSet: ["status.set", ""],
  issues: ["status.amiss", false],
  signatureSet: ["signatures.set", ""],
  sheets: ["sheets", []],
  unfolded: ["open", []],
  parts: ["parts", ""],
  // Choices for one cell's items
  filter: ["show", "all"],
  query: ["search", ""],
} satisfies Record<string, [string, First]>;

/** The type of a choice's values, made from the type of its first value. */
type Like<V> = V extends boolean ? boolean : V extends never[] ? string[] : V extends Sort ? Sort : V;
export type Choice = keyof typeof CHOICES;
export type State = { [K in Choice]: Like<(typeof CHOICES)[K][1]> };
/** The choices whose values are of a type. */
export type ChoiceOf<V> = { [K in Choice]: State[K] extends V ? K : never }[Choice];

/** Choices that filter the page. */
export const FILTERS: Choice[] = ["find", "size", "tags", "onlyBenchmark", "onlySet", "onlyTasks"];
/** Choices that belong to one cell's items. */
export const OF_ITEMS: Choice[] = ["filter", "query"];

/** The first values of some choices, or of all. */
export const firsts = (names = Object.keys(CHOICES) as Choice[]) =>
  Object.fromEntries(names.map((name) => [name, structuredClone(CHOICES[name][1] as First)])) as State;

export const state = firsts();

/** The value picked in a section; `key`: the section and the field, with a dot between. */
export const pickedIn = (key: string): string | undefined =>
  state.picks.find((x) => x.startsWith(`${key}.`))?.slice(key.length + 1);
