// Chooses the sheets of a section: first by the page's settings and filters, then by the values picked in the section.
import { NAMES } from "../../common/numbers.ts";
import { brief } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { pickIn } from "../actions.ts";
import { modelOrder } from "../columns.ts";
import { data, modelId, models, taskOf } from "../data.ts";
import { perturbOf, scoringOf, setNames } from "../filters.ts";
import { tasks } from "../metric_choice.ts";
import { perturbName, setHeading, taskName } from "../names.ts";
import { pickedIn, state } from "../state.ts";
import type { About, Sheet, SheetRow } from "../types.ts";
import { blocksOf } from "./blocks.ts";
import { aboutInView, sheetsOf } from "./sheet.ts";

/** The value of `about.task` in sheets about means over tasks: analyses/token_details.py. */
const MEAN = "mean";

/** A picker for a field of `about`, with the values that it offers, and the value that is shown. */
export interface FieldPicker {
  field: string;
  values: string[];
  value: string;
  /** Whether the picker is drawn: if the section's sheets have several values, even where earlier pickers leave only one. */
  shown: boolean;
  choose: (value: string) => void;
}

/** The value of a field of `about` as a text, for pickers and addresses. A model is written as its run and its name; a very long name
 *  is cut. */
function fieldIn(about: About, field: string, run: number): string | undefined {
  if (field === "run") return String(run);
  const value = about[field as keyof About];
  if (value === undefined) return undefined;
  return field === "model" ? `${run}:${brief(String(value))}` : String(value);
}

const modelOfValue = (value: string) =>
  [...models.values()].find((model) => `${model.run}:${brief(model.name)}` === value);

export function pickWords(field: string, value: string): string {
  if (field === "run") return data.runs[Number(value)].name;
  if (field === "model") return modelOfValue(value)?.label ?? value;
  if (field === "task") return value === MEAN ? t("meanOverTasks") : taskName(taskOf(value));
  if (field === "set") return setHeading(value);
  if (field === "perturb") return perturbName(value);
  return field === "basis" ? t(`basis.${value}`) : value;
}

/** Values in the order of the page: tasks, sets and sizes in theirs, models before baselines. */
function inOrder(field: string, values: string[]): string[] {
  const rank: Record<string, (value: string) => number> = {
    size: Number,
    task: (value) => tasks.findIndex((x) => x.name === value),
    set: (value) => setNames().indexOf(value),
    model: (value) => Number(modelOfValue(value)?.baseline ?? false),
  };
  const of = rank[field];
  return of ? values.sort((a, b) => of(a) - of(b) || NAMES.compare(a, b)) : values;
}

/** Whether figures with this scoring and perturbation are chosen. In a sheet that compares scorings, or perturbations, all are. */
function isAsked({ task, scoring, perturb }: About, compares: string[]): boolean {
  if (task === undefined) return true;
  const taskRow = taskOf(task);
  const perturbed = task === MEAN ? state.perturb : perturbOf(taskRow);
  return (
    (scoring === undefined || compares.includes("scoring") || scoring === scoringOf(taskRow)) &&
    (perturb === undefined || compares.includes("perturb") || perturb === perturbed)
  );
}

/** The sheet with the rows that are wanted, and their headings; null if there are none. */
function withRows(sheet: Sheet, wanted: (about: About, run: number) => boolean): Sheet | null {
  const run = sheet.run ?? 0;
  const ofSheet = sheet.about ?? {};
  if (!sheet.rows.some((row) => row.about)) return wanted(ofSheet, run) ? sheet : null;
  const isWanted = (row: SheetRow) => wanted({ ...ofSheet, ...row.about }, run);
  const blocks = blocksOf(sheet.rows).map((block) => ({ ...block, rows: block.rows.filter(isWanted) }));
  const rows = blocks.flatMap(({ group, rows }) => (rows.length ? [...(group ? [group] : []), ...rows] : []));
  return rows.some((row) => !row.kind) ? { ...sheet, rows } : null;
}

