// The overview's sections, top to bottom, each drawn when it is in sight or when there is time.
import { $, button, h, put } from "../common/dom.ts";
import { t } from "../common/words.ts";
import { open } from "./evidence/open.ts";
import { drawChart } from "./sections/accuracy.ts";
import { drawAnalysis, drawReferences, drawSecond, drawSheets } from "./sections/analyses.ts";
import { drawBreakdown } from "./sections/breakdown.ts";
import { drawConfusion } from "./sections/confusion.ts";
import { drawCorrelations } from "./sections/correlations.ts";
import { drawCurves } from "./sections/curves.ts";
import { drawAbout, drawIntro } from "./sections/intro.ts";
import { drawJudge } from "./sections/judge.ts";
import { drawTables } from "./sections/overview.ts";
import { drawRanks } from "./sections/ranks.ts";
import { drawRobustness } from "./sections/robustness.ts";
import { drawScorings } from "./sections/scorings.ts";
import { drawStatus } from "./sections/status.ts";
import { offerMetrics } from "./view.ts";

/** The parts of the page, top to bottom: [id, how it is drawn]. Each is null where there is nothing to show. */
const PARTS = [
  ["intro", () => drawIntro()],
  ["tables", () => drawTables()],
  ["about", () => drawAbout()],
  ["ranks", () => drawRanks()],
  ["accuracy", () => drawChart()],
  ["extracted", () => drawAnalysis("extraction")],
  ["leveled", () => drawAnalysis("gaps")],
  ["scorings", () => drawScorings()],
  ["robust", () => drawRobustness()],
  ["slices", () => drawBreakdown()],
  ["confused", () => drawConfusion()],
  ["learn", () => drawCurves()],
  ["judged", () => drawJudge()],
  ["second", () => drawSecond()],
  ["correlated", () => drawCorrelations()],
  ["sheets", () => drawSheets()],
  ["references", () => drawReferences()],
  ["statuses", () => drawStatus()],
];

const stale = new Map(); // parts out of sight that are to be drawn again, and where they were scrolled to

/** Draw what is in sight at once, and the rest when there is time: a change of a setting must not wait for all of it. */
export function drawOverview() {
  offerMetrics();
  if (!$("part-intro"))
    put(
      $("main"),
      PARTS.map(([id]) => [
        h("div", { id: `part-${id}`, class: "part" }),
        id === "intro" && h("nav", { id: "sections", class: "sections" }),
      ]),
    );
  delete document.documentElement.dataset.drawn;
  const boxes = PARTS.map(([id, draw]) => [id, draw, $(`part-${id}`)]);
  const visibleNow = ([, , box]) => {
    const edge = box.getBoundingClientRect();
    return edge.top < innerHeight && edge.bottom >= 0;
  };
  // Where parts stand and are scrolled to is asked before any is drawn: after it, each answer would cost a layout. New ones stand nowhere yet.
  const seen = boxes.some(([, , box]) => box.firstChild) && boxes.map(visibleNow),
    scrolled = boxes.map(([, , box]) => scrolledIn(box));
  boxes.forEach((part, i) => {
    if (seen ? seen[i] : visibleNow(part)) drawPart(part[2], part[1], scrolled[i]);
    else stale.set(part[0], scrolled[i]);
  });
  drawSections();
  later(drawStale);
}

/** What there is below, to go to. */
function drawSections() {
  const heads = PARTS.map(([id]) => $(`part-${id}`).querySelector("h2")).filter(Boolean);
  const there = (head) => () => {
    head.closest(".part").scrollIntoView();
    head.tabIndex = -1;
    head.focus({ preventScroll: true });
  };
  $("sections").setAttribute("aria-label", t("sections"));
  put(
    $("sections"),
    heads.map((head) => button(head.firstChild.textContent, there(head), { class: "link" })),
  );
}

const later = (work) => (globalThis.requestIdleCallback ?? setTimeout)(work);

function drawStale() {
  if (open) return;
  if (!drawNext()) {
    drawSections();
    document.documentElement.dataset.drawn = "all";
    return;
  }
  later(drawStale);
}

export function drawNext() {
  const next = PARTS.find(([id]) => stale.has(id));
  if (next) drawPart($(`part-${next[0]}`), next[1], stale.get(next[0]));
  return Boolean(next);
}

/** The places in a part that are scrolled: [number, left, top]. */
const scrolledIn = (box) =>
  [...box.querySelectorAll(".scroll")]
    .map((x, i) => [i, x.scrollLeft, x.scrollTop])
    .filter(([, left, top]) => left || top);

/** Draw a part anew where it stands: focus and scrolled places are kept. */
function drawPart(box, draw, scrolled) {
  stale.delete(box.id.slice("part-".length));
  const focus = box.contains(document.activeElement) && document.activeElement.closest("[data-keep]")?.dataset.keep;
  put(box, draw());
  const regions = box.querySelectorAll(".scroll"); // only those moved are moved again: each asks for a layout
  for (const [i, left, top] of scrolled)
    if (regions[i]) Object.assign(regions[i], { scrollLeft: left, scrollTop: top });
  if (focus)
    box
      .querySelector(`[data-keep="${CSS.escape(focus)}"]`)
      ?.querySelector("button,select,input")
      ?.focus();
}
