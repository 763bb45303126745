// The words of the pages in Chinese and English, from files words.json: key -> [Chinese, English].
import { store } from "./storage.ts";
import shared from "./words.json" with { type: "json" };

/** A text in both languages: [Chinese, English]. */
type Both = string[];
export type Words = Record<string, Both>;

const words = new Map<string, Both>(Object.entries(shared));
const language = { now: "zh" };
let redraw = () => {};

/** Add a page's own words; they replace shared words of the same key. */
export function addWords(more: Words) {
  for (const [key, both] of Object.entries(more)) words.set(key, both);
}
export const inChinese = () => language.now === "zh";
export const hasWord = (key: string) => words.has(key);
/** The words of a key in the page's language, with `{0}`, `{1}` … filled in; the key itself if it has no words. */
export function t(key: string, ...args: (string | number)[]): string {
  const text = words.get(key)?.[inChinese() ? 0 : 1] ?? key;
  return text.replace(/\{(\d+)\}/g, (gap, i) => String(args[i] ?? gap));
}
export const colon = () => (inChinese() ? "：" : ": ");
/** Words joined by the list separator of the page's language. */
export const listed = (words: string[]) => words.join(inChinese() ? "、" : ", ");
/** Sentences joined to a text: with a space between English ones, with nothing between Chinese ones. */
export const sentences = (...all: (string | false | null | undefined)[]) =>
  all.filter(Boolean).join(inChinese() ? "" : " ");
/** A message of a page that may not know its language yet; its text in words.json has both languages. */
export const inBoth = (key: string) => words.get(key)?.[0] ?? key;

const languageInAddress = () =>
  new URLSearchParams(location.hash.slice(1)).get("lang") ?? new URLSearchParams(location.search).get("lang");
export function readLanguage() {
  const wish = languageInAddress() ?? store.get("lang") ?? navigator.language ?? "";
  language.now = wish.toLowerCase().startsWith("zh") ? "zh" : "en";
}
/** Set the function that redraws the page after the person has chosen the other language. */
export function onLanguage(draw: () => void) {
  redraw = draw;
}
export function switchLanguage() {
  const lang = inChinese() ? "en" : "zh";
  store.set("lang", lang);
  if (languageInAddress()) {
    const params = new URLSearchParams(location.hash.slice(1));
    params.set("lang", lang);
    location.replace(`#${params}`);
  }
  language.now = lang;
  redraw();
}
