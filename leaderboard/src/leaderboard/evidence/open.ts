// The evidence on screen: the cell, the listed entries, the open entry.
import { cellRoute, go, route } from "../address.ts";
import type { Cell } from "../types.ts";
import { entryOf, idAt } from "./shards.ts";

/** The cell whose evidence is on screen; null while the overview is. */
export let openCell: Cell | null = null;
export function setOpenCell(cell: Cell | null) {
  openCell = cell;
}

/** The listed entries: those that pass the filter and contain the searched words. */
export let listedEntries: number[] = [];
export function setListedEntries(entries: number[]) {
  listedEntries = entries;
}

/** The entry of a cell that the address names; undefined if it names none that the cell has. */
export function currentEntry() {
  const id = route().get("item");
  return openCell && id !== null ? entryOf(openCell, id) : undefined;
}

/** Open an entry of a cell. `replace`: the browser's back button skips the entry that was open. */
export const openEntry = (cell: Cell, entry: number, replace = false) =>
  go({ ...cellRoute(cell), item: idAt(cell, entry) }, replace);

/** Open an entry of the cell on screen. */
export function openListed(entry: number) {
  if (openCell) openEntry(openCell, entry, route().has("item"));
}

/** Open the entry that is `by` lines further in the list. */
export function moveBy(by: number) {
  const at = listedEntries.indexOf(currentEntry() ?? -1);
  const next = listedEntries[at < 0 ? (by > 0 ? 0 : listedEntries.length - 1) : at + by];
  if (next !== undefined) openListed(next);
}
