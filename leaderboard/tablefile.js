// Tables to keep: what a table of the page shows, as CSV, LaTeX (booktabs) and Markdown.
// ---------------------------------------------------------------- a table in its frame
/** A table in a region that scrolls, below what exports it, beside its heading if it has one of its own. */
function framed(table, { id, title, heading = null, note = null, tall = false, where = viewWords() }) {
  return [h("div", { class: heading ? "titled" : "tablebar" }, heading, tableSavers(table, id, title, where)), note,
    h("div", { class: "scroll" + (tall ? " tall" : ""), tabindex: 0, role: "region", "aria-label": plain(title) }, table)];
}
/** The settings that all tables of the overview share, for captions. */
const viewWords = () => settingWords(state);
const settingWords = (x) => [x.split, `${t("variant")} ${x.variant}`, `${t("shots")} ${x.shots}`, `${t("scoring")} ${t(x.scoring)}`, x.perturb !== "none" && perturbName(x.perturb)].filter(Boolean).join(", ");
const FORMATS = [["CSV", "csv", "text/csv", csvTable], ["LaTeX", "tex", "text/x-tex", latexTable], ["Markdown", "md", "text/markdown", markdownTable]];

/** A menu that saves or copies a table, or all tables in a box as one; `from` is the node or its id. */
function tableSavers(from, id, title, where = viewWords()) {
  const text = (make) => make(readTables(typeof from === "string" ? $(from) : from), `${title} (${where})`, id);
  return menu(t("export"), `${t("export")}: ${plain(title)}`, FORMATS.map(([name, kind, type, make]) => h("div", { class: "menurow" }, h("span", null, name),
    button(t("saveFile"), () => save(`${fileStem()}-${id}.${kind}`, new Blob([text(make)], { type })), { class: "small", "data-table": `${id}.${kind}`, "aria-label": t("saveAs", name, plain(title)) }),
    copyButton(() => text(make), t("copyAs", name, plain(title))))));
}
/** What opens below a word: Escape, a click elsewhere or the focus gone elsewhere closes it. */
function menu(label, words, kids, props = {}) {
  const shut = (e) => { if (e.relatedTarget && !e.currentTarget.contains(e.relatedTarget)) e.currentTarget.open = false; };
  const escape = (e) => { if (e.key === "Escape" && e.currentTarget.open) { e.stopPropagation(); e.currentTarget.open = false; e.currentTarget.firstChild.focus(); } };
  return h("details", { class: "menu unsaved", onfocusout: shut, onkeydown: escape, ...props }, h("summary", { "aria-label": words }, label), h("div", { class: "menubox", role: "group", "aria-label": words }, kids));
}
addEventListener("pointerdown", (e) => document.querySelectorAll("details.menu[open]").forEach((x) => { if (!x.contains(e.target)) x.open = false; }));

// ---------------------------------------------------------------- what a table says
const SKIPPED = ".sr, .unsaved, .arrow, .stack, button.small, [aria-hidden=true]", ASIDE = "small, .ci, .flag, .sign";
const oneLine = (parts) => plain(parts.join("")).replace(/\s+/g, " ").trim();

