// The cell whose evidence is on screen; null while the overview is.
import type { Cell } from "../types.ts";

export let open: Cell | null = null;
export function setOpen(cell: Cell | null) {
  open = cell;
}
