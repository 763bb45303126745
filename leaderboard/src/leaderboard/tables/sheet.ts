// Draws sheets, which are tables as data (common/sheet.py, types.ts), of any analysis.
import { button, forScreenReaders, h, type Kid, para, section, setChildren, withFocusKey } from "../../common/dom.ts";
import { whenIdle } from "../../common/idle.ts";
import { isNumber, num } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { inChinese, t } from "../../common/words.ts";
import { rememberFold, sheetSort, sortBy, sortSheet } from "../actions.ts";
import { cellRoute, go } from "../address.ts";
import { cellOfAbout, data, modelId, models } from "../data.ts";
import { isShown, passesFilters, passesTaskFilters } from "../filters.ts";
import { settingWords, viewWords } from "../names.ts";
import { state } from "../state.ts";
import type { About, Cell, DataAttributes, Order, Sheet, SheetColumn, SheetRow } from "../types.ts";
import { type Block, blocksOf, marksOf, type Rank, ranksOf, type SheetView, sorted } from "./blocks.ts";
import { cellNodes, headingFlag, headingNodes, nameOf, rangeNode } from "./cells.ts";
import { alikeFrom, asValue, cellText, inWords, isDrawn, isFigure, isRightAligned, titleOf } from "./figures.ts";
import { tableSavers } from "./frame.ts";
import { printed } from "./print.ts";

/** The sheets of all runs that `wanted` accepts, each with the index of its run. */
export const sheetsOf = (wanted: (sheet: Sheet) => boolean): Sheet[] =>
  data.runs.flatMap((run: { sheets?: Sheet[] }, i: number) =>
    (run.sheets ?? []).filter(wanted).map((sheet) => ({ ...sheet, run: i })),
  );

/** Whether the subject of a sheet, row or column is in view; an empty subject always is. `compares`: fields whose values the
 *  sheet compares; the chosen settings hide none of these values. */
export function aboutInView(about: About, run: number, compares: string[] = []): boolean {
  const model = about.model !== undefined && models.get(modelId(run, about.model));
  const { set, task } = about;
  const asked = (["split", "variant", "shots"] as const).filter((k) => !compares.includes(k));
  return (
    asked.every((k) => about[k] === undefined || about[k] === state[k]) &&
    (!model || (compares.includes("model") ? passesFilters(model) : isShown(model))) &&
    (set === undefined || !state.onlySet || set === state.onlySet) &&
    (task === undefined || passesTaskFilters({ set: set ?? state.onlySet, task }))
  );
}

/** The part of a sheet in view, with its rows in the chosen order; null if it is empty. Sheets that the page made
 *  (`run` is undefined) are always in view. */
function viewOf(sheet: Sheet, id: string): SheetView | null {
  const { run } = sheet;
  const seen = (x: { about?: About }): boolean =>
    run === undefined || aboutInView({ ...sheet.about, ...x.about }, run, sheet.compares);
  const indices = sheet.columns.map((_, i) => i).filter((i) => i === 0 || seen(sheet.columns[i]));
  const blocks = blocksOf(sheet.rows.filter(seen));
  if (!blocks.length || indices.length < 2) return null;
  const shared = sheet.columns.some(({ sortKey }) => sortKey !== undefined);
  const order = shared ? null : (sheetSort(id) ?? sheet.order ?? null);
  return {
    sheet,
    indices,
    columns: indices.map((i) => sheet.columns[i]),
    blocks: blocks.map((block) => ({ ...block, rows: sorted(block, sheet.columns, order) })),
  };
}

const SETTINGS = ["split", "variant", "shots", "scoring", "perturb"] as const;

/** The settings that all values in view share, in words. Sheets that the page made have the chosen settings. */
export function whereOf({ sheet, columns, blocks }: SheetView): string {
  if (sheet.run === undefined) return viewWords();
  const rows = blocks.flatMap((block) => block.rows);
  const all = rows.flatMap((row) =>
    columns.map((column): About => ({ ...sheet.about, ...row.about, ...column.about })),
  );
  const shared = SETTINGS.filter((name) => new Set(all.map((about) => about[name])).size === 1);
  return settingWords(Object.fromEntries(shared.map((name) => [name, all[0][name]])));
}

