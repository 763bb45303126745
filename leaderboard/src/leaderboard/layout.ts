// The overview's sections from top to bottom. Those in the window are drawn at once, the others when the browser is idle.
import { $, byId, h, type Kid, put } from "../common/dom.ts";
import { later } from "../common/idle.ts";
import { drawContents, foldSection, followReading, type Section } from "./contents.ts";
import { open } from "./evidence/open.ts";
import { offerMetrics } from "./metric_choice.ts";
import { drawChart } from "./sections/accuracy.ts";
import { drawAnalyses, drawAnalysis, drawReferences, drawSheets } from "./sections/analyses.ts";
import { drawWholes } from "./sections/benchmark_groups.ts";
import { drawCharted } from "./sections/charted.ts";
import { drawAbout, drawIntro } from "./sections/intro.ts";
import { drawJudge } from "./sections/judge.ts";
import { drawOtherTables, drawTables } from "./sections/overview.ts";
import { drawRanks } from "./sections/ranks.ts";
import { drawScorings } from "./sections/scorings.ts";
import { drawStatus } from "./sections/status.ts";

/** The sections from top to bottom: [id, function that draws it, its group in the contents]. The function returns nothing if there
 *  is nothing to show. */
const PARTS: [id: string, draw: () => Kid, group: Group][] = [
  ["intro", drawIntro, "scores"],
  ["whole", drawWholes, "scores"],
  ["tables", drawTables, "scores"],
  ["others", drawOtherTables, "scores"],
  ["ranks", drawRanks, "scores"],
  ["accuracy", drawChart, "scores"],
  ["scorings", drawScorings, "scores"],
  ["tokens", () => drawCharted("tokens", ["token_details"]), "scores"],
  ["sized", () => drawAnalysis("detectable"), "scores"],
  ["learn", () => drawCharted("learning", ["learning_details"]), "scores"],
  ["robust", () => drawCharted("robustness", ["robustness_details"]), "robust"],
  ["steady", () => drawAnalysis("stability"), "robust"],
  ["voted", () => drawCharted("votes", ["votes"]), "robust"],
  ["leveled", () => drawAnalysis("gaps"), "robust"],
  ["remembered", () => drawCharted("memory", ["memory"]), "robust"],
  ["seen", () => drawAnalysis("contamination"), "robust"],
  ["judged", drawJudge, "diagnosis"],
  ["second", () => drawAnalyses("secondReader", "second", "parted"), "diagnosis"],
  ["extracted", () => drawAnalysis("extraction"), "diagnosis"],
  ["calibrated", () => drawCharted("calibration", ["reliability"], ["calibration"]), "diagnosis"],
  ["slices", () => drawCharted("breakdown", ["breakdowns"]), "diagnosis"],
  ["confused", () => drawCharted("confusion", ["confusion_matrix", "confusions"]), "diagnosis"],
  ["correlated", () => drawCharted("correlations", ["correlation_matrix"]), "diagnosis"],
  ["statuses", drawStatus, "diagnosis"],
  ["about", drawAbout, "appendix"],
  ["sheets", drawSheets, "appendix"],
  ["references", drawReferences, "appendix"],
];
type Group = "scores" | "robust" | "diagnosis" | "appendix";
/** Long sections, which are folded until a person opens them. */
// biome-ignore format: a list of names
const FOLDED = new Set([
  "sized", "steady", "voted", "leveled", "remembered", "extracted", "calibrated", "slices", "confused", "correlated", "statuses", "sheets", "references",
]);

/** The scroll position of a section's n-th scrolling region. */
type Scrolled = [number: number, left: number, top: number];
/** Sections outside the window that must be redrawn, with their scroll positions. */
const stale = new Map<string, Scrolled[]>();

const boxOf = (id: string) => $(`part-${id}`);

