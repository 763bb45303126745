// Sections drawn from the sheets of analyses: their pickers, charts and tables.
import { button, div, h, type Kid, labelledSelect, para, section, withFocusKey } from "../../common/dom.ts";
import { hasWord, t } from "../../common/words.ts";
import { modelKeys, pickedOf } from "../charts/looks.ts";
import { panels } from "../charts/marks.ts";
import { frequent, MOST_NAMES, matrixBox, matrixOf } from "../charts/matrix.ts";
import { savers } from "../charts/picture.ts";
import { dotPanels } from "../charts/sheet_dots.ts";
import { lineLegend, linePanel, linesShown, MOST_LINES, panelsOf } from "../charts/sheet_lines.ts";
import { scatterPanels } from "../charts/sheet_scatter.ts";
import { modelOrder } from "../columns.ts";
import { modelId, models, nameNode } from "../data.ts";
import { lazyFold } from "../details.ts";
import { asValue, inWords, numberIn, titleOf } from "../tables/figures.ts";
import { type FieldPicker, pickerOf, pickWords, sectionSheets } from "../tables/section_sheets.ts";
import { findingNodes, runNote, sheetNode, sheetPanels, sheetsOf } from "../tables/sheet.ts";
import type { Sheet, SheetText } from "../types.ts";
import { exportSheets } from "./export.ts";

/** Names of sheets without a chart whose long tables are folded. */
const LONG = new Set(["seeds"]);

/** A section with the charts and tables of some analyses; null if nothing of them is in view. `id` is also the key of its title and
 *  of its note in words.json. Sheets of the same name form a part of the section, which has a heading if words.json has the key
 *  "part.NAME". The sheets of the analyses `whole` stand at the top as tables, with all rows whatever the pickers choose. */
export function drawCharted(id: string, analyses: string[], whole: string[] = []): Kid {
  const { sheets, all, pickers } = sectionSheets(id, analyses);
  const above = sheetsOf(({ analysis = "" }) => whole.includes(analysis)).flatMap((sheet, n) => {
    const node = sheetNode(sheet, { id: `${sheet.name}-${n + 1}` });
    return node ? [{ sheet, node }] : [];
  });
  if (!sheets.length && !above.length) return null;
  const title = [t(id), ...pickers.map(({ field, value }) => pickWords(field, value))].join(" · ");
  const names = [...new Set(sheets.map(({ name }) => name))];
  const parts = names.map((name) => sheets.filter((sheet) => sheet.name === name));
  const headless = parts.find(([sheet]) => sheet.chart && !hasWord(`part.${sheet.name}`));
  const save = headless && savers(`${id}-charts`, title);
  const keys = modelsIn(sheets);
  // If only one of several parts has a picker for a field, the picker stands in that part.
  const isShared = ({ field }: FieldPicker) =>
    parts.length === 1 || parts.filter(([{ chart }]) => chart?.pick?.includes(field)).length > 1;
  return section(
    id,
    div("titled", h("h2", null, t(id)), !above.length && save),
    findingNodes([...above.map(({ sheet }) => sheet), ...sheets]),
    above.map(({ node }) => node),
    above.length > 0 && save,
    sheets.length > 0 && hasWord(`${id}Note`) && para("note", t(`${id}Note`)),
    controls(id, pickers.filter(isShared)),
    pickers.some(({ values }) => values.length > 1) &&
      para(
        "savers",
        button(t("allAsCsv"), () => exportSheets(id, all), { class: "small", "data-all": id }),
      ),
    keys.length > 1 && modelKeys(keys),
    parts.map((mine) => drawPart(id, mine, pickers, isShared)),
  );
}

const controls = (id: string, pickers: FieldPicker[]): Kid =>
  div("controls", pickers.filter(({ shown }) => shown).map(pickerNode(id, pickWords)));

/** The models whose lines and points are in charts, in the order of the page. */
function modelsIn(sheets: Sheet[]): string[] {
  const drawn = sheets.filter(({ chart }) => chart && !["matrix", "bars"].includes(chart.kind) && chart.across !== 0);
  const ids = new Set(drawn.flatMap(({ run, rows }) => rows.map(({ about }) => modelId(run, about?.model))));
  return [...modelOrder().keys()].filter((id) => ids.has(id));
}

/** The sheets of one name: their heading and note, the pickers that only they have, their charts, and their tables below a fold. */
function drawPart(
  id: string,
  sheets: Sheet[],
  pickers: FieldPicker[],
  isShared: (picker: FieldPicker) => boolean,
): Kid {
  const [{ name, chart }] = sheets;
  const words = hasWord(`part.${name}`) && t(`part.${name}`);
  const key = words ? name : id;
  const box = `${key}-charts`;
  const all = () => tables(sheets.map((sheet) => (chart ? { ...sheet, notes: [] } : sheet)));
  if (LONG.has(name)) return lazyFold(`tables-${name}`, words || titleOf(sheets[0]), all);
  const saved = [words, ...pickers.map(({ field, value }) => pickWords(field, value))].join(" · ");
  const drawn = chart && DRAW[chart.kind](sheets, box, id);
  return [
    words && div("titled", h("h3", null, words), drawn && h("span", { class: "savers" }, savers(box, saved))),
    words && hasWord(`part.${name}.note`) && para("note", t(`part.${name}.note`)),
    chart &&
      controls(
        id,
        pickers.filter((picker) => chart.pick?.includes(picker.field) && !isShared(picker)),
      ),
    drawn,
    chart && notesOf(sheets).map((note) => para("note", inWords(note))),
    !chart && all(),
    chart && chart.kind !== "bars" && lazyFold(`tables-${key}`, words ? t("numbersOf", words) : t("asTable"), all),
  ];
}

