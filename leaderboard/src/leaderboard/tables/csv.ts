// A table as CSV.
import { csvText } from "../../common/files.ts";
import { t } from "../../common/words.ts";
import { columnNames, type Printed } from "./print.ts";

/** The table as CSV. Intervals, flags and headings of groups have columns of their own, so that values stay numbers. */
export function csvTable(table: Printed): string {
  const grouped = table.rows.some((row) => row.group);
  const names = columnNames(table);
  const heads = table.columns.flatMap(({ beside }, i) => [names[i], ...(beside ? [t("besideHead", names[i])] : [])]);
  const lines = [grouped ? [t("group"), ...heads] : heads];
  let group = "";
  for (const row of table.rows) {
    if (row.group) group = [row.cells[0].text, ...row.cells[0].asides.map((x) => `(${x})`)].join(" ");
    else if (row.begins) group = "";
    if (row.group) continue;
    const fields = row.cells.flatMap(({ text, number, asides }, i) => [
      number === undefined ? csvValue(text) : String(number),
      ...(table.columns[i].beside ? [asides.length ? `(${asides.join("; ")})` : ""] : []),
    ]);
    lines.push(grouped ? [group, ...fields] : fields);
  }
  return csvText(lines);
}

/** A number in a notation that programs read. */
const csvValue = (text: string): string =>
  /^[−+-]?\d[\d,]*(\.\d+)?$/.test(text) ? text.replaceAll(",", "").replace("−", "-").replace("+", "") : text;
