// The overview's sections from top to bottom. Sections in the window are drawn at once, the others when the browser is idle.
import { $, byId, h, type Kid, setChildren } from "../common/dom.ts";
import { whenIdle } from "../common/idle.ts";
import { drawContents, foldSection, followReading, type Section } from "./contents.ts";
import { openCell } from "./evidence/open.ts";
import { offerMetrics } from "./metric_choice.ts";
import { drawChart } from "./sections/accuracy.ts";
import { drawAnalyses, drawOtherSheets, drawReferences } from "./sections/analyses.ts";
import { drawGroupTables } from "./sections/benchmark_groups.ts";
import { drawCharted } from "./sections/charted.ts";
import { drawAbout, drawIntro } from "./sections/intro.ts";
import { drawJudge } from "./sections/judge.ts";
import { drawOtherTables, drawTables } from "./sections/overview.ts";
import { drawRanks } from "./sections/ranks.ts";
import { drawScorings } from "./sections/scorings.ts";
import { drawStatus } from "./sections/status.ts";

/** A function that draws the sheets of some analyses as one section. `id` is the section's id, and the key of its title. */
const charted = (id: string) => (analyses: string[]) => drawCharted(id, analyses);

/** The sections from top to bottom: [id, function that draws it, its group in the contents, the analyses whose sheets it shows]. The
 *  function gets these analyses, and returns nothing if there is nothing to show. */
const PARTS: [id: string, draw: (analyses: string[]) => Kid, group: SectionGroup, ...analyses: string[]][] = [
  ["intro", drawIntro, "scores"],
  ["whole", drawGroupTables, "scores"],
  ["tables", drawTables, "scores"],
  ["others", drawOtherTables, "scores"],
  ["ranks", drawRanks, "scores"],
  ["accuracy", drawChart, "scores"],
  ["scorings", drawScorings, "scores"],
  ["tokens", charted("tokens"), "scores", "token_details"],
  ["sized", drawAnalyses, "scores", "detectable"],
  ["learn", charted("learning"), "scores", "learning_details"],
  ["robust", charted("robustness"), "robust", "robustness_details"],
  ["steady", drawAnalyses, "robust", "stability"],
  ["voted", charted("votes"), "robust", "votes"],
  ["leveled", drawAnalyses, "robust", "gaps"],
  ["remembered", charted("memory"), "robust", "memory"],
  ["seen", drawAnalyses, "robust", "contamination"],
  ["judged", drawJudge, "diagnosis", "judge", "judge_details"],
  ["second", (names) => drawAnalyses(names, "secondReader"), "diagnosis", "second", "parted"],
  ["extracted", drawAnalyses, "diagnosis", "extraction"],
  [
    "calibrated",
    ([first, above]) => drawCharted("calibration", [first], [above]),
    "diagnosis",
    "reliability",
    "calibration",
  ],
  ["slices", charted("breakdown"), "diagnosis", "breakdowns"],
  ["confused", charted("confusion"), "diagnosis", "confusion_matrix", "confusions"],
  ["correlated", charted("correlations"), "diagnosis", "correlation_matrix"],
  ["statuses", drawStatus, "diagnosis"],
  ["about", drawAbout, "appendix"],
  ["sheets", () => drawOtherSheets(PARTS.flatMap(([, , , ...analyses]) => analyses)), "appendix"],
  ["references", drawReferences, "appendix"],
];
type SectionGroup = "scores" | "robust" | "diagnosis" | "appendix";
/** Long sections, which are folded until a person opens them. */
// biome-ignore format: a list of names
const FOLDED = new Set([
  "sized", "steady", "voted", "leveled", "remembered", "extracted", "calibrated", "slices", "confused", "correlated", "statuses", "sheets", "references",
]);

/** A scrolling region of a section, by its index, and its scroll position. */
type Scrolled = [number: number, left: number, top: number];
/** Sections outside the window that must be redrawn, with their scroll positions. */
const stale = new Map<string, Scrolled[]>();

const boxOf = (id: string) => $(`part-${id}`);

