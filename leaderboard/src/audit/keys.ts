// The keys of the keyboard and the marks that they set.
import { markOf } from "./marks.ts";
import { isListed, isQuestion, kindOf, othersOf, scales } from "./state.ts";
import type { Entry, Mark } from "./types.ts";

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const DIGITS = [..."123456789"];

/** Key -> the mark that it sets on an entry. Options take precedence: if (n) is an option, the key of "none" is the capital N. */
export function keysOf(entry: Entry) {
  const keys = new Map<string, Mark>();
  const offer = (key: string, change: Mark) => keys.has(key) || keys.set(key, change);
  if (isListed(entry)) {
    for (const [key, said] of optionKeys(entry.labels)) offer(key, { said });
    for (const said of othersOf(entry)) {
      offer(said[0], { said });
      offer(said[0].toUpperCase(), { said });
    }
  } else if (!isQuestion(entry)) {
    offer("y", { right: true });
    offer("x", { right: false });
    offer("n", { right: false });
    const scale = asked(entry);
    if (scale) for (let i = scale.low; i <= scale.high; i++) offer(String(i), { [scale.name]: i });
  }
  return keys;
}

/** The keys that choose options: [key, label]. A label of one letter or digit is its own key. If no label is a digit, 1 is also the key
 *  of the first option, 2 of the second …; if no label is a letter, so are a, b … */
function optionKeys(labels: string[]) {
  const names = labels.map((x) => x.replace(/^[(（]|[)）]$/g, "").toLowerCase()),
    named = names.map((name, i) => [name, labels[i]]).filter(([name]) => /^[a-z0-9]$/.test(name)),
    counted = (signs: string[]) => signs.slice(0, labels.length).map((sign, i) => [sign, labels[i]]);
  return [
    ...named,
    ...(names.some((x) => /^[0-9]$/.test(x)) ? [] : counted(DIGITS)),
    ...(names.some((x) => /^[a-z]$/.test(x)) ? [] : counted(LETTERS)),
  ];
}

/** The first key that sets a mark; "" if there is none. */
export const keyFor = (keys: Map<string, Mark>, name: string, value: unknown) =>
  [...keys].find(([, change]) => change[name] === value)?.[0] ?? "";

/** The scale that the digit keys score: the first without a score, or the only one. */
export function asked(entry: Entry) {
  const mark = markOf(entry);
  if (kindOf(entry) !== "text" || mark.right === undefined) return undefined;
  return scales().find((x) => mark[x.name] === undefined) ?? (scales().length === 1 ? scales()[0] : undefined);
}
