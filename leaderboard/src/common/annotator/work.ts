// A person's work on a list of entries. The browser stores it under the hash of the data and the person's name; it is exported
// and imported as JSONL.
import { $, byId } from "../dom.ts";
import { save } from "../files.ts";
import { prefixed, store, storedValue } from "../storage.ts";
import { t } from "../words.ts";
import type { Undo } from "./undo.ts";

/** A page's list of entries, with the functions that the shared code calls for them. `at`: the index of an entry. */
export interface Job {
  storageKey: string; // the beginning of the keys under which the browser stores the work
  file: string; // the beginning of the exported file's name; the annotator's name follows
  size: number;
  done: (at: number) => boolean;
  undo: Pick<Undo<never>, "size" | "clear" | "takeBack">;
  settings: Record<string, boolean>; // the person's settings; the browser stores them with the index of the entry
  load: () => void; // loads the annotator's stored work
  onEntry?: () => void; // called when another entry is shown
  draw: () => void;
  keys: () => Map<string, () => void>; // the keys of the entry on screen
  lines: () => string[]; // the lines of the export
  importLines: (lines: unknown[]) => number; // takes imported lines; returns the number of lines taken
  countErrors?: () => number; // counts the broken rules in all entries
}

export const work = { annotator: "", at: 0, message: "", isStored: true };

export let job: Job;
export function setJob(next: Job) {
  job = next;
}

const keyOf = (more: string) => [job.storageKey, work.annotator, more].filter(Boolean).join(".");

/** Store a part of the annotator's work; `name` distinguishes the parts. */
export function storeWork(value: unknown, name = "") {
  const text = JSON.stringify(value);
  store.set(keyOf(name), text);
  work.isStored = store.get(keyOf(name)) === text;
}

/** The stored part of the annotator's work with a name, or `otherwise` if there is none. */
export const storedWork = <T>(otherwise: T, name = "") => storedValue(keyOf(name), otherwise);

export const storeEntry = () =>
  store.set(job.storageKey, JSON.stringify({ annotator: work.annotator, at: work.at, ...job.settings }));

/** Restore the settings of the last annotator. Returns the annotator and the index of their last entry. */
export function restoreLast() {
  const { annotator = "", at = 0, ...settings } = storedValue<Partial<typeof work>>(job.storageKey, {});
  const known = Object.entries(settings).filter(([name, on]) => name in job.settings && typeof on === "boolean");
  Object.assign(job.settings, Object.fromEntries(known));
  return { annotator, at };
}

export function loadWork(annotator: string) {
  work.annotator = annotator;
  job.undo.clear();
  job.load();
}

/** Whether a key of the browser's storage belongs to the annotator's work. */
export function isOwnKey(name: string | null) {
  const own = prefixed(keyOf(""));
  return work.annotator !== "" && (name === own || Boolean(name?.startsWith(`${own}.`)));
}

/** Load the work that another tab of the same page has stored; otherwise this tab would overwrite it. */
export function reloadWork() {
  loadWork(work.annotator);
  setEntry(work.at);
  draw();
}

/** Redraw the page. The focus stays on the focused button, or moves to the entry if that button is gone. */
export function draw() {
  const focused = document.activeElement,
    id = focused?.matches(":focus-visible:not([type=text])") ? focused.id : "";
  job.draw();
  for (const name of [id, "output"])
    if (id && document.activeElement === document.body) byId(name)?.focus({ preventScroll: true });
}

/** Make an entry the current one, without drawing it. */
export function setEntry(at: number, message = "") {
  work.at = Math.max(0, Math.min(job.size - 1, Math.trunc(at) || 0));
  work.message = message;
  job.onEntry?.();
}

export function moveTo(at: number, message = "") {
  setEntry(at, message);
  storeEntry();
  draw();
  scrollTo(0, 0);
}

/** The index of the first open entry from `at` on, then from the start; -1 if all are done. */
export function openFrom(at: number) {
  for (let i = 0; i < job.size; i++) {
    const index = (at + i) % job.size;
    if (!job.done(index)) return index;
  }
  return -1;
}

export function nextOpen() {
  const at = openFrom(work.at + 1);
  if (at >= 0) moveTo(at);
}

export function takeBack() {
  const at = job.undo.takeBack();
  const message = t(at === null ? "nothingToUndo" : "undone");
  if (at !== null && at !== work.at) {
    moveTo(at, message);
    return;
  }
  work.message = message;
  draw();
}

/** The JSON value of each line that is not blank; null for a line that is no JSON. */
export function objectsOf(text: string): unknown[] {
  const parsed = (line: string): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      return null;
    }
  };
  return text
    .split("\n")
    .filter((line) => line.trim())
    .map(parsed);
}

/** Replace entries by the lines of an exported file that belong to this work. */
export function importText(text: string) {
  const lines = objectsOf(text),
    taken = job.importLines(lines),
    left = lines.length - taken;
  job.undo.clear();
  moveTo(work.at, t("imported", taken) + (left ? t("refusedLines", left) : ""));
}

export function exportWork() {
  const name = work.annotator.replace(/[^\p{L}\p{N}_-]+/gu, "-");
  const lines = job.lines().map((line) => `${line}\n`);
  save(`${job.file}.${name}.jsonl`, new Blob(lines, { type: "application/jsonl" }));
}

const COMMANDS = new Map<string, () => void>([
  ...["ArrowRight", "j"].map((key) => [key, () => moveTo(work.at + 1)] as const),
  ...["ArrowLeft", "k"].map((key) => [key, () => moveTo(work.at - 1)] as const),
  ...["u", "Backspace"].map((key) => [key, takeBack] as const),
  [" ", nextOpen],
  ["?", () => $<HTMLDialogElement>("help").showModal()],
]);

/** The action of a key: the entry's own keys come first. */
export const actionOf = (key: string) => job.keys().get(key) ?? COMMANDS.get(key);
