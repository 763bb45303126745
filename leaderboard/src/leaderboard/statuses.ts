// The statuses of requests and the scorings of models, in the order in which the page lists them.
import type { Status } from "./types.ts";

export const STATUSES: Status[] = [
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
