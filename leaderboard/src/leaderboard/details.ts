// Details beside a value: leaked items, estimates, signs of contamination, the statuses of its replies. Also lazy folds.
import { fill, h, type Kid, type Props } from "../common/dom.ts";
import { num, pct } from "../common/numbers.ts";
import { t } from "../common/words.ts";
import { rememberFold } from "./actions.ts";
import { counts, data } from "./data.ts";
import { state } from "./state.ts";
import { STATUSES } from "./statuses.ts";
import type { Cell, Flag } from "./types.ts";

export const hasLeakedItems = (cell: Cell) => (cell.facts?.leaked ?? 0) > 0 && !cell.facts.drop_leaked;

/** The number of asked items. `items` of a cell counts requests: every sample and every rotation of an item is one. */
function itemsAsked(cell: Cell): number {
  const { failed, missing } = counts(cell);
  const scored = Object.values(cell.metrics ?? {})[0]?.n;
  return scored && failed + missing === 0 ? scored : cell.items / (cell.facts?.samples ?? 1);
}

/** A note on asked items whose dialogue is also in the training split; "" if there are none. With --limit, earlier versions counted
 *  such items of the whole file. */
export function leakNote(cell: Cell) {
  const leaked = cell.facts?.leaked ?? 0;
  const asked = itemsAsked(cell) + (cell.facts?.drop_leaked ? leaked : 0);
  if (!leaked) return "";
  const files = Object.values(data.runs[cell.run]?.manifest?.data ?? {});
  const file = files.find((f) => f?.sha256 === cell.facts.data);
  const whole = leaked > asked || cell.facts.limit == null;
  const all = whole ? (file?.items ?? asked) : asked;
  return t(!hasLeakedItems(cell) ? "leakedDropped" : leaked > asked ? "leakedLimit" : "leaked", num(leaked), num(all));
}

// ---- estimates: cells in which only some items were asked
/** A flag for an estimated figure: the number of items asked, out of all. */
export const estimateFlag = ({ estimate }: Cell): Flag | null =>
  estimate ? { text: t("estimateN", num(estimate.asked), num(estimate.of)), title: estimateSentence(estimate) } : null;

/** Short words beside an estimated figure in a chart, which has no room for a flag; "" if none of the cells is estimated. */
export const estimateWords = (cells: (Cell | undefined)[]): string => {
  const flags = cells.flatMap((cell) => (cell && estimateFlag(cell)) ?? []);
  return flags.length ? ` · ${flags.length === 1 ? flags[0].text : "≈"}` : "";
};

export function estimateSentence(estimate: NonNullable<Cell["estimate"]>): string {
  const [asked, of] = [num(estimate.asked), num(estimate.of)];
  if (estimate.method === "subset") return t("estimateSubset", asked, of);
  if (estimate.method === "anchors") {
    const caution = estimate.beyond || (estimate.otherwise ?? []).length > 0 ? t("estimateCaution") : "";
    return t("estimateAnchors", asked, of, num(estimate.models ?? 0), pct(estimate.error ?? 0)) + caution;
  }
  if (!estimate.margin) return t("estimateRanked", asked, of);
  return t(
    estimate.reached ? "estimateTold" : "estimateOpen",
    asked,
    of,
    String(Math.round(10000 * estimate.margin) / 100),
  );
}

// ---- statuses and signs
/** The significant tests of contamination of a cell: signs that the model was trained on the file with its items. */
export function contaminationSigns(cell: Cell) {
  const rows = data.runs[cell.run]?.contamination; // earlier versions wrote none
  const here = ["model", "task", "set", "split"] as const;
  return (Array.isArray(rows) ? rows : []).filter(
    (row) => row && here.every((name) => row[name] === cell[name]) && (row.p_holm ?? 1) < 0.05,
  );
}

/** The numbers of a cell's requests by status: "parsed 167 · refused 6". Statuses that this page does not know, from files of later
 *  versions, are written as they are. */
export function statusWords(cell: Cell) {
  const n = counts(cell);
  const known = STATUSES.filter((x) => n[x] > 0).map((x) => `${t(x)} ${num(n[x])}`);
  const others = Object.entries(cell.status ?? {}).filter(([x]) => !(STATUSES as readonly string[]).includes(x));
  return [...known, ...others.map(([x, k]) => `${x} ${num(k)}`)].join(" · ");
}

/** A note on the number of replies without an answer, which may explain a score of 0; "" if all replies have an answer. */
export const unansweredNote = (cell: Cell | undefined) =>
  cell && counts(cell).none > 0
    ? ` · ${num(counts(cell).none)}/${num(cell.items - (cell.missing ?? 0))} ${t("noAnswer")}`
    : "";

/** A stacked bar of the shares of statuses; its numbers are in the text beside it or in its title. */
export function statusBar(cell: Cell) {
  const n = counts(cell);
  const words = statusWords(cell);
  return h(
    "span",
    { class: "stack", role: "img", "aria-label": words, title: words },
    STATUSES.filter((x) => n[x] > 0).map((x) => {
      const part = h("i", { class: `s-${x}` });
      part.style.flexGrow = String(n[x]);
      return part;
    }),
  );
}

/** A fold whose content is drawn when it is first opened; the state remembers whether it is open. */
export function lazyFold(key: string, summary: Kid, draw: () => Kid, props: Props<HTMLDetailsElement> = {}) {
  const node = h("details", { class: "unfold", "data-unfold": key, ...props }, h("summary", null, summary));
  const show = () => {
    if (node.childElementCount === 1) fill(node, null, [draw()]);
  };
  node.open = state.unfolded.includes(key);
  if (node.open) show();
  node.addEventListener("toggle", () => {
    if (node.open) show();
    rememberFold(key, node.open);
  });
  return node;
}
