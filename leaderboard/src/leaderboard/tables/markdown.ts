// A table as Markdown.
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { columnNames, haveRanks, type Printed, type PrintedCell, type PrintedRow } from "./print.ts";

/** A text with a backslash before every character that Markdown, GitHub's autolinks or formulas would interpret. */
const md = (text: string): string =>
  plain(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]<>#|~&$!@^]|:(?=\S)/g, "\\$&")
    .replace(/\bwww\./gi, (x) => `${x.slice(0, -1)}\\.`);

const STYLES = { best: "**", second: "*", "": "" };

function cell({ text, asides, rank }: PrintedCell): string {
  const style = STYLES[rank];
  return [style + md(text) + style, ...asides.map((x) => `(${md(x)})`)].filter(Boolean).join(" ");
}

const line = (cells: string[]): string => `| ${cells.join(" | ")} |`;

const rowLine = ({ cells, group }: PrintedRow): string =>
  line(cells.map((x) => (group && x.text ? `*${cell(x)}*` : cell(x))));

export function markdownTable(table: Printed, title: string): string {
  const lines = [
    `**${md(title)}**`,
    "",
    line(columnNames(table).map(md)),
    line(table.columns.map((c) => (c.right ? "---:" : ":---"))),
    ...table.rows.map(rowLine),
    "",
    ...table.notes.map((x) => `${md(x)}  `),
    ...(haveRanks(table) ? [t("rankedMd")] : []),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}
