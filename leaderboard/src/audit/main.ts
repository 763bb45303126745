// Starts the audit page.

import { startWork } from "../common/annotator/page.ts";
import { startPage } from "../common/frame.ts";
import { complete, importLines, linesOf, loadMarks, undo } from "./marks.ts";
import { drawPage, keys } from "./page.ts";
import { data, load, settings } from "./state.ts";
import words from "./words.json" with { type: "json" };

startPage(words, load, () => {
  const job = {
    storageKey: `audit.${data.sample}`,
    file: data.name,
    size: data.outputs.length,
    settings,
    undo,
    keys,
    done: (at: number) => complete(data.outputs[at]),
    load: loadMarks,
    draw: drawPage,
    lines: linesOf,
    importLines,
  };
  startWork(job, words, data.answering ? "answer" : "");
});