type Evidence = (row: SheetRow, column: SheetColumn, index: number) => Cell | null | undefined;

/** A function that finds the cell behind a value: the cell stored with the value, or else the cell at the place that sheet, row and
 *  column are about together. In columns without `about`, only the first figure of a row opens the cell. */
function evidenceOf({ sheet, columns }: SheetView): Evidence {
  const { run } = sheet;
  const first = columns.find(isFigure);
  return (row, column, index) => {
    const ofValue = asValue(row.cells[index]).cell;
    if (ofValue !== undefined || run === undefined || (!column.about && column !== first)) return ofValue;
    return cellOfAbout(run, { ...sheet.about, ...row.about, ...column.about });
  };
}

type Attributes = Record<string, string | number>;

const dataset = (marks: DataAttributes | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(marks ?? {}).map(([name, value]) => [`data-${name}`, plain(value)]));

/** A sheet while its table is drawn. */
interface Drawing extends SheetView {
  rankOf: (row: SheetRow, column: number) => Rank;
  evidence: Evidence;
  /** Whether a row is highlighted. */
  lit: (row: SheetRow) => boolean;
}

function tableNode(
  view: SheetView,
  id: string,
  again: (column: number) => void,
  lit: (row: SheetRow) => boolean,
): Node {
  const { sheet, blocks } = view;
  const drawing = { ...view, lit, rankOf: ranksOf(sheet), evidence: evidenceOf(view) };
  const look = sheet.look ?? (sheet.columns.some(({ shade }) => shade) ? "robust heats" : "robust sheet");
  return h(
    "table",
    {
      class: `${look}${isNarrow(view) ? " few" : isWide(view) ? " many" : ""}${isStacked(view) ? " stacked" : ""}`,
      "data-sheet": sheet.name,
      ...dataset(sheet.marks),
    },
    h("thead", null, headRows(view, id, again)),
    blocks.map((block) => blockNode(drawing, block)),
  );
}

/** Whether a table has so few figures that over the whole width they would stand far from their names. */
const isNarrow = ({ columns }: SheetView): boolean =>
  columns.length < 5 && !columns.some((column) => column.range || isDrawn(column) || column.kind === "code");

/** Whether a table has so many columns that their headings have to be narrow. */
const isWide = ({ columns }: SheetView): boolean => columns.length + columns.filter(({ range }) => range).length > 9;

/** Whether so many columns have intervals that the intervals stand below the values. */
const isStacked = ({ columns }: SheetView): boolean =>
  columns.length > 6 &&
  columns.filter((column) => isFigure(column) && (column.interval ?? "beside") === "beside").length > 2;

function blockNode(drawing: Drawing, block: Block): Node {
  const look = block.apart ? "apart" : block.part;
  const key = block.group?.folds;
  const folded = key !== undefined && !state.unfolded.includes(key);
  const rows = () => block.rows.map((row) => valueRow(drawing, row, block.apart ? "muted" : drawing.lit(row) && "lit"));
  const node = h(
    "tbody",
    { class: `${look}${folded ? " folded" : ""}` || false, "data-folds": key, ...dataset(marksOf(block)) },
    block.group && groupRow(drawing, block.group),
    !folded && rows(),
  );
  if (folded) whenIdle(() => node.append(...rows())); // folded rows cannot be seen yet
  return node;
}

function groupRow(drawing: Drawing, row: SheetRow): Node {
  const { columns, indices, evidence } = drawing;
  const width = columns.reduce((sum, { range }) => sum + (range ? 2 : 1), -1);
  const words = headingNodes(columns[0], row.cells[0], null);
  const rest = (column: SheetColumn, i: number): Kid => {
    const index = indices[i];
    const cell = row.cells[index];
    const context = {
      column: { ...column, interval: "beside" as const },
      rank: "" as const,
      evidence: evidence(row, column, index),
      names: "",
    };
    return [column.range && h("td"), h("td", { class: isRightAligned(column) && "v" }, cellNodes(context, cell))];
  };
  return h(
    "tr",
    { class: "group" },
    h("th", { scope: "rowgroup" }, row.folds ? folder(row.folds, words) : words),
    row.cells.length > 1 ? columns.slice(1).map((column, i) => rest(column, i + 1)) : h("td", { colspan: width }),
  );
}

