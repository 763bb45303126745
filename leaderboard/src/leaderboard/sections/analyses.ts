// Sections that show sheets of analyses as tables.
import { h, note, section } from "../../common/dom.ts";
import { t } from "../../common/words.ts";
import { data } from "../data.ts";
import { state } from "../state.ts";
import { sheetNode, sheetSection } from "../tables/sheet.ts";

/** The sheets of all analyses but `names`, which other sections show. */
export const drawOtherSheets = (names: string[]) =>
  sheetSection("sheets", t("moreTables"), ({ analysis = "" }) => !names.includes(analysis));

/** A section with the sheets of some analyses. Its id is the first name; `title`: the key of its title. */
export const drawAnalyses = (names: string[], title = names[0]) =>
  sheetSection(names[0], t(title), ({ analysis = "", columns }) => names.includes(analysis) && columns.length > 0);

/** The papers' figures that are no scores of models. */
export function drawReferences() {
  const wanted = state.published ? (data.references ?? []) : [];
  const nodes = wanted.map((sheet, n) => sheetNode({ ...sheet, run: 0 }, { id: `reference-${n + 1}` }));
  return nodes.length > 0 ? section("reference", h("h2", null, t("figures")), note(t("figuresNote")), nodes) : null;
}
