// A matrix of what was chosen for what.
import { s } from "../../common/dom.ts";
import { num, pct, sumOf } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";

export const MOST_NAMES = 15,
  SQUARE = { wide: 42, high: 28 };

export const widthOf = (text) => [...text].reduce((sum, c) => sum + (c > "\u2e80" ? 12 : 6.6), 0);

/** Rows: names that were right; columns: all names shown, then the others together, no choice, and how many replies. */
export function matrix(mix, shown, title) {
  const rows = shown.filter((i) => mix.all[i] > 0),
    rest = (gold) => mix.all[gold] - mix.silent[gold] - sumOf(shown.map((i) => mix.chosen(gold, i)));
  const others = rows.some((i) => rest(i) > 0),
    nothing = rows.some((i) => mix.silent[i] > 0),
    label = (i) => plain(mix.names[i]);
  const columns = [
    ...shown.map((i) => ({ text: label(i), of: (gold) => mix.chosen(gold, i), name: i })),
    others && { text: t("otherNames"), of: rest },
    nothing && { text: t("nothing"), of: (gold) => mix.silent[gold] },
  ].filter(Boolean);
  const longest = Math.max(...columns.map((c) => widthOf(c.text))),
    left = 12 + Math.max(widthOf(t("rightName")), ...rows.map((i) => widthOf(label(i)))),
    top = 20 + 0.72 * longest;
  const gap = (n) => (n >= shown.length ? 8 : 0),
    x = (n) => left + n * SQUARE.wide + gap(n),
    y = (n) => top + n * SQUARE.high,
    right = x(columns.length) + 8;
  const width = Math.ceil(right + Math.max(52, 0.72 * longest + 8)),
    height = Math.ceil(y(rows.length) + 6);
  const square = (gold, column, at, line) => {
    const n = column.of(gold),
      share = mix.all[gold] ? n / mix.all[gold] : 0,
      isName = column.name !== undefined,
      possible = !isName || mix.offered(gold, column.name) > 0;
    if (!possible) return null;
    const words = isName
      ? t(
          "pairIs",
          label(gold),
          column.text,
          num(n),
          num(mix.all[gold]),
          pct(share),
          num(mix.offered(gold, column.name)),
        )
      : `${label(gold)} → ${column.text}: ${num(n)} / ${num(mix.all[gold])} (${pct(share)} %)`;
    // Shades in between would leave neither dark nor light figures readable.
    const shade = share > 0.5 ? 0.76 + 0.24 * share : 0.06 + 0.8 * share;
    return s(
      "g",
      {
        class: `square${share > 0.5 ? " full" : ""}${n ? "" : " none"}`,
        "data-gold": label(gold),
        "data-name": column.text,
      },
      s("title", null, words),
      s("rect", {
        class: "ground",
        x: x(at) + 1,
        y: y(line) + 1,
        width: SQUARE.wide - 2,
        height: SQUARE.high - 2,
        rx: 3,
      }),
      n > 0 &&
        s("rect", {
          class: "shade",
          x: x(at) + 1,
          y: y(line) + 1,
          width: SQUARE.wide - 2,
          height: SQUARE.high - 2,
          rx: 3,
          opacity: shade.toFixed(2),
        }),
      column.name === gold &&
        s("rect", {
          class: "frame",
          x: x(at) + 1,
          y: y(line) + 1,
          width: SQUARE.wide - 2,
          height: SQUARE.high - 2,
          rx: 3,
        }),
      s(
        "text",
        { x: x(at) + SQUARE.wide / 2, y: y(line) + SQUARE.high / 2 + 4, "text-anchor": "middle" },
        n > 0 && share < 0.005 ? "<1" : pct(share, 0),
      ),
    );
  };
  const summary =
    mix.wrong
      .slice(0, 5)
      .map((w) => mixedWords(mix, w))
      .join("; ") || t("noMixed");
  return s(
    "svg",
    {
      class: "plot matrix",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `${title}. ${summary}`,
    },
    columns.map((c, n) =>
      s(
        "text",
        { class: "head", transform: `translate(${x(n) + SQUARE.wide / 2 - 2} ${top - 6}) rotate(-45)` },
        c.text,
      ),
    ),
    s("text", { class: "corner", x: left - 8, y: top - 6, "text-anchor": "end" }, t("rightName")),
    s("text", { class: "corner", x: right, y: top - 6 }, t("repliesHead")),
    rows.map((gold, line) => [
      s("text", { class: "head", x: left - 8, y: y(line) + SQUARE.high / 2 + 4, "text-anchor": "end" }, label(gold)),
      columns.map((c, at) => square(gold, c, at, line)),
      s("text", { class: "head", x: right, y: y(line) + SQUARE.high / 2 + 4 }, num(mix.all[gold])),
    ]),
  );
}

export const mixedWords = (mix, [gold, name, n]) =>
  t(
    "mixed",
    plain(mix.names[gold]),
    plain(mix.names[name]),
    num(n),
    num(mix.offered(gold, name)),
    pct(n / mix.offered(gold, name), 0),
  );
