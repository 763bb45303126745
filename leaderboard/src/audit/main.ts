// Starts the audit page.

import { startWork } from "../common/annotator/page.ts";
import { startPage } from "../common/frame.ts";
import { complete, linesOf, takeLines, takeUpMarks, undo } from "./marks.ts";
import { drawPage, keys } from "./page.ts";
import { data, load, settings } from "./state.ts";
import words from "./words.json" with { type: "json" };

startPage(words, load, () => {
  const job = {
    shelf: `audit.${data.sample}`,
    file: data.name,
    size: data.outputs.length,
    settings,
    undo,
    keys,
    done: (at: number) => complete(data.outputs[at]),
    takeUp: takeUpMarks,
    draw: drawPage,
    lines: linesOf,
    take: takeLines,
  };
  startWork(job, words, data.answering ? "answer" : "");
});