/** A heading that folds the rows below it, in every table that has the same key. */
function folder(key: string, words: Kid): Node {
  const flip = (): void => {
    const open = !state.unfolded.includes(key);
    rememberFold(key, open);
    for (const rows of document.querySelectorAll(`tbody[data-folds="${key}"]`)) {
      rows.classList.toggle("folded", !open);
      rows.querySelector("[aria-expanded]")?.setAttribute("aria-expanded", String(open));
    }
  };
  return button(words, flip, { class: "folder", "aria-expanded": String(state.unfolded.includes(key)) });
}

function valueRow(drawing: Drawing, row: SheetRow, look: string | false): Node {
  const { columns, indices, evidence, rankOf } = drawing;
  const name = cellText(columns[0], row.cells[0]).text;
  const item = row.about?.item;
  // A row about an item opens the item, even if it has no figure.
  const figure = columns.findIndex(isFigure);
  const [column, at] = figure >= 0 ? [columns[figure], indices[figure]] : [{ ...columns[0], about: {} }, indices[0]];
  const reply = item !== undefined && evidence(row, column, at);
  const open = reply ? () => go({ ...cellRoute(reply), item }) : null;
  const value = (column: SheetColumn, index: number): Kid => {
    const cell = row.cells[index];
    const heard = [inWords(column.over), column.spoken ?? inWords(column.heading)].filter(Boolean).join(", ");
    const context = {
      column,
      rank: rankOf(row, index),
      evidence: evidence(row, column, index),
      names: `${name}, ${heard}`,
    };
    const node = h("td", { class: isRightAligned(column) && "v", ...dataset(column.marks) }, cellNodes(context, cell));
    if (column.shade) shade(node, column.shade, asValue(cell).value);
    if (column.kind === "bars") node.classList.add("inplot");
    return [column.range && h("td", { class: "inplot" }, rangeNode(column, cell)), node];
  };
  return h(
    "tr",
    { class: look, ...dataset(row.marks) },
    h("th", { scope: "row" }, headingNodes(columns[0], row.cells[0], open)),
    columns.slice(1).map((column, i) => value(column, indices[i + 1])),
  );
}

/** Shade a change: the larger it is, the darker. */
function shade(node: HTMLElement, most: number, value: unknown): void {
  if (!isNumber(value)) {
    node.classList.add("zero");
    return;
  }
  node.classList.add("heat", value < 0 ? "worse" : "better");
  node.style.setProperty("--share", `${Math.round((42 * Math.abs(value)) / most)}%`);
}

/** One row of headings, or two if some stand over several columns. */
function headRows(view: SheetView, id: string, again: (column: number) => void): Kid {
  const { sheet, columns, indices } = view;
  const shared = { id, fixed: Boolean(sheet.fixed), hyphens: isWide(view), first: sheet.order, again };
  const head = (column: SheetColumn, more: Attributes = {}): Kid =>
    headCell(column, { ...shared, index: indices[columns.indexOf(column)] }, more);
  const overs = columns.map((column) => inWords(column.over));
  if (!overs.some(Boolean)) return h("tr", null, ...columns.map((column) => head(column)));
  const upper = columns.map((column, i) => {
    if (!overs[i]) return head(column, { rowspan: 2 });
    if (overs[i] === overs[i - 1]) return null;
    return h("th", { scope: "colgroup", colspan: alikeFrom(overs, i) }, overs[i]);
  });
  const lower = columns.filter((_, i) => overs[i]).map((column) => head(column));
  return [h("tr", null, upper), h("tr", null, lower)];
}

const ARROWS = { ascending: "▴", descending: "▾", none: "" };

