// Keys of the keyboard that do something by themselves. Those of one letter or sign can be turned off (WCAG 2.1.4).
import { h } from "./dom.ts";
import { store } from "./storage.ts";

/** A key, as a page names it. */
export const key$ = (name: string) => h("kbd", null, name);

export const lettersOn = () => store.get("keys") !== "off";
export const switchLetters = () => store.set("keys", lettersOn() ? "off" : "on");

/** The key that a person pressed as a shortcut; "" if it is none: with Ctrl, Alt or Meta, or a letter while those are off. */
export function shortcut(event: KeyboardEvent): string {
  if (event.altKey || event.ctrlKey || event.metaKey) return "";
  return event.key.length > 1 || lettersOn() ? event.key : "";
}
