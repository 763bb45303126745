// Keyboard shortcuts. A person can turn off the shortcuts that are a single letter or sign, as WCAG 2.1.4 demands.
import { h } from "./dom.ts";
import { store } from "./storage.ts";

/** A key's name, drawn as a key. */
export const keycap = (name: string) => h("kbd", null, name);

export const lettersOn = () => store.get("keys") !== "off";
export const switchLetters = () => store.set("keys", lettersOn() ? "off" : "on");

/** The key of an event if it is a shortcut; "" with Ctrl, Alt or Meta, and for letters and signs while they are turned off. */
export function shortcut(event: KeyboardEvent): string {
  if (event.altKey || event.ctrlKey || event.metaKey) return "";
  return event.key.length > 1 || lettersOn() ? event.key : "";
}