/** Sections in the window, as an observer reports them: reading their positions would force a layout at every change. */
const inSight = new Set<string>();
function watch(boxes: HTMLElement[]) {
  const note = (entry: IntersectionObserverEntry) =>
    entry.isIntersecting ? inSight.add(entry.target.id) : inSight.delete(entry.target.id);
  const watcher = new IntersectionObserver((entries) => entries.forEach(note));
  for (const box of boxes) watcher.observe(box);
}
/** Whether a section is in the window; asked only until the observer has reported. */
function isVisible(id: string) {
  const edge = boxOf(id).getBoundingClientRect();
  return edge.top < innerHeight && edge.bottom >= 0;
}

/** Draw the sections in the window at once and the others when the browser is idle, so that a change of a setting shows at once. */
export function drawOverview() {
  offerMetrics();
  if (!byId("part-intro")) layOut();
  delete document.documentElement.dataset.drawn;
  const observed = inSight.size > 0;
  // Scroll positions are read before any section is drawn: afterwards, each reading would force a layout.
  const scrolled = PARTS.map(([id]) => scrolledIn(boxOf(id)));
  PARTS.forEach(([id, draw], i) => {
    if (observed ? inSight.has(`part-${id}`) : isVisible(id)) drawPart(id, draw, scrolled[i]);
    else stale.set(id, scrolled[i]);
  });
  drawContents(sections());
  later(drawStale, 500); // the browser first paints the sections in sight
}

/** The sections that are not empty, each with its group. */
const sections = (): Section[] =>
  PARTS.flatMap(([id, , group]) => {
    const head = boxOf(id).querySelector<HTMLElement>("h2");
    return head ? [{ id: `part-${id}`, group, head }] : [];
  });

/** Lay out the empty boxes of all sections, and the contents that link to them. */
function layOut() {
  inSight.clear();
  const boxes = PARTS.map(([id]) => h("div", { id: `part-${id}`, class: "part" }));
  const [first, ...others] = boxes;
  put($("main"), [first, h("nav", { id: "sections", class: "sections" }), others]);
  watch(boxes);
  followReading(boxes);
}

function drawStale() {
  if (open) return;
  if (drawNext()) {
    later(drawStale);
    return;
  }
  drawContents(sections());
  document.documentElement.dataset.drawn = "all";
}

/** Draw the next section outside the window that must be redrawn; false if there is none. */
export function drawNext() {
  const [id, draw] = PARTS.find(([id]) => stale.has(id)) ?? [];
  if (id && draw) drawPart(id, draw, stale.get(id) ?? []);
  return id !== undefined;
}

/** Nodes that have been scrolled. Only their positions are read, since each reading makes the browser compute the layout. */
const moved = new WeakSet<EventTarget>();
addEventListener("scroll", ({ target }) => target && moved.add(target), true);

const scrolledIn = (box: HTMLElement) =>
  [...box.querySelectorAll(".scroll")].flatMap((x, i): Scrolled[] =>
    moved.has(x) ? [[i, x.scrollLeft, x.scrollTop]] : [],
  );

/** Redraw a section in place: focus and scroll positions stay. */
function drawPart(id: string, draw: () => Kid, scrolled: Scrolled[]) {
  const box = boxOf(id);
  stale.delete(id);
  const focus = box.contains(document.activeElement) && document.activeElement?.closest<HTMLElement>("[data-keep]");
  put(box, draw());
  if (FOLDED.has(id)) foldSection(id, box);
  const regions = box.querySelectorAll(".scroll"); // only scrolled regions are scrolled again: each forces a layout
  for (const [i, left, top] of scrolled) {
    if (!regions[i]) continue;
    moved.add(regions[i]);
    Object.assign(regions[i], { scrollLeft: left, scrollTop: top });
  }
  const again = focus && box.querySelector(`[data-keep="${CSS.escape(focus.dataset.keep ?? "")}"]`);
  if (again) again.querySelector<HTMLElement>("button,select,input")?.focus();
}
