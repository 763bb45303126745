// Memorization against reasoning: a chart, then the tables of known facts, FRMM and MIB.
import { h } from "../../common/dom.ts";
import { t } from "../../common/words.ts";
import { memoryPanels } from "../charts/memory.ts";
import { savers } from "../charts/picture.ts";
import { sheetNode, sheetsOf } from "../tables/sheet.ts";

/** The section, or null if no items rest on facts that models were asked for. */
export function drawMemory() {
  const panels = memoryPanels();
  const tables = sheetsOf((sheet) => sheet.analysis === "memory").map((sheet, n) =>
    sheetNode(sheet, { id: `memory-${n + 1}` }),
  );
  if (!panels && !tables.some(Boolean)) return null;
  return h(
    "section",
    { class: "block", id: "memory" },
    h("div", { class: "titled" }, h("h2", null, t("memory")), panels && savers("memory-chart", t("memory"))),
    h("p", { class: "note" }, t("memoryNote")),
    panels,
    tables,
  );
}
