// A table as LaTeX (booktabs).
import { mark, plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { fileStem } from "../data.ts";
import { haveRanks, isGroup } from "./read.ts";

const TEX = {
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

/** `text` as TeX prints it and never runs it. Unassigned characters, which engines refuse, stand as their numbers. */
const tex = (text) =>
  Array.from(plain(text).replace(/\s+/g, " "), (c) => c)
    .map((c, i, all) => {
      const ligature = "-,'".includes(c) && all[i - 1] === c ? "{}" : ""; // which would make a dash or a quote of them
      return ligature + (TEX[c] ?? (/\p{Cn}/u.test(c) ? mark(c) : c));
    })
    .join("");

const texSmall = (text) => `{\\scriptsize (${text})}`;

export function latexTable(table, title, id) {
  const n = table.columns.length,
    kind = n > 5 ? "table*" : "table",
    lines = [];
  const cell = (x) => {
    const text = tex(x.text),
      body = { best: `\\textbf{${text}}`, second: `\\underline{${text}}` }[x.rank] ?? text;
    return [body, ...x.asides.map((y) => texSmall(tex(y)))].filter(Boolean).join(" ");
  };
  const line = (row, of) => {
    const parts = [];
    for (let i = 0; i < n; ) {
      const x = row.cells.find((y) => y.at === i);
      parts.push(x ? of(x) : "");
      i += x?.cols ?? 1;
    }
    return `${parts.join(" & ")} \\\\`;
  };
  // A heading word by word below each other: eight tasks stand beside each other on a page.
  const stack = (x) => {
    const side = table.columns[x.at].right ? "r" : "l",
      pieces = [
        ...inLines(x.text).map(tex),
        ...x.asides.flatMap((y) => inLines(y, 14)).map((y) => `\\scriptsize ${tex(y)}`),
      ];
    if (x.cols > 1) return `\\multicolumn{${x.cols}}{c}{${tex(x.text)}}`;
    return pieces.length > 1
      ? `\\begin{tabular}[b]{@{}${side}@{}}${pieces.join("\\\\")}\\end{tabular}`
      : (pieces[0] ?? "");
  };
  table.head.forEach((row) => {
    lines.push(line(row, stack));
    const wide = row.cells.filter((x) => x.cols > 1);
    if (wide.length) lines.push(wide.map((x) => `\\cmidrule(lr){${x.at + 1}-${x.at + x.cols}}`).join(" "));
  });
  table.body.forEach((row, i) => {
    if (row.begins || i === 0) lines.push("\\midrule");
    if (isGroup(row)) lines.push(`\\multicolumn{${n}}{l}{\\textit{${cell(row.cells[0])}}} \\\\`);
    else lines.push(line(row, row.group ? (x) => (x.text ? `\\textit{${cell(x)}}` : "") : cell));
  });
  const caption = tex(title) + (haveRanks(table) ? `. ${tex(t("rankedTex"))}` : ""),
    whole = lines.join("\n") + caption + tex(table.notes.join(" "));
  const chinese = /\p{Script=Han}|[\u3000-\u303f\uff00-\uffef]/u.test(whole),
    foreign = /[^\0-\x7f]/.test(whole);
  return [
    `% ${tex(title)}`,
    "% \\usepackage{booktabs}",
    "% \\usepackage{graphicx}  % to fit the page",
    chinese && "% \\usepackage{ctex}  % Chinese",
    foreign && "% XeLaTeX or LuaLaTeX: not all letters are ASCII",
    `\\begin{${kind}}`,
    "\\centering",
    n > 5 && "\\small\\setlength{\\tabcolsep}{4pt}",
    `\\caption{${caption}}`,
    `\\label{tab:${fileStem()}-${id.replace(/[^a-z0-9]+/gi, "-")}}`,
    "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%",
    `\\begin{tabular}{${table.columns.map((c) => (c.right ? "r" : "l")).join("")}}`,
    "\\toprule",
    ...lines,
    "\\bottomrule",
    "\\end{tabular}}",
    ...table.notes.map((x) => `\\par\\smallskip{\\scriptsize ${tex(x)}\\par}`),
    `\\end{${kind}}`,
    "",
  ]
    .filter((x) => x !== false)
    .join("\n");
}

/** Words on lines of about `most` characters. */
function inLines(text, most = 12) {
  const lines = [];
  for (const word of text.split(" ").filter(Boolean)) {
    if (lines.length && lines.at(-1).length + word.length < most) lines[lines.length - 1] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
}