/** The values of a field in the sheets with a picker for it. */
function valuesOf(sheets: Sheet[], field: string): string[] {
  const values = sheets
    .filter(({ chart }) => chart?.pick?.includes(field))
    .flatMap(({ run = 0, about = {}, rows }) => {
      const ofSheet = fieldIn(about, field, run);
      return ofSheet === undefined ? rows.flatMap((row) => fieldIn(row.about ?? {}, field, run) ?? []) : [ofSheet];
    });
  return [...new Set(values)];
}

/** The sheets of some analyses under the page's settings, reduced to the picked values (`sheets`) and without that reduction (`all`),
 *  and the fields with a picker. A picker offers the values in the sheets that the pickers before it leave. */
export function sectionSheets(
  section: string,
  analyses: string[],
): { sheets: Sheet[]; all: Sheet[]; pickers: FieldPicker[] } {
  const mine = sheetsOf(({ analysis = "", columns }) => analyses.includes(analysis) && columns.length > 0);
  let sheets = mine.flatMap((sheet) => {
    const { compares = [] } = sheet;
    return withRows(sheet, (about, run) => aboutInView(about, run, compares) && isAsked(about, compares)) ?? [];
  });
  const all = sheets;
  const fields = new Set(sheets.flatMap(({ chart }) => chart?.pick ?? []));
  const pickers = [...fields].flatMap((field): FieldPicker[] => {
    const values = inOrder(field, valuesOf(sheets, field));
    if (!values.length) return [];
    const usual = LAST.has(field) ? values[values.length - 1] : values[0];
    const picker = pickerOf(section, field, values, usual, valuesOf(all, field).length > 1);
    const isPicked = (about: About, run: number) => (fieldIn(about, field, run) ?? picker.value) === picker.value;
    // A chart that shows all values of a field needs no picker for it.
    const isFree = ({ chart }: Sheet) => chart !== undefined && !chart.pick?.includes(field);
    sheets = sheets.flatMap((sheet) => (isFree(sheet) ? sheet : (withRows(sheet, isPicked) ?? [])));
    return [picker];
  });
  const order = modelOrder();
  return { sheets: sheets.map((sheet) => (sheet.chart ? inOrderOfModels(sheet, order) : sheet)), all, pickers };
}

/** The sheet with its blocks in the order of models, and with the rows of each block in this order. Where one of them is about no
 *  model, all keep their order. */
function inOrderOfModels(sheet: Sheet, order: Map<string, number>): Sheet {
  const indexOf = (row: SheetRow | null) => order.get(modelId(sheet.run, row?.about?.model));
  const ordered = <X>(all: X[], row: (one: X) => SheetRow | null): X[] =>
    all.every((one) => indexOf(row(one)) !== undefined)
      ? [...all].sort((a, b) => (indexOf(row(a)) ?? 0) - (indexOf(row(b)) ?? 0))
      : all;
  const blocks = blocksOf(sheet.rows);
  const [ofModels, apart] = [false, true].map((kind) => blocks.filter((block) => block.apart === kind));
  const rows = [...ordered(ofModels, ({ group }) => group), ...apart].flatMap(({ group, rows }) => [
    ...(group ? [group] : []),
    ...ordered(rows, (row) => row),
  ]);
  return { ...sheet, rows };
}

/** Fields whose pickers show the last value at first: the hardest set, the largest size. */
const LAST = new Set(["set", "size"]);

/** The picker of a field at its picked value, or at `usual` where the sheets lack that value. */
export function pickerOf(
  section: string,
  field: string,
  values: string[],
  usual: string,
  shown = values.length > 1,
): FieldPicker {
  const key = `${section}.${field}`;
  const wish = pickedIn(key);
  const value = wish !== undefined && values.includes(wish) ? wish : usual;
  return { field, values, value, shown, choose: (picked) => pickIn(key, picked) };
}
