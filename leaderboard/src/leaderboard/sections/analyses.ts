// Sections that show sheets of analyses as tables.
import { h, para } from "../../common/dom.ts";
import { t } from "../../common/words.ts";
import { data } from "../data.ts";
import { state } from "../state.ts";
import { sheetNode, sheetSection } from "../tables/sheet.ts";

/** Analyses whose sheets stand in sections of their own. */
// biome-ignore format: a table of names
const DRAWN = new Set([
  "judge", "judge_details", "extraction", "gaps", "second", "parted", "memory", "contamination", "breakdowns", "confusions", "confusion_matrix",
  "correlation_matrix", "detectable", "stability", "votes", "calibration", "reliability", "learning_details",
  "robustness_details", "token_details",
]);

/** The sheets of every analysis that has no section of its own. */
export const drawSheets = () => sheetSection("sheets", t("moreTables"), (sheet) => !DRAWN.has(sheet.analysis ?? ""));

/** The sheets of some analyses; the section has the id of the first. */
export const drawAnalyses = (title: string, ...names: string[]) =>
  sheetSection(names[0], t(title), ({ analysis = "", columns }) => names.includes(analysis) && columns.length > 0);

export const drawAnalysis = (name: string) => drawAnalyses(name, name);

/** The papers' figures that are no scores of models. */
export function drawReferences() {
  const wanted = state.published ? (data.references ?? []) : [];
  const nodes = wanted.map((sheet, n) => sheetNode({ ...sheet, run: 0 }, { id: `reference-${n + 1}` }));
  return nodes.length > 0
    ? h(
        "section",
        { class: "block", id: "reference" },
        h("h2", null, t("figures")),
        para("note", t("figuresNote")),
        nodes,
      )
    : null;
}
