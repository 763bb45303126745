// A table in its frame: a region that scrolls, and what exports it.
import { $, button, copyButton, h } from "../../common/dom.ts";
import { save } from "../../common/files.ts";
import { menu } from "../../common/menu.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { fileStem } from "../data.ts";
import { viewWords } from "../names.ts";
import { csvTable } from "./csv.ts";
import { latexTable } from "./latex.ts";
import { markdownTable } from "./markdown.ts";
import { readTables } from "./read.ts";

/** A table in a region that scrolls, below what exports it, beside its heading if it has one of its own. */
export function framed(table, { id, title, heading = null, note = null, tall = false, where = viewWords() }) {
  return [
    h("div", { class: heading ? "titled" : "tablebar" }, heading, tableSavers(table, id, title, where)),
    note,
    h("div", { class: `scroll${tall ? " tall" : ""}`, tabindex: 0, role: "region", "aria-label": plain(title) }, table),
  ];
}

const FORMATS = [
  ["CSV", "csv", "text/csv", csvTable],
  ["LaTeX", "tex", "text/x-tex", latexTable],
  ["Markdown", "md", "text/markdown", markdownTable],
];

/** A menu that saves or copies a table, or all tables in a box as one; `from` is the node or its id. */
export function tableSavers(from, id, title, where = viewWords()) {
  const text = (make) => make(readTables(typeof from === "string" ? $(from) : from), `${title} (${where})`, id);
  return menu(
    t("export"),
    `${t("export")}: ${plain(title)}`,
    FORMATS.map(([name, kind, type, make]) =>
      h(
        "div",
        { class: "menurow" },
        h("span", null, name),
        button(t("saveFile"), () => save(`${fileStem()}-${id}.${kind}`, new Blob([text(make)], { type })), {
          class: "small",
          "data-table": `${id}.${kind}`,
          "aria-label": t("saveAs", name, plain(title)),
        }),
        copyButton(() => text(make), t("copyAs", name, plain(title))),
      ),
    ),
  );
}

/** A sign after a value ("*", "?"), which a file keeps apart from it. */
export const signNode = (text) => h("span", { class: "sign" }, text);

/** The first `words` columns hold words, the others numbers. */
export const headRow = (heads, words = 1) =>
  h(
    "thead",
    null,
    h(
      "tr",
      null,
      heads.map((x, i) => h("th", { scope: "col", class: i >= words && "v" }, x)),
    ),
  );
