// A table as LaTeX (booktabs).
import { codePoint, plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { alikeFrom } from "./figures.ts";
import { haveRanks, type Printed, type PrintedCell, type PrintedColumn, type PrintedRow } from "./print.ts";

const TEX: Record<string, string> = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  "&": "\\&",
  "%": "\\%",
  $: "\\$",
  "#": "\\#",
  _: "\\_",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  '"': '\\string"',
  "`": "\\textasciigrave{}",
  "[": "{[}", // after \\, LaTeX would read [ and * as its arguments
  "*": "{*}",
  "–": "--",
  "—": "---",
  "−": "$-$",
  "…": "\\dots{}",
  "·": "$\\cdot$",
  "×": "$\\times$",
  "✕": "$\\times$",
  "✓": "$\\surd$",
  "→": "$\\rightarrow$",
  "≠": "$\\neq$",
  "≈": "$\\approx$",
  "±": "$\\pm$",
  "○": "$\\circ$",
  "●": "$\\bullet$",
  "▲": "$\\triangle$",
  ρ: "$\\rho$",
  κ: "$\\kappa$",
  τ: "$\\tau$",
  "“": "``",
  "”": "''",
  "‘": "`",
  "’": "'",
  "\u00a0": "~",
};

/** `text` escaped for TeX, so that none of it runs as a command. Unassigned characters, which TeX refuses, become their codes. */
const tex = (text: string): string =>
  Array.from(plain(text).replace(/\s+/g, " "), (c) => c)
    .map((c, i, all) => {
      // TeX would join two such characters to a dash or a quote.
      const ligature = "-,'".includes(c) && all[i - 1] === c ? "{}" : "";
      return ligature + (TEX[c] ?? (/\p{Cn}/u.test(c) ? codePoint(c) : c));
    })
    .join("");

const STYLES = { best: "\\textbf", second: "\\underline", "": "" };

function cell({ text, asides, rank }: PrintedCell): string {
  const body = rank ? `${STYLES[rank]}{${tex(text)}}` : tex(text);
  return [body, ...asides.map((x) => `{\\scriptsize (${tex(x)})}`)].filter(Boolean).join(" ");
}

const line = (cells: string[]): string => `${cells.join(" & ")} \\\\`;

function rowLine({ cells, group }: PrintedRow): string {
  if (!group) return line(cells.map(cell));
  if (cells.slice(1).every((x) => !x.text))
    return `\\multicolumn{${cells.length}}{l}{\\textit{${cell(cells[0])}}} \\\\`;
  return line(cells.map((x) => (x.text ? `\\textit{${cell(x)}}` : "")));
}

/** Words in lines of about `most` characters. */
function inLines(text: string, most = 12): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A heading in short lines, so that eight tasks fit side by side on a page. */
function heading({ text, asides, right }: PrintedColumn): string {
  const small = asides.flatMap((x) => inLines(x, 14)).map((x) => `\\scriptsize ${tex(x)}`);
  const pieces = [...inLines(text).map(tex), ...small];
  if (pieces.length < 2) return pieces[0] ?? "";
  return `\\begin{tabular}[b]{@{}${right ? "r" : "l"}@{}}${pieces.join("\\\\")}\\end{tabular}`;
}

/** The line of headings over several columns with the rules below it; no line if there are no such headings. */
function overHeadings(columns: PrintedColumn[]): string[] {
  if (!columns.some(({ over }) => over)) return [];
  const cells: string[] = [];
  const rules: string[] = [];
  const overs = columns.map(({ over }) => over);
  for (let at = 0; at < columns.length; ) {
    const over = overs[at];
    const width = over ? alikeFrom(overs, at) : 1;
    cells.push(over ? `\\multicolumn{${width}}{c}{${tex(over)}}` : "");
    if (over) rules.push(`\\cmidrule(lr){${at + 1}-${at + width}}`);
    at += width;
  }
  return [line(cells), rules.join(" ")];
}

/** The table as LaTeX. Its label is made from `stem`, the page's, and `id`, the table's. */
export function latexTable(table: Printed, title: string, id: string, stem: string): string {
  const { columns, rows, notes } = table;
  const wide = columns.length > 5;
  const kind = wide ? "table*" : "table";
  const lines = [
    ...overHeadings(columns),
    line(columns.map(heading)),
    ...rows.flatMap((row, i) => [...(row.begins || i === 0 ? ["\\midrule"] : []), rowLine(row)]),
  ];
  const caption = tex(title) + (haveRanks(table) ? `. ${tex(t("rankedTex"))}` : "");
  const whole = lines.join("\n") + caption + tex(notes.join(" "));
  const chinese = /\p{Script=Han}|[\u3000-\u303f\uff00-\uffef]/u.test(whole);
  const foreign = /[^\0-\x7f]/.test(whole);
  return [
    `% ${tex(title)}`,
    "% \\usepackage{booktabs}",
    "% \\usepackage{graphicx}  % to fit the page",
    ...(chinese ? ["% \\usepackage{ctex}  % Chinese"] : []),
    ...(foreign ? ["% XeLaTeX or LuaLaTeX: not all letters are ASCII"] : []),
    `\\begin{${kind}}`,
    "\\centering",
    ...(wide ? ["\\small\\setlength{\\tabcolsep}{4pt}"] : []),
    `\\caption{${caption}}`,
    `\\label{tab:${stem}-${id.replace(/[^a-z0-9]+/gi, "-")}}`,
    "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%",
    `\\begin{tabular}{${columns.map((c) => (c.right ? "r" : "l")).join("")}}`,
    "\\toprule",
    ...lines,
    "\\bottomrule",
    "\\end{tabular}}",
    ...notes.map((x) => `\\par\\smallskip{\\scriptsize ${tex(x)}\\par}`),
    `\\end{${kind}}`,
    "",
  ].join("\n");
}
