// Starts the annotation page.

import { startWork } from "../common/annotator/page.ts";
import { startPage } from "../common/frame.ts";
import { drawPage, keys } from "./page.ts";
import { current, done, line, rows, takeLines, takeUpRows, toMend, touched, undo } from "./rows.ts";
import { data, firstState, load, state } from "./state.ts";
import words from "./words.json" with { type: "json" };

startPage(words, load, () => {
  const job = {
    shelf: `annotate.${data.hash}`,
    file: data.name,
    size: data.dialogues.length,
    settings: {},
    undo,
    keys,
    toMend,
    done: (at: number) => done(rows[at]),
    takeUp: takeUpRows,
    arrived: () => Object.assign(state, firstState, { of: current().annotations.length ? 0 : -1 }),
    draw: drawPage,
    lines: () => rows.filter(touched).map(line),
    take: takeLines,
  };
  startWork(job, words, data.inspect ? "inspect" : "", data.annotator);
});
