// A table as CSV.
import { csvText } from "../../common/files.ts";
import { t } from "../../common/words.ts";
import { cellsOf, columnNames } from "./read.ts";

/** Intervals and flags have columns of their own, so that values stay numbers; so have groups, where there are any. */
export function csvTable(table) {
  const grouped = table.body.some((row) => row.group),
    heads = columnNames(table);
  const lines = [
    [
      ...(grouped ? [t("groupHead")] : []),
      ...table.columns.flatMap((c, i) => [heads[i], ...(c.beside ? [t("besideHead", heads[i])] : [])]),
    ],
  ];
  let group = "";
  for (const row of table.body) {
    if (row.group) group = [row.cells[0].text, ...row.cells[0].asides.map((x) => `(${x})`)].join(" ");
    else if (row.begins) group = "";
    if (!row.group)
      lines.push([
        ...(grouped ? [group] : []),
        ...cellsOf(row, table.columns).flatMap((x, i) => [
          csvValue(x?.text ?? ""),
          ...(table.columns[i].beside ? [x?.asides.length ? `(${x.asides.join("; ")})` : ""] : []),
        ]),
      ]);
  }
  return csvText(lines);
}

/** Numbers as a program reads them. */
const csvValue = (text) =>
  /^[−+-]?\d[\d,]*(\.\d+)?$/.test(text) ? text.replaceAll(",", "").replace("−", "-").replace("+", "") : text;
