// Findings: sentences of evalsuite/analyses/findings, each with a link to its evidence.
import { button, byId, h } from "../../common/dom.ts";
import { inChinese, t } from "../../common/words.ts";
import { cellRoute, go } from "../address.ts";
import { data } from "../data.ts";
import type { Finding } from "../types.ts";

const MOST = 6; // sentences shown; a page of several benchmarks may have more

export function drawFindings() {
  if (!data.findings.length) return null;
  const [first, ...others] = data.findings.slice(0, MOST);
  return h(
    "div",
    { class: "findings", id: "findings", role: "group", "aria-label": t("findings") },
    sentenceNode(first),
    others.length > 0 &&
      h(
        "details",
        { id: "findings-more", open: Boolean(byId<HTMLDetailsElement>("findings-more")?.open) },
        h("summary", null, t("moreFindings", others.length)),
        others.map(sentenceNode),
      ),
  );
}

function sentenceNode(finding: Finding) {
  const [sentence, test] = inChinese() ? [finding.zh, finding.test_zh] : [finding.en, finding.test_en];
  const cell = finding.cell === null ? undefined : data.cells[finding.cell];
  return h(
    "p",
    null,
    h("span", { class: "data" }, sentence),
    " ",
    test && h("small", null, test, " "),
    cell &&
      h(
        "span",
        { class: "together" },
        test && h("small", null, "· "),
        button(t("evidence"), () => go(cellRoute(cell)), {
          class: "link",
          "aria-label": `${t("evidence")}: ${sentence}`,
        }),
      ),
  );
}
