// Statuses of a request, and scorings of a model.
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