interface Sorting {
  index: number;
  id: string;
  fixed: boolean;
  /** Whether long words are hyphenated. */
  hyphens: boolean;
  /** The sheet's sorting until a person chooses another. */
  first?: Order;
  again: (column: number) => void;
}

/** A heading, which sorts by its column if values have an order. A column of values on a range states the range. */
function headCell(column: SheetColumn, sorting: Sorting, more: Attributes): Kid {
  const words = headWords(column, sorting.hyphens);
  const look = { scope: "col", class: isRightAligned(column) && "v", title: column.spoken, ...more };
  const range = column.range?.map(num).join(" – ");
  const drawn = range && h("th", { scope: "col", ...more }, column.rangeHeading ?? range);
  if (!words && !isDrawn(column) && !column.below) return [drawn, h("td", more)]; // an empty heading is no heading cell
  const alone = words ?? (isDrawn(column) && forScreenReaders(t("asBars")));
  if (!words || sorting.fixed || isDrawn(column)) return [drawn, h("th", look, alone, small(column), remarks(column))];
  const order = orderBy(column, sorting);
  const sorter = [h("span", null, words), h("span", { class: "arrow", "aria-hidden": "true" }, ARROWS[order])];
  const { sortKey } = column;
  const by = sortKey === undefined ? { "data-column": sorting.index, title: t("sortBy") } : { "data-sort": sortKey };
  const flip = () => sortAnew(column, sorting);
  const press = button(sorter, flip, { class: "sort", ...by });
  const node = h("th", { ...look, "aria-sort": order }, press, small(column), remarks(column));
  return [drawn, sortKey === undefined ? node : withFocusKey(`sort-${sorting.id}-${sortKey}`, node)];
}

function orderBy({ sortKey }: SheetColumn, { id, index, first }: Sorting): keyof typeof ARROWS {
  const order = sheetSort(id) ?? first;
  const current =
    sortKey === undefined
      ? order && { down: order.down, here: order.column === index }
      : { down: state.sort.down, here: state.sort.key === sortKey };
  if (!current?.here) return "none";
  return current.down ? "descending" : "ascending";
}

function sortAnew(column: SheetColumn, { id, index, first, again }: Sorting): void {
  if (column.sortKey !== undefined) {
    sortBy(column.sortKey);
    return;
  }
  sortSheet(id, index, first?.column === index ? !first.down : isRightAligned(column));
  again(index);
}

/** A heading's words, with possible line breaks at joints of names; null if it has none. */
function headWords({ heading, named }: SheetColumn, hyphens: boolean): Kid {
  const words = inWords(heading);
  if (!words) return null;
  if (named) return [nameOf(words)];
  if (inChinese()) return phrases(words);
  return [words.split("_").map((x, i) => [i > 0 && ["_", h("wbr")], hyphens ? hyphenated(x) : x])];
}

/** A Chinese heading, in which lines break only between words: 常识 知识 填充. */
function phrases(heading: string): Kid {
  const segments = [...new Intl.Segmenter("zh", { granularity: "word" }).segment(heading)];
  return segments.map(({ segment, isWordLike }, i) => [
    // Next to punctuation, the browser decides where a line may break.
    i > 0 && isWordLike && segments[i - 1].isWordLike && h("wbr"),
    segment,
  ]);
}

/** Words that may be hyphenated between two consonants, since long words would make a table wider than the window. */
const hyphenated = (words: string): Kid =>
  words.split(SYLLABLES).map((part, i) => [i > 0 && document.createTextNode("\u00ad"), part]);
const SYLLABLES = /(?<=[a-z]{4}[b-df-hj-np-tv-z])(?=[b-df-hj-np-tv-z][aeiouy][a-z]{2})/i;

