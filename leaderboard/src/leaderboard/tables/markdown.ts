// A table as Markdown.
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellsOf, columnNames, haveRanks } from "./read.ts";

/** With a backslash before all that Markdown, GitHub's autolinks or formulas would read as theirs. */
const md = (text) =>
  plain(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]<>#|~&$!@^]|:(?=\S)/g, "\\$&")
    .replace(/\bwww\./gi, (x) => `${x.slice(0, -1)}\\.`);

export function markdownTable(table, title) {
  const cell = (x) => {
    if (!x) return "";
    const text = md(x.text),
      body = { best: `**${text}**`, second: `*${text}*` }[x.rank] ?? text;
    return [body, ...x.asides.map((y) => `(${md(y)})`)].filter(Boolean).join(" ");
  };
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rows = table.body.map((row) =>
    line(cellsOf(row, table.columns).map((x) => (row.group && x?.text ? `*${cell(x)}*` : cell(x)))),
  );
  return `${[
    `**${md(title)}**`,
    "",
    line(columnNames(table).map(md)),
    line(table.columns.map((c) => (c.right ? "---:" : ":---"))),
    ...rows,
    "",
    ...table.notes.map((x) => `${md(x)}  `),
    haveRanks(table) && t("rankedMd"),
  ]
    .filter((x) => x !== false)
    .join("\n")
    .trimEnd()}\n`;
}
