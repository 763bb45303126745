// A person's work: entries gone through one after the other, kept in this browser under the hash of the data and the
// person's name, exported and imported as JSONL.
import { $, byId } from "../dom.ts";
import { save } from "../files.ts";
import { recalled } from "../kept.ts";
import { store, stored } from "../storage.ts";
import { t } from "../words.ts";
import type { Undo } from "./undo.ts";

/** A page's functions for its entries, which are identified by their index. */
export interface Job {
  shelf: string; // what this browser keeps of it is under this name
  file: string; // the exported file's name, before the annotator's
  size: number;
  done: (at: number) => boolean;
  undo: Pick<Undo<never>, "size" | "clear" | "takeBack">;
  settings: Record<string, boolean>; // kept with the place
  takeUp: () => void; // what the annotator has done before, or nothing
  arrived?: () => void; // another entry is to be shown
  draw: () => void;
  keys: () => Map<string, () => void>; // those of the entry on screen
  lines: () => string[]; // of the export
  take: (lines: unknown[]) => number; // imported ones; how many were taken
  toMend?: () => number;
}

export const work = { annotator: "", at: 0, said: "", keeps: true };

export let job: Job;
export function begin(made: Job) {
  job = made;
}

const shelf = (more: string) => [job.shelf, work.annotator, more].filter(Boolean).join(".");

/** Keep something of the annotator's, under a name if there is more of it than one. */
export function keep(value: unknown, name = "") {
  const text = JSON.stringify(value);
  store.set(shelf(name), text);
  work.keeps = store.get(shelf(name)) === text;
}

export const keptWork = <T>(otherwise: T, name = "") => recalled(shelf(name), otherwise);

export const keepPlace = () =>
  store.set(job.shelf, JSON.stringify({ annotator: work.annotator, at: work.at, ...job.settings }));

/** The person who worked on this last, and their entry. The settings are restored. */
export function lastPlace() {
  const { annotator = "", at = 0, ...settings } = recalled<Partial<typeof work>>(job.shelf, {});
  const known = Object.entries(settings).filter(([name, on]) => name in job.settings && typeof on === "boolean");
  Object.assign(job.settings, Object.fromEntries(known));
  return { annotator, at };
}

export function takeUp(annotator: string) {
  work.annotator = annotator;
  job.undo.clear();
  job.takeUp();
}

/** Whether the browser keeps the annotator's work under this name. */
export const isKept = (name: string | null) => work.annotator !== "" && Boolean(name?.startsWith(stored(shelf(""))));

/** Take up what another tab of the same page has kept: written from here alone, it would be lost. */
export function takeUpAgain() {
  takeUp(work.annotator);
  place(work.at);
  draw();
}

/** Draw anew. Who goes from button to button by keyboard stays where they are, or at the entry if that is gone. */
export function draw() {
  const focused = document.activeElement,
    id = focused?.matches(":focus-visible:not([type=text])") ? focused.id : "";
  job.draw();
  for (const name of [id, "output"])
    if (id && document.activeElement === document.body) byId(name)?.focus({ preventScroll: true });
}

/** Be at an entry, which is not drawn yet. */
export function place(at: number, said = "") {
  work.at = Math.max(0, Math.min(job.size - 1, Math.trunc(at) || 0));
  work.said = said;
  job.arrived?.();
}

export function moveTo(at: number, said = "") {
  place(at, said);
  keepPlace();
  draw();
  scrollTo(0, 0);
}

/** The first entry from a place on, and round, that is not done; -1 if all are. */
export function openFrom(at: number) {
  for (let i = 0; i < job.size; i++) {
    const place = (at + i) % job.size;
    if (!job.done(place)) return place;
  }
  return -1;
}

export function nextOpen() {
  const at = openFrom(work.at + 1);
  if (at >= 0) moveTo(at);
}

export function takeBack() {
  const at = job.undo.takeBack();
  const said = t(at === null ? "nothingToUndo" : "undone");
  if (at !== null && at !== work.at) {
    moveTo(at, said);
    return;
  }
  work.said = said;
  draw();
}

/** The objects of lines; null for a line that holds none. */
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

/** Take lines of an exported file in place of what is here, as far as they are of this work. */
export function importText(text: string) {
  const lines = objectsOf(text),
    taken = job.take(lines),
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