/** The second line of a heading, with warnings. It may break before a bracket and after a comma. */
function small({ below, flags = [] }: SheetColumn): Node | false {
  const words = inWords(below);
  const parts = words.split(/\s*(?=[（(])|(?<=,)\s|(?<=，)/).filter(Boolean);
  if (!parts.length && !flags.length) return false;
  return h(
    "small",
    null,
    parts.map((x) => [h("span", { class: "together" }, x), !x.endsWith("，") && " "]),
    flags.map(headingFlag),
  );
}

const remarks = ({ remarks = [] }: SheetColumn): Kid =>
  remarks.map(({ text, grave }) => h("small", { class: `leak${grave ? " warn" : ""}` }, inWords(text)));

interface TableOptions {
  /** The table's name in files and in the address. */
  id?: string;
  /** The content before the menu that exports the table; undefined: the title. */
  heading?: Node | null;
  note?: Node | null;
  /** Whether the table has a limited height, and scrolls within it. */
  tall?: boolean;
  /** The settings for the title in files. */
  where?: string;
  /** Whether a row is highlighted. */
  lit?: (row: SheetRow) => boolean;
}

/** A sheet as a table in a scrolling region, with a menu that exports it; null if none of it is in view. */
export function sheetNode(sheet: Sheet, options: TableOptions = {}): Kid {
  const { id = sheet.name, note = null, tall = false, where, lit = () => false } = options;
  const title = titleOf(sheet);
  const heading = options.heading === undefined ? h("h3", null, title) : options.heading;
  const notes = (sheet.notes ?? []).map((x) => para("note", inWords(x)));
  if (!sheet.columns.length) return [heading, notes];
  if (!viewOf(sheet, id)) return null;
  const look = `scroll${tall ? " tall" : ""}`;
  const box = h("div", { id: `sheet-${id}`, class: look, tabindex: 0, role: "region", "aria-label": title });
  const draw = (): void => {
    const view = viewOf(sheet, id);
    if (view) setChildren(box, tableNode(view, id, again, lit));
  };
  const again = (column: number): void => {
    draw();
    box.querySelector<HTMLElement>(`[data-column="${column}"]`)?.focus();
  };
  draw();
  // An export has the sorting at the moment of the press.
  const view = (): SheetView => viewOf(sheet, id) as SheetView;
  const savers = tableSavers(
    () => printed(view()),
    id,
    title,
    () => where ?? whereOf(view()),
  );
  return [h("div", { class: heading ? "titled" : "tablebar" }, heading, savers), note, box, notes];
}

/** A panel for each block of a sheet, with its caption above its table, and a menu that exports them as one table. */
export function sheetPanels(sheet: Sheet, caption: (block: Block) => Node) {
  const { name } = sheet;
  const view = viewOf(sheet, name) as SheetView;
  const panels = view.blocks.map((block) => {
    const alone = { ...view, blocks: [{ ...block, group: null }] };
    const words = plain(String(asValue(block.group?.cells[0]).value));
    const table = tableNode(alone, name, NOTHING, () => false);
    return h("figure", { class: "panel", "data-block": words }, caption(block), table);
  });
  return {
    panels,
    savers: tableSavers(
      () => printed(view),
      name,
      titleOf(sheet),
      () => whereOf(view),
    ),
  };
}
const NOTHING = () => {};

/** The findings of sheets, a sentence each; a folded section keeps them in view. */
export const findingNodes = (sheets: Sheet[]): Kid =>
  [...new Set(sheets.map(({ finding }) => inWords(finding)))].filter(Boolean).map((words) => para("found", words));

/** The name of a sheet's run, if the page has several. */
export const runNote = ({ run = 0 }: Sheet): Kid =>
  data.runs.length > 1 && para("note", t("run"), " ", h("span", { class: "data" }, data.runs[run].name));

/** A section with the sheets for which `wanted` is true; null if none of them is in view. */
export function sheetSection(id: string, title: string, wanted: (sheet: Sheet) => boolean): Node | null {
  const drawn: Sheet[] = [];
  const nodes = sheetsOf(wanted).flatMap((sheet, n) => {
    const node = sheetNode(sheet, { id: `${sheet.name}-${n + 1}` });
    if (node) drawn.push(sheet);
    return node ? [[runNote(sheet), node]] : [];
  });
  return nodes.length > 0 ? section(id, h("h2", null, title), findingNodes(drawn), nodes) : null;
}