/** A sign after a value ("*", "?"), which a file keeps apart from it. */
const signNode = (text) => h("span", { class: "sign" }, text);
/** A cell's words; what stands small beside them (intervals, flags) apart, and what a file has below its table. */
function cellWords(cell) {
  const words = [], asides = [], notes = [];
  const walk = (node, into) => node.childNodes.forEach((x) => {
    if (x.nodeType === Node.TEXT_NODE) { into.push(x.data); return; }
    if (x.nodeType !== Node.ELEMENT_NODE || x.matches(SKIPPED)) return;
    if (x.localName === "svg") { into.push(x.getAttribute("aria-label") ?? ""); return; }
    const apart = x.matches(".leak") ? notes : into === words && x.matches(ASIDE) ? asides : null;
    if (apart) { const found = []; walk(x, found); apart.push(oneLine(found).replace(/^[·!]\s*/, "").replace(/^\((.*)\)$/, "$1")); return; }
    const loose = getComputedStyle(x).display !== "inline" ? " " : "";  // on a line of its own, or set apart
    into.push(loose);
    walk(x, into);
    into.push(loose);
  });
  walk(cell, words);
  if (!oneLine(words)) words.push(asides.shift() ?? "");  // nothing else is there
  const rank = ["best", "second"].find((name) => cell.querySelector("." + name)) ?? "";
  return { text: oneLine(words), asides: asides.filter(Boolean), notes: notes.filter(Boolean), rank, right: cell.classList.contains("v") };
}
/** Rows of cells with their first column and how many they cover; a cell that goes down stands in its last row. */
function readRows(trs) {
  const rows = trs.map((tr) => ({ group: tr.classList.contains("group"), begins: tr === tr.parentNode.rows[0], cells: [] })), taken = trs.map(() => new Set());
  trs.forEach((tr, r) => {
    let at = 0;
    for (const cell of tr.cells) {
      while (taken[r].has(at)) at++;
      const last = Math.min(r + cell.rowSpan, trs.length) - 1;
      for (let y = r; y <= last; y++) for (let x = at; x < at + cell.colSpan; x++) taken[y].add(x);
      rows[last].cells.push({ at, cols: cell.colSpan, ...cellWords(cell) });
      at += cell.colSpan;
    }
  });
  for (const row of rows) row.cells.sort((a, b) => a.at - b.at);
  return rows;
}
/** One table, or all in a box below each other with the captions of their figures; columns that hold only pictures left out. */
function readTables(box) {
  const all = box.localName === "table" ? [box] : [...box.querySelectorAll("table")], panels = box !== all[0];
  const head = readRows([...all[0].tHead.rows]);
  const body = all.flatMap((table) => {
    const rows = [...table.tBodies].flatMap((x) => readRows([...x.rows])), caption = panels && table.closest("figure")?.querySelector("figcaption");
    return caption ? [{ group: true, begins: true, cells: [{ at: 0, cols: 99, ...cellWords(caption) }] }, ...rows.map((x) => ({ ...x, begins: false }))] : rows;
  });
  const width = Math.max(...head.flatMap((row) => row.cells.map((x) => x.at + x.cols)));
  const single = body.filter((row) => !row.group).flatMap((row) => row.cells).filter((x) => x.cols === 1 && (x.text || x.asides.length));
  const kept = [...Array(width).keys()].filter((i) => i === 0 || single.some((x) => x.at === i));
  const fit = (row) => ({ ...row, cells: row.cells.map((x) => ({ ...x, at: kept.filter((i) => i < x.at).length, cols: kept.filter((i) => i >= x.at && i < x.at + x.cols).length })).filter((x) => x.cols) });
  const columns = kept.map((i) => ({ right: single.some((x) => x.at === i && x.right), beside: single.some((x) => x.at === i && x.asides.length) }));
  const rows = head.map(fit), notes = rows.flatMap((row) => row.cells.flatMap((x) => x.notes.map((note) => `${x.text}: ${note}`)));
  return { head: rows, body: body.map(fit), columns, notes };
}
/** A row's cell for every column; null where there is none. */
const cellsOf = (row, columns) => columns.map((_, i) => row.cells.find((x) => x.at === i) ?? null);
const columnNames = (table) => table.columns.map((_, i) => {
  const over = table.head.flatMap((row) => row.cells).filter((x) => x.at <= i && i < x.at + x.cols);
  return over.map((x) => [x.text, ...x.asides.map((y) => `(${y})`)].join(" ")).filter(Boolean).join(": ");
});
const haveRanks = (table) => table.body.some((row) => row.cells.some((x) => x.rank));
const isGroup = (row) => row.group && row.cells.slice(1).every((x) => !x.text);

// ---------------------------------------------------------------- CSV
/** Intervals and flags have columns of their own, so that values stay numbers; so have groups, where there are any. */
function csvTable(table) {
  const grouped = table.body.some((row) => row.group), heads = columnNames(table);
  const lines = [[...(grouped ? [t("groupHead")] : []), ...table.columns.flatMap((c, i) => [heads[i], ...(c.beside ? [t("besideHead", heads[i])] : [])])]];
  let group = "";
  for (const row of table.body) {
    if (row.group) group = [row.cells[0].text, ...row.cells[0].asides.map((x) => `(${x})`)].join(" ");
    else if (row.begins) group = "";
    if (!row.group) lines.push([...(grouped ? [group] : []), ...cellsOf(row, table.columns).flatMap((x, i) => [csvValue(x?.text ?? ""), ...(table.columns[i].beside ? [x?.asides.length ? `(${x.asides.join("; ")})` : ""] : [])])]);
  }
  return csvText(lines);
}
/** Numbers as a program reads them. */
const csvValue = (text) => (/^[−+-]?\d[\d,]*(\.\d+)?$/.test(text) ? text.replaceAll(",", "").replace("−", "-").replace("+", "") : text);

