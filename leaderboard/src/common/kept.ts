// Work kept in this browser, as JSON.
import { store } from "./storage.ts";

/** Is anything kept here at all? Some browsers do not let pages from files. */
export function canKeep() {
  store.set("kept", "1");
  return store.get("kept") === "1";
}
/** The value kept under a name, or `otherwise`. */
export function recalled<T>(name: string, otherwise: T): T {
  try {
    return JSON.parse(store.get(name) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}
