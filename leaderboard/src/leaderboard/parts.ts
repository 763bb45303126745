// The overview's sections, top to bottom, each drawn when it is in sight or when there is time.
import { $, button, byId, h, type Kid, put } from "../common/dom.ts";
import { t } from "../common/words.ts";
import { open } from "./evidence/open.ts";
import { offerMetrics } from "./offered.ts";
import { drawChart } from "./sections/accuracy.ts";
import { drawAnalysis, drawReferences, drawSecond, drawSheets } from "./sections/analyses.ts";
import { drawBreakdown } from "./sections/breakdown.ts";
import { drawConfusion } from "./sections/confusion.ts";
import { drawCorrelations } from "./sections/correlations.ts";
import { drawCurves } from "./sections/curves.ts";
import { drawFindings } from "./sections/findings.ts";
import { drawAbout, drawIntro } from "./sections/intro.ts";
import { drawJudge } from "./sections/judge.ts";
import { drawMemory } from "./sections/memory.ts";
import { drawTables } from "./sections/overview.ts";
import { drawRanks } from "./sections/ranks.ts";
import { drawRobustness } from "./sections/robustness.ts";
import { drawScorings } from "./sections/scorings.ts";
import { drawStatus } from "./sections/status.ts";
import { drawTokens } from "./sections/tokens.ts";
import { drawWholes } from "./sections/whole.ts";
import { wholes } from "./whole.ts";

/** The parts of the page, top to bottom: [id, how it is drawn]. Each draws nothing where there is nothing to show. */
const PARTS: [id: string, draw: () => Kid][] = [
  ["intro", drawIntro],
  ["whole", drawWholes],
  ["found", () => wholes().length > 0 && drawFindings()], // else in the intro
  ["tables", drawTables],
  ["about", drawAbout],
  ["ranks", drawRanks],
  ["accuracy", drawChart],
  ["extracted", () => drawAnalysis("extraction")],
  ["leveled", () => drawAnalysis("gaps")],
  ["scorings", drawScorings],
  ["tokens", drawTokens],
  ["robust", drawRobustness],
  ["remembered", drawMemory],
  ["seen", () => drawAnalysis("contamination")],
  ["slices", drawBreakdown],
  ["confused", drawConfusion],
  ["learn", drawCurves],
  ["judged", drawJudge],
  ["second", drawSecond],
  ["correlated", drawCorrelations],
  ["sheets", drawSheets],
  ["references", drawReferences],
  ["statuses", drawStatus],
];

/** A place in a part that is scrolled. */
type Scrolled = [number: number, left: number, top: number];
/** Parts out of sight that are to be drawn again, and where they were scrolled to. */
const stale = new Map<string, Scrolled[]>();

const boxOf = (id: string) => $(`part-${id}`);

/** Parts in sight, as the browser tells of itself: to ask where they stand costs a layout at every change. */
const inSight = new Set<string>();
function watch(boxes: HTMLElement[]) {
  const note = (entry: IntersectionObserverEntry) =>
    entry.isIntersecting ? inSight.add(entry.target.id) : inSight.delete(entry.target.id);
  const watcher = new IntersectionObserver((entries) => entries.forEach(note));
  for (const box of boxes) watcher.observe(box);
}
/** Whether a part is in the window, before the browser's observer has reported. */
function isVisible(id: string) {
  const edge = boxOf(id).getBoundingClientRect();
  return edge.top < innerHeight && edge.bottom >= 0;
}

/** Draw what is in sight at once, and the rest when there is time: a change of a setting must not wait for all of it. */
export function drawOverview() {
  offerMetrics();
  if (!byId("part-intro")) layOut();
  delete document.documentElement.dataset.drawn;
  const told = inSight.size > 0;
  // Scroll positions are read before any part is drawn: after it, each reading would cost a layout.
  const scrolled = PARTS.map(([id]) => scrolledIn(boxOf(id)));
  PARTS.forEach(([id, draw], i) => {
    if (told ? inSight.has(`part-${id}`) : isVisible(id)) drawPart(id, draw, scrolled[i]);
    else stale.set(id, scrolled[i]);
  });
  drawSections();
  later(drawStale);
}

/** The empty parts, and what leads to them. */
function layOut() {
  inSight.clear();
  const boxes = PARTS.map(([id]) => h("div", { id: `part-${id}`, class: "part" }));
  const [first, ...others] = boxes;
  put($("main"), [first, h("nav", { id: "sections", class: "sections" }), others]);
  watch(boxes);
}

/** Links to the sections below. */
function drawSections() {
  const heads = PARTS.flatMap(([id]) => boxOf(id).querySelector("h2") ?? []);
  const goTo = (head: HTMLElement) => {
    head.closest(".part")?.scrollIntoView();
    head.tabIndex = -1;
    head.focus({ preventScroll: true });
  };
  $("sections").setAttribute("aria-label", t("sections"));
  put(
    $("sections"),
    heads.map((head) => button(head.firstChild?.textContent, () => goTo(head), { class: "link" })),
  );
}

const idle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work));
/** When the browser is idle, but soon: one that is busy, or whose window is hidden, may be idle once in ten seconds only. */
const later = (work: () => void) => idle(work, { timeout: 200 });

function drawStale() {
  if (open) return;
  if (drawNext()) {
    later(drawStale);
    return;
  }
  drawSections();
  document.documentElement.dataset.drawn = "all";
}

/** Draw the next part that is out of sight; false if there is none. */
export function drawNext() {
  const [id, draw] = PARTS.find(([id]) => stale.has(id)) ?? [];
  if (id && draw) drawPart(id, draw, stale.get(id) ?? []);
  return id !== undefined;
}

/** Nodes that were ever scrolled: the others are not asked, since each answer lays out a part that is out of sight, too. */
const moved = new WeakSet<EventTarget>();
addEventListener("scroll", ({ target }) => target && moved.add(target), true);

const scrolledIn = (box: HTMLElement) =>
  [...box.querySelectorAll(".scroll")].flatMap((x, i): Scrolled[] =>
    moved.has(x) ? [[i, x.scrollLeft, x.scrollTop]] : [],
  );

/** Draw a part anew where it stands: focus and scrolled places are kept. */
function drawPart(id: string, draw: () => Kid, scrolled: Scrolled[]) {
  const box = boxOf(id);
  stale.delete(id);
  const focus = box.contains(document.activeElement) && document.activeElement?.closest<HTMLElement>("[data-keep]");
  put(box, draw());
  const regions = box.querySelectorAll(".scroll"); // only those moved are moved again: each asks for a layout
  for (const [i, left, top] of scrolled) {
    if (!regions[i]) continue;
    moved.add(regions[i]);
    Object.assign(regions[i], { scrollLeft: left, scrollTop: top });
  }
  const again = focus && box.querySelector(`[data-keep="${CSS.escape(focus.dataset.keep ?? "")}"]`);
  if (again) again.querySelector<HTMLElement>("button,select,input")?.focus();
}
