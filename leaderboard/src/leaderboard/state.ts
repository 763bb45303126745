// The state of the page: all that a person has chosen, in one place. Only actions.js and address.js write it, and all of
// it stands in the address.

/** What can be chosen: [its name in the address, its value at first]. A first value of `null` is "none chosen yet". */
export const CHOICES = {
  metric: ["metric", "f1"],
  metricChoice: ["by", "accuracy"],
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
  sort: ["sort", { key: "", down: true }],
  // Filters
  find: ["find", ""],
  size: ["size", ""],
  tags: ["tags", []],
  onlyBenchmark: ["benchmark", ""],
  onlySet: ["set", ""],
  onlyTasks: ["tasks", []],
  // Charts
  picked: ["highlight", []],
  // Pickers of sections
  wayTask: ["scorings.task", ""],
  waySet: ["scorings.set", ""],
  robustTask: ["robustness.task", ""],
  robustSet: ["robustness.set", ""],
  sliceTask: ["breakdown.task", ""],
  sliceSet: ["breakdown.set", ""],
  slicePicked: ["breakdown.models", null],
  mixModel: ["confusion.model", ""],
  mixTask: ["confusion.task", ""],
  mixSet: ["confusion.set", ""],
  mixNames: ["confusion.names", ""],
  curvePool: ["curves.pool", ""],
  curveSet: ["curves.set", ""],
  labelPerturb: ["curves.perturb", ""],
  labelSize: ["curves.size", 0],
  judgeWho: ["judge", ""],
  judgeMetric: ["judge.metric", ""],
  judgeTask: ["judge.task", ""],
  judgeSet: ["judge.set", ""],
  corrBasis: ["correlations.of", "items"],
  corrTask: ["correlations.task", ""],
  corrSet: ["correlations.set", ""],
  corrRun: ["correlations.run", ""],
  corrPaper: ["correlations.paper", false],
  statusModel: ["status.model", ""],
  statusSet: ["status.set", ""],
  issues: ["status.amiss", false],
  signatureSet: ["signatures.set", ""],
  sheets: ["sheets", []],
  unfolded: ["open", []],
  // Of one cell's items
  filter: ["show", "all"],
  query: ["search", ""],
};

/** Those that narrow what is on the page. */
export const FILTERS = ["find", "size", "tags", "onlyBenchmark", "onlySet", "onlyTasks"];
/** Those that belong to one cell's items. */
export const OF_ITEMS = ["filter", "query"];

export const state = Object.fromEntries(
  Object.entries(CHOICES).map(([name, [, first]]) => [name, structuredClone(first)]),
);
