// Buttons that save or copy a table.
import { button, copyButton, div, h } from "../../common/dom.ts";
import { save } from "../../common/files.ts";
import { menu } from "../../common/menu.ts";
import { t } from "../../common/words.ts";
import { fileStem } from "../data.ts";
import { csvTable } from "./csv.ts";
import { latexTable } from "./latex.ts";
import { markdownTable } from "./markdown.ts";
import type { Printed } from "./print.ts";

type Make = (table: Printed, title: string, id: string, stem: string) => string;
/** The formats of saved tables: [name, file ending, MIME type, function that writes it]. */
const FORMATS: [string, string, string, Make][] = [
  ["CSV", "csv", "text/csv", csvTable],
  ["LaTeX", "tex", "text/x-tex", latexTable],
  ["Markdown", "md", "text/markdown", markdownTable],
];

/** A menu that saves or copies a table as it is on screen at that moment. `where`: the settings for its title. */
export function tableSavers(table: () => Printed, id: string, title: string, where: () => string): Node {
  const stem = fileStem();
  const rows = FORMATS.map(([name, ending, type, make]) => {
    const text = (): string => make(table(), title + (where() && ` (${where()})`), id, stem);
    const keep = (): void => save(`${stem}-${id}.${ending}`, new Blob([text()], { type }));
    return div(
      "menurow",
      h("span", null, name),
      button(t("saveFile"), keep, {
        class: "small",
        "data-table": `${id}.${ending}`,
        "aria-label": t("saveAs", name, title),
      }),
      copyButton(text, t("copyAs", name, title)),
    );
  });
  return menu(t("export"), `${t("export")}: ${title}`, rows);
}
