// The evidence on screen: the cell, the listed entries, the open entry.
import { cellRoute, go, route } from "../address.ts";
import type { Cell } from "../types.ts";
import { entryOf, idAt } from "./shards.ts";

/** The cell whose evidence is on screen; null while the overview is. */
export let open: Cell | null = null;
export function setOpen(cell: Cell | null) {
  open = cell;
}

/** The listed entries: those that pass the filter and contain the searched words. */
export let shown: number[] = [];
export function setShown(entries: number[]) {
  shown = entries;
}

/** The entry of a cell that the address names; undefined if it names none that the cell has. */
export function current() {
  const id = route().get("item");
  return open && id !== null ? entryOf(open, id) : undefined;
}

/** Open an entry of a cell. `replace`: the browser's back button skips the entry that was open. */
export const openEntry = (cell: Cell, entry: number, replace = false) =>
  go({ ...cellRoute(cell), item: idAt(cell, entry) }, replace);

/** Open an entry of the cell on screen. */
export function step(entry: number) {
  if (open) openEntry(open, entry, route().has("item"));
}

/** Open the entry that is `by` lines further in the list. */
export function move(by: number) {
  const at = shown.indexOf(current() ?? -1);
  const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
  if (next !== undefined) step(next);
}
