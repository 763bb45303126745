// Texts: hidden characters are shown as marks, names are shortened to fit.

// Characters that are shown as marks. Control, format (bidi, zero width), private-use and lone surrogate characters would reorder
// the page or be invisible; noncharacters are not allowed in XML, and so not in saved SVG files.
export const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\u2028\u2029]/u;

export const codePoint = (char: string) => `U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;

/** A text whose hidden characters are replaced by their codes, such as U+202E: for attributes and SVG. */
export const plain = (text: string) =>
  HIDDEN.test(text) ? Array.from(text, (c) => (HIDDEN.test(c) ? codePoint(c) : c)).join("") : text;

const SPEAKER = /^\s*([^:：\s]{1,12})[:：]\s?/;

/** A turn of a dialogue: its speaker ("" if none is named), the characters up to the speech, the speech. */
export function splitTurn(turn: string) {
  const [start, speaker] = SPEAKER.exec(turn) ?? ["", ""];
  return { speaker, start, text: turn.slice(start.length) };
}

/** The language of a text, for fonts and screen readers. */
export const langOf = (text: string) => (/\p{Script=Han}/u.test(text) || !/[a-z]{2}/i.test(text) ? "zh-CN" : "en");

/** A name, without its middle if it is very long. The page's address contains names in this form, since browsers cut long addresses off. */
export const brief = (name: string) =>
  name.length <= 200
    ? name
    : `${[...name.slice(0, 120)].slice(0, -1).join("")}…${[...name.slice(-60)].slice(1).join("")}`;

export const oneLine = (parts: string[]) => plain(parts.join("")).replace(/\s+/g, " ").trim();

/** The estimated width of a text in a chart, in pixels. */
export const textWidth = (text: string) => [...text].reduce((sum, c) => sum + (c > "\u2e80" ? 11.5 : 6.4), 0);

/** A name, without its middle if it is wider than `room` pixels: beginnings and ends distinguish models. */
export function shortened(text: string, room: number) {
  const all = [...plain(text)];
  if (textWidth(all.join("")) <= room) return all.join("");
  for (let keep = all.length - 1; keep > 4; keep--) {
    const [first, last] = [Math.ceil(keep * 0.6), Math.floor(keep * 0.4)];
    const tried = `${all.slice(0, first).join("")}…${all.slice(all.length - last).join("")}`;
    if (textWidth(tried) <= room) return tried;
  }
  return `${all.slice(0, 3).join("")}…`;
}
