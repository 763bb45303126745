// Starts the annotation page.

import { startWork } from "../common/annotator/page.ts";
import { startPage } from "../common/frame.ts";
import { drawPage, keys } from "./page.ts";
import { countErrors, current, importLines, isDone, isTouched, lineOf, loadRows, rows, undo } from "./rows.ts";
import { data, firstState, load, state } from "./state.ts";
import words from "./words.json" with { type: "json" };

startPage(words, load, () => {
  const job = {
    storageKey: `annotate.${data.hash}`,
    file: data.name,
    size: data.dialogues.length,
    settings: {},
    undo,
    keys,
    countErrors,
    done: (at: number) => isDone(rows[at]),
    load: loadRows,
    onEntry: () => Object.assign(state, firstState, { of: current().annotations.length ? 0 : -1 }),
    draw: drawPage,
    lines: () => rows.filter(isTouched).map(lineOf),
    importLines,
  };
  startWork(job, words, data.inspect ? "inspect" : "", data.annotator);
});
