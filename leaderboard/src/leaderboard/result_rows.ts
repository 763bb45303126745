// The note of a point on its cell's replies.
import { num } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import { counts } from "./data.ts";
import type { Cell } from "./types.ts";

/** A note on the number of replies without an answer, which may be the reason of a score of 0. */
export const unansweredNote = (cell: Cell | undefined) =>
  cell && counts(cell).none > 0
    ? ` · ${num(counts(cell).none)}/${num(cell.items - (cell.missing ?? 0))} ${t("noAnswer")}`
    : "";
