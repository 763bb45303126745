// What can become of a request, and how a model can be asked.

export const STATUSES = [
  "parsed",
  "unparsed",
  "refused",
  "truncated",
  "several",
  "conflict",
  "empty",
  "filtered",
  "failed",
  "missing",
];
export const NO_ANSWER = STATUSES.slice(1, 8);
export const SCORINGS = ["generate", "constrained", "labels", "texts"];
