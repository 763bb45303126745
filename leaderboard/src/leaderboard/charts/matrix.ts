// A matrix of what was chosen for what.
import { num, pct, sumOf } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { group, image, label, said, square, squares } from "./marks.ts";

/** Names, and how often each was right, chosen or offered where another was right, or nothing was chosen. */
export interface Mix {
  names: string[];
  all: number[];
  silent: number[];
  said: number[];
  /** [right, chosen, how often], the most frequent first. */
  wrong: [number, number, number][];
  chosen: (gold: number, name: number) => number;
  offered: (gold: number, name: number) => number;
}
interface Column {
  text: string;
  of: (gold: number) => number;
  name?: number;
}

export const MOST_NAMES = 15;
const SIDE = { wide: 42, high: 28 };

export const mixedWords = (mix: Mix, [gold, name, n]: [number, number, number]): string => {
  const offered = mix.offered(gold, name);
  return t("mixed", plain(mix.names[gold]), plain(mix.names[name]), num(n), num(offered), pct(n / offered, 0));
};

/** All names shown, then the others together and no choice, where there are such. */
function columnsOf(mix: Mix, shown: number[], rows: number[]): Column[] {
  const rest = (gold: number) => mix.all[gold] - mix.silent[gold] - sumOf(shown.map((i) => mix.chosen(gold, i)));
  const named = shown.map((i) => ({ text: plain(mix.names[i]), of: (gold: number) => mix.chosen(gold, i), name: i }));
  const others = { text: t("otherNames"), of: rest };
  const nothing = { text: t("nothing"), of: (gold: number) => mix.silent[gold] };
  return [...named, ...[others, nothing].filter((column) => rows.some((gold) => column.of(gold) > 0))];
}

/** Rows: names that were right; columns: what was chosen, and how many replies. */
export function matrix(mix: Mix, shown: number[], title: string): SVGElement {
  const rows = shown.filter((i) => mix.all[i] > 0);
  const columns = columnsOf(mix, shown, rows);
  const names = rows.map((i) => plain(mix.names[i]));
  const heads = columns.map((c) => c.text);
  const place = squares(names, heads, SIDE, t("rightName"), shown.length);
  const right = place.right + 8;
  const one = (row: number, at: number) => {
    const [gold, column] = [rows[row], columns[at]];
    const n = column.of(gold);
    const share = mix.all[gold] ? n / mix.all[gold] : 0;
    if (column.name !== undefined && !mix.offered(gold, column.name)) return null;
    // Shades in between would leave neither dark nor light figures readable.
    const shade = share > 0.5 ? 0.76 + 0.24 * share : 0.06 + 0.8 * share;
    const layers: [string, string?][] = [["ground"]];
    if (n > 0) layers.push(["shade", shade.toFixed(2)]);
    if (column.name === gold) layers.push(["frame"]);
    return group(
      `square${share > 0.5 ? " full" : ""}${n ? "" : " none"}`,
      { "data-gold": names[row], "data-name": column.text },
      said(
        wordsOf(mix, gold, column),
        square(place.x(at), place.y(row), SIDE, layers, n > 0 && share < 0.005 ? "<1" : pct(share, 0)),
      ),
    );
  };
  const mixed = mix.wrong.slice(0, 5).map((w) => mixedWords(mix, w));
  return image(
    "matrix",
    [Math.ceil(right + Math.max(52, place.lean + 8)), Math.ceil(place.bottom + 6)],
    `${title}. ${mixed.join("; ") || t("noMixed")}`,
    place.heads,
    label(right, place.top - 6, t("repliesHead"), "start", { class: "corner" }),
    rows.map((gold, row) => [
      columns.map((_, at) => one(row, at)),
      label(right, place.y(row) + SIDE.high / 2 + 4, num(mix.all[gold]), "start", { class: "head" }),
    ]),
  );
}

function wordsOf(mix: Mix, gold: number, { text, of, name }: Column): string {
  const [right, n, all] = [plain(mix.names[gold]), of(gold), mix.all[gold]];
  const share = pct(all ? n / all : 0);
  if (name === undefined) return `${right} → ${text}: ${num(n)} / ${num(all)} (${share} %)`;
  return t("pairIs", right, text, num(n), num(all), share, num(mix.offered(gold, name)));
}