/** Sections in the window, as an observer reports them: to read their positions would force a layout at every change. */
const inWindow = new Set<string>();
function watch(boxes: HTMLElement[]) {
  const note = (entry: IntersectionObserverEntry) =>
    entry.isIntersecting ? inWindow.add(entry.target.id) : inWindow.delete(entry.target.id);
  const watcher = new IntersectionObserver((entries) => entries.forEach(note));
  for (const box of boxes) watcher.observe(box);
}
/** Whether a section is in the window. Used only until the observer has reported. */
function isVisible(id: string) {
  const edge = boxOf(id).getBoundingClientRect();
  return edge.top < innerHeight && edge.bottom >= 0;
}

/** Draw the sections in the window at once and the others when the browser is idle, so that a change of a setting shows at once. */
export function drawOverview() {
  offerMetrics();
  if (!byId("part-intro")) layOut();
  delete document.documentElement.dataset.drawn;
  const observed = inWindow.size > 0;
  // Scroll positions are read before any section is drawn: afterwards, each reading would force a layout.
  const scrolled = PARTS.map(([id]) => scrolledIn(boxOf(id)));
  PARTS.forEach((part, i) => {
    const [id] = part;
    if (observed ? inWindow.has(`part-${id}`) : isVisible(id)) drawPart(part, scrolled[i]);
    else stale.set(id, scrolled[i]);
  });
  drawContents(sections());
  whenIdle(drawStale, 500); // the browser first paints the sections in the window
}

/** The sections that are not empty, each with its group. */
const sections = (): Section[] =>
  PARTS.flatMap(([id, , group]) => {
    const head = boxOf(id).querySelector<HTMLElement>("h2");
    return head ? [{ id: `part-${id}`, group, head }] : [];
  });

/** Lay out the empty boxes of all sections, and the contents that link to them. */
function layOut() {
  inWindow.clear();
  const boxes = PARTS.map(([id]) => h("div", { id: `part-${id}`, class: "part" }));
  const [first, ...others] = boxes;
  setChildren($("main"), [first, h("nav", { id: "sections", class: "sections" }), others]);
  watch(boxes);
  followReading(boxes);
}

function drawStale() {
  if (openCell) return;
  if (drawNext()) {
    whenIdle(drawStale);
    return;
  }
  drawContents(sections());
  document.documentElement.dataset.drawn = "all";
}

/** Draw the next section outside the window that must be redrawn; false if there is none. */
export function drawNext() {
  const part = PARTS.find(([id]) => stale.has(id));
  if (part) drawPart(part, stale.get(part[0]) ?? []);
  return part !== undefined;
}

/** Nodes that have been scrolled. Only their positions are read, since each reading makes the browser compute the layout. */
const moved = new WeakSet<EventTarget>();
addEventListener("scroll", ({ target }) => target && moved.add(target), true);

const scrolledIn = (box: HTMLElement) =>
  [...box.querySelectorAll(".scroll")].flatMap((x, i): Scrolled[] =>
    moved.has(x) ? [[i, x.scrollLeft, x.scrollTop]] : [],
  );

/** Redraw a section in place: focus and scroll positions stay. */
function drawPart([id, draw, , ...analyses]: (typeof PARTS)[number], scrolled: Scrolled[]) {
  const box = boxOf(id);
  stale.delete(id);
  const focus = box.contains(document.activeElement) && document.activeElement?.closest<HTMLElement>("[data-keep]");
  setChildren(box, draw(analyses));
  if (FOLDED.has(id)) foldSection(id, box);
  const regions = box.querySelectorAll(".scroll"); // regions at their start are left alone: scrolling forces a layout
  for (const [i, left, top] of scrolled) {
    if (!regions[i]) continue;
    moved.add(regions[i]);
    Object.assign(regions[i], { scrollLeft: left, scrollTop: top });
  }
  const again = focus && box.querySelector(`[data-keep="${CSS.escape(focus.dataset.keep ?? "")}"]`);
  if (again) again.querySelector<HTMLElement>("button,select,input")?.focus();
}
