// Sections that are drawn from the sheets of analyses: what to pick of them, their charts, and their tables.
import { choice, h, type Kid, kept, visible } from "../../common/dom.ts";
import { t } from "../../common/words.ts";
import { modelKeys } from "../charts/looks.ts";
import { frequent, MOST_NAMES, matrixBox, matrixOf } from "../charts/matrix.ts";
import { savers } from "../charts/picture.ts";
import { lineLegend, linePanel, linesShown, MOST_LINES, panelsOf } from "../charts/sheet_lines.ts";
import { models } from "../data.ts";
import { unfold } from "../details.ts";
import { inWords, titleOf } from "../tables/figures.ts";
import { narrowed, type Pick, pickOf, pickWords } from "../tables/narrow.ts";
import { foundIn, sheetNode, sheetsOf } from "../tables/sheet.ts";
import type { Sheet, Words } from "../types.ts";

/** A section with the charts of some analyses, and their tables; null where nothing of them is in view. `id` is also the key of
 *  its title and its note. Tables of the analyses `whole` stand above with all of their rows, whatever is picked for the charts. */
export function drawCharted(id: string, analyses: string[], whole: string[] = []): Kid {
  const { sheets, picks } = narrowed(id, analyses);
  const above = sheetsOf(({ analysis = "" }) => whole.includes(analysis)).flatMap((sheet, n) => {
    const node = sheetNode(sheet, { id: `${sheet.name}-${n + 1}` });
    return node ? [{ sheet, node }] : [];
  });
  if (!sheets.length && !above.length) return null;
  const title = [t(id), ...picks.map(({ field, value }) => pickWords(field, value))].join(" · ");
  const drawn = sheets.filter(({ chart }) => chart);
  const charts = `${id}-charts`;
  const save = drawn.length > 0 && savers(charts, title);
  return h(
    "section",
    { class: "block", id },
    h("div", { class: "titled" }, h("h2", null, t(id)), !above.length && save),
    foundIn([...above.map(({ sheet }) => sheet), ...sheets]),
    above.map(({ node }) => node),
    above.length > 0 && save,
    drawn.length > 0 && h("p", { class: "note" }, t(`${id}Note`)),
    h("div", { class: "controls" }, picks.filter(isOpen).map(picker(id, pickWords))),
    lineCharts(
      charts,
      drawn.filter(({ chart }) => chart?.kind === "lines"),
    ),
    matrices(
      id,
      drawn.filter(({ chart }) => chart?.kind === "matrix"),
    ),
    notesOf(analyses).map((note) => h("p", { class: "note" }, visible(inWords(note)))),
    drawn.length > 0 &&
      unfold(`tables-${id}`, t("asTable"), () => tables(drawn.map((sheet) => ({ ...sheet, notes: [] })))),
    tables(sheets.filter(({ chart }) => !chart)),
  );
}

/** The notes on charts: one sheet of an analysis has those of all, and it may be out of view. */
function notesOf(analyses: string[]): Words[] {
  const drawn = sheetsOf(({ analysis = "", chart }) => chart !== undefined && analyses.includes(analysis));
  return [...new Map(drawn.flatMap(({ notes = [] }) => notes.map((note) => [inWords(note), note] as const))).values()];
}

const isOpen = ({ values }: Pick) => values.length > 1;

/** The words of fields that are picked. */
const FIELDS: Record<string, string> = {
  run: "run",
  model: "model",
  task: "task",
  set: "set",
  basis: "basis",
  names: "namesShown",
};

const picker =
  (id: string, words: (field: string, value: string) => string) =>
  ({ field, values, value, choose }: Pick): Kid =>
    kept(
      `${id}-${field}`,
      choice(t(FIELDS[field] ?? field), values, value, choose, (x) => words(field, x)),
    );

/** A panel for each block of each sheet; a legend of all lines. */
function lineCharts(box: string, sheets: Sheet[]): Kid {
  if (!sheets.length) return null;
  const panels = sheets.flatMap(panelsOf);
  const shown = linesShown(panels);
  const ids = [...new Set(panels.flatMap(({ lines }) => lines.flatMap(({ model }) => model ?? [])))];
  return [
    ids.length > 1 && modelKeys([...models.keys()].filter((id) => ids.includes(id))),
    ids.length > MOST_LINES && h("p", { class: "note" }, t("bestShown", MOST_LINES, ids.length)),
    h(
      "div",
      { class: "panels curves", id: box },
      panels.map((panel) => linePanel(panel, shown)),
      lineLegend(panels, shown),
    ),
  ];
}

/** A matrix a sheet; of many names those that stand most often in it, unless all are asked for. */
function matrices(id: string, sheets: Sheet[]): Kid {
  if (!sheets.length) return null;
  const all = sheets.map((sheet) => ({ sheet, matrix: matrixOf(sheet) }));
  const most = Math.max(...all.map(({ matrix }) => matrix.weights.size));
  const pick = pickOf(id, "names", ["", "all"], "");
  const words = (_: string, value: string) => (value ? t("allNames", most) : t("mostNames", MOST_NAMES));
  const few = (matrix: (typeof all)[number]["matrix"]) =>
    pick.value || most <= MOST_NAMES ? matrix : frequent(matrix);
  return [
    most > MOST_NAMES && h("div", { class: "controls" }, picker(id, words)(pick)),
    h(
      "div",
      { id: `${id}-charts` },
      all.map(({ sheet, matrix }) => [
        h("p", { class: "note" }, visible(titleOf(sheet))),
        matrixBox(few(matrix), sheet, t(id)),
      ]),
    ),
  ];
}

const tables = (sheets: Sheet[]): Kid =>
  sheets.map((sheet, n) => sheetNode(sheet, { id: sheets.length > 1 ? `${sheet.name}-${n + 1}` : sheet.name }));