/** The notes on charts, each once. If the shown sheets have no notes, the notes of the analysis's other sheets of the same name. */
function notesOf(sheets: Sheet[]): SheetText[] {
  const ofSheets = sheets.flatMap(({ notes = [] }) => notes);
  const others = sheetsOf(({ analysis, name }) => analysis === sheets[0].analysis && name === sheets[0].name);
  const notes = ofSheets.length ? ofSheets : others.flatMap(({ notes = [] }) => notes);
  return [...new Map(notes.map((note) => [inWords(note), note])).values()];
}

/** Field with a picker -> the key of its label. */
const FIELDS: Record<string, string> = {
  run: "run",
  model: "model",
  pool: "baseModel",
  task: "task",
  set: "set",
  perturb: "perturb",
  size: "trainingItems",
  basis: "basis",
  names: "namesShown",
};

const pickerNode =
  (id: string, words: (field: string, value: string) => string) =>
  ({ field, values, value, choose }: FieldPicker): Kid =>
    withFocusKey(
      `${id}-${field}`,
      labelledSelect(t(FIELDS[field] ?? field), values, value, choose, (x) => words(field, x)),
    );

/** Functions that draw the sheets of a part, by the kind of their chart, in a box with an id. */
const DRAW: Record<NonNullable<Sheet["chart"]>["kind"], (sheets: Sheet[], box: string, id: string) => Kid> = {
  lines: lineCharts,
  matrix: matrices,
  dots: (sheets, box) => h("div", { id: box }, sheets.map(dotPanels)),
  scatter: (sheets, box) => panels(box, sheets.map(scatterPanels)),
  bars: barTables,
};

/** A panel for each block of each sheet; a legend of all lines. */
function lineCharts(sheets: Sheet[], box: string): Kid {
  const panels = panelsOf(sheets);
  const shown = linesShown(panels);
  const ids = new Set(panels.flatMap(({ lines }) => lines.flatMap(({ model }) => model ?? [])));
  const areLinesNamed = panels.some(({ range }) => range);
  return [
    !areLinesNamed &&
      ids.size > MOST_LINES &&
      !pickedOf([...ids]).length &&
      para("note", t("bestShown", MOST_LINES, ids.size)),
    h(
      "div",
      { class: "panels curves", id: box },
      panels.map((panel) => linePanel(panel, shown)),
      !areLinesNamed && lineLegend(panels, shown),
    ),
  ];
}

/** A matrix per sheet. If it has many names, it shows only the most frequent ones until the person asks for all. */
function matrices(sheets: Sheet[], box: string, id: string): Kid {
  const all = sheets.map((sheet) => ({ sheet, matrix: matrixOf(sheet) }));
  const most = Math.max(...all.map(({ matrix }) => matrix.weights.size));
  const picker = pickerOf(id, "names", ["", "all"], "");
  const words = (_: string, value: string) => (value ? t("allNames", most) : t("mostNames", MOST_NAMES));
  const few = (matrix: (typeof all)[number]["matrix"]) =>
    picker.value || most <= MOST_NAMES ? matrix : frequent(matrix);
  return [
    most > MOST_NAMES && div("controls", pickerNode(id, words)(picker)),
    h(
      "div",
      { id: box },
      all.map(({ sheet, matrix }) => [para("note", titleOf(sheet)), matrixBox(few(matrix), sheet, t(id))]),
    ),
  ];
}

/** A small table for each block, with a filled and a hollow bar in each row. */
function barTables(sheets: Sheet[], box: string): Kid {
  const all = sheets.map((sheet) => {
    const [filled, hollow] = sheet.chart?.up ?? [];
    const withBars: Sheet = {
      ...sheet,
      columns: [sheet.columns[0], { heading: "", kind: "bars" }, ...sheet.columns.slice(1)],
      rows: sheet.rows.map((row) => {
        const [name, ...cells] = row.cells;
        const bars = { value: numberIn(row.cells[filled]) ?? 0, base: numberIn(row.cells[hollow]) ?? 0 };
        return { ...row, cells: [name, row.kind ? null : bars, ...cells] };
      }),
      look: "barrows",
      fixed: true,
    };
    const { panels: tables, savers: exports } = sheetPanels(withBars, ({ group }) => {
      const { value, asides = [] } = asValue(group?.cells[0]);
      const model = models.get(modelId(sheet.run, group?.about?.model));
      const name = model ? nameNode(model) : String(value);
      const words = asides.map((aside) => aside.trim()).join(" ");
      return h("figcaption", null, h("strong", null, name), h("small", null, words));
    });
    return [div("tablebar", exports), div("panels positions", tables)];
  });
  return h("div", { id: box }, all);
}

const tables = (sheets: Sheet[]): Kid =>
  sheets.map((sheet, n) => {
    const node = sheetNode(sheet, { id: sheets.length > 1 ? `${sheet.name}-${n + 1}` : sheet.name });
    return node && [runNote(sheet), node];
  });