// ---------------------------------------------------------------- LaTeX
const TEX = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "&": "\\&", "%": "\\%", $: "\\$", "#": "\\#", _: "\\_", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
  '"': '\\string"', "`": "\\textasciigrave{}", "–": "--", "—": "---", "−": "$-$", "…": "\\dots{}", "·": "$\\cdot$", "×": "$\\times$", "✕": "$\\times$", "✓": "$\\surd$", "→": "$\\rightarrow$", "≠": "$\\neq$", "≈": "$\\approx$", "±": "$\\pm$",
  "○": "$\\circ$", "●": "$\\bullet$", "▲": "$\\triangle$", "ρ": "$\\rho$", "κ": "$\\kappa$", "τ": "$\\tau$", "“": "``", "”": "''", "‘": "`", "’": "'", "\u00a0": "~",
};
/** `text` as TeX prints it and never runs it. Unassigned characters, which engines refuse, stand as their numbers. */
const tex = (text) => Array.from(plain(text).replace(/\s+/g, " "), (c) => c).map((c, i, all) => {
  const ligature = "-,'".includes(c) && all[i - 1] === c ? "{}" : "";  // which would make a dash or a quote of them
  return ligature + (TEX[c] ?? (/\p{Cn}/u.test(c) ? mark(c) : c));
}).join("");
const texSmall = (text) => `{\\scriptsize (${text})}`;

function latexTable(table, title, id) {
  const n = table.columns.length, kind = n > 5 ? "table*" : "table", lines = [];
  const cell = (x) => {
    const text = tex(x.text), body = { best: `\\textbf{${text}}`, second: `\\underline{${text}}` }[x.rank] ?? text;
    return [body, ...x.asides.map((y) => texSmall(tex(y)))].filter(Boolean).join(" ");
  };
  const line = (row, of) => {
    const parts = [];
    for (let i = 0; i < n;) {
      const x = row.cells.find((y) => y.at === i);
      parts.push(x ? of(x) : "");
      i += x?.cols ?? 1;
    }
    return parts.join(" & ") + " \\\\";
  };
  // A heading word by word below each other: eight tasks stand beside each other on a page.
  const stack = (x) => {
    const side = table.columns[x.at].right ? "r" : "l", pieces = [...inLines(x.text).map(tex), ...x.asides.flatMap((y) => inLines(y, 14)).map((y) => `\\scriptsize ${tex(y)}`)];
    if (x.cols > 1) return `\\multicolumn{${x.cols}}{c}{${tex(x.text)}}`;
    return pieces.length > 1 ? `\\begin{tabular}[b]{@{}${side}@{}}${pieces.join("\\\\")}\\end{tabular}` : pieces[0] ?? "";
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
  const caption = tex(title) + (haveRanks(table) ? `. ${tex(t("rankedTex"))}` : ""), whole = lines.join("\n") + caption + tex(table.notes.join(" "));
  const chinese = /\p{Script=Han}|[\u3000-\u303f\uff00-\uffef]/u.test(whole), foreign = /[^\0-\x7f]/.test(whole);
  return [`% ${tex(title)}`, "% \\usepackage{booktabs}", "% \\usepackage{graphicx}  % to fit the page", chinese && "% \\usepackage{ctex}  % Chinese", foreign && "% XeLaTeX or LuaLaTeX: not all letters are ASCII",
    `\\begin{${kind}}`, "\\centering", n > 5 && "\\small\\setlength{\\tabcolsep}{4pt}", `\\caption{${caption}}`, `\\label{tab:${fileStem()}-${id.replace(/[^a-z0-9]+/gi, "-")}}`,
    "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%", `\\begin{tabular}{${table.columns.map((c) => (c.right ? "r" : "l")).join("")}}`, "\\toprule", ...lines, "\\bottomrule", "\\end{tabular}}",
    ...table.notes.map((x) => `\\par\\smallskip{\\scriptsize ${tex(x)}\\par}`), `\\end{${kind}}`, ""].filter((x) => x !== false).join("\n");
}
/** Words on lines of about `most` characters. */
function inLines(text, most = 12) {
  const lines = [];
  for (const word of text.split(" ").filter(Boolean)) {
    if (lines.length && lines.at(-1).length + word.length < most) lines[lines.length - 1] += " " + word; else lines.push(word);
  }
  return lines;
}

// ---------------------------------------------------------------- Markdown
/** With a backslash before all that Markdown, GitHub's autolinks or formulas would read as theirs. */
const md = (text) => plain(text).replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>#|~&$!@^]|:(?=\S)/g, "\\$&").replace(/\bwww\./gi, (x) => x.slice(0, -1) + "\\.");

function markdownTable(table, title) {
  const cell = (x) => {
    if (!x) return "";
    const text = md(x.text), body = { best: `**${text}**`, second: `*${text}*` }[x.rank] ?? text;
    return [body, ...x.asides.map((y) => `(${md(y)})`)].filter(Boolean).join(" ");
  };
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rows = table.body.map((row) => line(cellsOf(row, table.columns).map((x) => (row.group && x?.text ? `*${cell(x)}*` : cell(x)))));
  return [`**${md(title)}**`, "", line(columnNames(table).map(md)), line(table.columns.map((c) => (c.right ? "---:" : ":---"))), ...rows, "",
    ...table.notes.map((x) => `${md(x)}  `), haveRanks(table) && t("rankedMd")].filter((x) => x !== false).join("\n").trimEnd() + "\n";
}
