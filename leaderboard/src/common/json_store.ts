// Values that the browser stores as JSON.
import { store } from "./storage.ts";

/** Whether this browser lets the page store values; some refuse it to pages opened from files. */
export function canStore() {
  store.set("kept", "1");
  return store.get("kept") === "1";
}
/** The value stored under a name, or `otherwise` if there is none. */
export function storedValue<T>(name: string, otherwise: T): T {
  try {
    return JSON.parse(store.get(name) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}
