// The cell whose evidence is on screen; null while the overview is.

export let open = null;
export function setOpen(cell) {
  open = cell;
}
