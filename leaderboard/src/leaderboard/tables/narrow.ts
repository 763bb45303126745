// The sheets of analyses as they are asked now, narrowed to one value of each field that a section offers to pick.
import { NAMES } from "../../common/numbers.ts";
import { brief, plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { pickIn } from "../actions.ts";
import { data, models, taskOf } from "../data.ts";
import { perturbOf, scoringOf, setNames } from "../filters.ts";
import { tasks } from "../metric_choice.ts";
import { setLabel, taskName } from "../names.ts";
import { pickedIn } from "../state.ts";
import type { About, Sheet, SheetRow } from "../types.ts";
import { blocksOf } from "./blocks.ts";
import { aboutInView, sheetsOf } from "./sheet.ts";

/** A field to pick a value of: those that there are, and the one that is shown. */
export interface Pick {
  field: string;
  values: string[];
  value: string;
  choose: (value: string) => void;
}

/** The value of a field as pickers and addresses have it; models by their runs and names, which may be cut. */
function fieldIn(about: About, field: string, run: number): string | undefined {
  if (field === "run") return String(run);
  const value = about[field as keyof About];
  if (value === undefined) return undefined;
  return field === "model" ? `${run}:${brief(String(value))}` : String(value);
}

const modelOfValue = (value: string) =>
  [...models.values()].find((model) => `${model.run}:${brief(model.name)}` === value);

export function pickWords(field: string, value: string): string {
  if (field === "run") return plain(data.runs[Number(value)].name);
  if (field === "model") return plain(modelOfValue(value)?.label ?? value);
  if (field === "task") return taskName(taskOf(value));
  if (field === "set") return setLabel(value);
  return field === "basis" ? t(`basis.${value}`) : plain(value);
}

/** Values in the order of the page: tasks and sets in theirs, models before baselines. */
function inOrder(field: string, values: string[]): string[] {
  const rank: Record<string, (value: string) => number> = {
    task: (value) => tasks.findIndex((x) => x.name === value),
    set: (value) => setNames().indexOf(value),
    model: (value) => Number(modelOfValue(value)?.baseline ?? false),
  };
  const of = rank[field];
  return of ? values.sort((a, b) => of(a) - of(b) || NAMES.compare(a, b)) : values;
}

/** Whether figures of a place are those that the settings ask for: by its scoring and perturbation. */
function isAsked({ task, scoring, perturb }: About): boolean {
  if (task === undefined) return true;
  const own = taskOf(task);
  return (scoring === undefined || scoring === scoringOf(own)) && (perturb === undefined || perturb === perturbOf(own));
}

/** The sheet with the rows that are wanted; null if there are none. Headings stay where rows below them do. */
function withRows(sheet: Sheet, wanted: (about: About, run: number) => boolean): Sheet | null {
  const run = sheet.run ?? 0;
  const own = sheet.about ?? {};
  if (!sheet.rows.some((row) => row.about)) return wanted(own, run) ? sheet : null;
  const isWanted = (row: SheetRow) => wanted({ ...own, ...row.about }, run);
  const blocks = blocksOf(sheet.rows).map((block) => ({ ...block, rows: block.rows.filter(isWanted) }));
  const rows = blocks.flatMap(({ group, rows }) => (rows.length ? [...(group ? [group] : []), ...rows] : []));
  return rows.some((row) => !row.kind) ? { ...sheet, rows } : null;
}

/** The sheets of some analyses for the values picked in a section; and what is offered to pick. */
export function narrowed(section: string, analyses: string[]): { sheets: Sheet[]; picks: Pick[] } {
  let sheets = sheetsOf((sheet) => analyses.includes(sheet.analysis ?? "") && sheet.columns.length > 0).flatMap(
    (sheet) => {
      const every = sheet.every_way ?? false;
      return withRows(sheet, (about, run) => aboutInView(about, run, every) && (every || isAsked(about))) ?? [];
    },
  );
  const single = sheets.some(({ chart }) => chart?.kind === "matrix" && !chart.pick?.includes("model"));
  const fields = [
    ...(single && data.runs.length > 1 ? ["run"] : []),
    ...new Set(sheets.flatMap(({ chart }) => chart?.pick ?? [])),
  ];
  const picks = fields.flatMap((field): Pick[] => {
    const found = sheets
      .filter(({ chart }) => chart)
      .flatMap(({ run = 0, about = {}, rows }) => {
        const own = fieldIn(about, field, run);
        return own === undefined ? rows.flatMap((row) => fieldIn(row.about ?? {}, field, run) ?? []) : [own];
      });
    const values = inOrder(field, [...new Set(found)]);
    if (!values.length) return [];
    const pick = pickOf(section, field, values, field === "set" ? values[values.length - 1] : values[0]);
    const { value } = pick;
    const isPicked = (about: About, run: number) => (fieldIn(about, field, run) ?? value) === value;
    sheets = sheets.flatMap((sheet) => withRows(sheet, isPicked) ?? []);
    return [pick];
  });
  return { sheets, picks };
}

/** A field with the value picked for it, where that is there. */
export function pickOf(section: string, field: string, values: string[], usual: string): Pick {
  const key = `${section}.${field}`;
  const wish = pickedIn(key);
  const value = wish !== undefined && values.includes(wish) ? wish : usual;
  return { field, values, value, choose: (picked) => pickIn(key, picked) };
}
