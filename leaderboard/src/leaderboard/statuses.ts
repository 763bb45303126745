// The statuses of requests and the scorings of models, in the order in which the page lists them.

// biome-ignore format: a list of names
export const STATUSES = [
  "parsed", "unparsed", "refused", "truncated", "several", "conflict", "empty", "filtered", "failed", "missing",
] as const;
export type Status = (typeof STATUSES)[number];
/** The statuses of replies that were received but have no answer: unparsed to filtered. */
export const NO_ANSWER: Status[] = STATUSES.slice(1, 8);
export const SCORINGS = ["generate", "constrained", "labels", "texts"];
