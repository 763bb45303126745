// The table of contents: the page's sections by groups, and the folds around long sections.
import { $, button, byId, h, setChildren } from "../common/dom.ts";
import { closeByEscape } from "../common/menu.ts";
import { listed, t } from "../common/words.ts";
import { rememberFold } from "./actions.ts";
import { state } from "./state.ts";

export interface Section {
  /** The id of the section's box. */
  id: string;
  /** The key in words.json of its group's title. */
  group: string;
  head: HTMLElement;
}

const WIDE = "(min-width: 68.75rem)"; // as in page.css
const isWide = () => matchMedia(WIDE).matches;

/** The id of the section at the top of the window. */
let reading = "";
// Whether a person chose `reading` by its link. Scrolling then does not change it: a section near the end of the page cannot
// reach the top of the window.
let chosen = false;

/** Draw the list of sections: at the side of a wide window, as a menu in a narrow one. */
export function drawContents(all: Section[]) {
  const groups = [...new Set(all.map(({ group }) => group))];
  const nav = $("sections");
  nav.setAttribute("aria-label", t("sections"));
  setChildren(
    nav,
    h(
      "details",
      { id: "contents", class: isWide() ? "" : "menu", open: isWide(), onkeydown: (e) => isWide() || closeByEscape(e) },
      h("summary", null, t("sections")),
      groups.map((group) =>
        h(
          "div",
          { role: "group", "aria-label": t(`group.${group}`) },
          h("p", { class: "muted", "aria-hidden": "true" }, t(`group.${group}`)),
          all.filter((section) => section.group === group).map(linkTo),
        ),
      ),
    ),
  );
  mark();
}

const linkTo = ({ id, head }: Section) => {
  const goTo = () => {
    if (!isWide()) $<HTMLDetailsElement>("contents").open = false;
    const fold = head.closest<HTMLDetailsElement>("details.section");
    if (fold) fold.open = true;
    $(id).scrollIntoView();
    const target = fold?.querySelector("summary") ?? head;
    if (!fold) head.tabIndex = -1;
    target.focus({ preventScroll: true });
    chosen = true;
    reading = id;
    mark();
  };
  return button(head.firstChild?.textContent, goTo, { class: "link", "data-section": id });
};

/** While the person scrolls, mark the section at the top of the window in the table of contents. */
export function followReading(boxes: HTMLElement[]) {
  matchMedia(WIDE).addEventListener("change", ({ matches }) => {
    const box = byId<HTMLDetailsElement>("contents");
    if (!box) return;
    box.open = matches;
    box.classList.toggle("menu", !matches);
  });
  const note = (entries: IntersectionObserverEntry[]) => {
    const now = entries.find((entry) => entry.isIntersecting);
    if (!now || chosen) return;
    reading = now.target.id;
    mark();
  };
  const watcher = new IntersectionObserver(note, { rootMargin: "-12% 0px -87% 0px" });
  for (const box of boxes) watcher.observe(box);
  for (const move of ["wheel", "touchmove", "keydown", "pointerdown"] as const)
    addEventListener(
      move,
      () => {
        chosen = false;
      },
      { passive: true },
    );
}

function mark() {
  for (const link of document.querySelectorAll<HTMLElement>("[data-section]")) {
    if (link.dataset.section === reading) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

const MOST_TITLES = 3;

/** Fold a section. Its title stays visible, with its findings or else with the titles of its parts. */
export function foldSection(id: string, box: HTMLElement) {
  const section = box.firstElementChild;
  const head = section?.querySelector("h2");
  if (!section || !head) return;
  const heads = [...section.querySelectorAll("h3, figcaption strong")].flatMap((x) => x.firstChild?.textContent ?? []);
  const titles = [...new Set(heads)].filter((x) => x.trim());
  // A folded section shows its titles in its summary; without any, the first sentence of its note.
  if (!titles.length) titles.push(section.querySelector(".note")?.textContent?.split(/(?<=。|\.(?= ))/)[0] ?? "");
  const more = titles.length - MOST_TITLES;
  const tables = section.querySelectorAll("table").length;
  const findings = [...section.querySelectorAll(":scope > .found")];
  const inside = [
    !findings.length && listed(titles.slice(0, MOST_TITLES)) + (more > 0 ? t("andMore", more) : ""),
    ...findings.map((x) => x.textContent),
    tables > 0 && t("nTables", tables),
  ];
  const key = `section-${id}`;
  const fold = h(
    "details",
    { class: "section", open: state.unfolded.includes(key) },
    h("summary", null, head, h("small", null, ` ${inside.filter(Boolean).join(" · ")}`)),
    ...section.childNodes,
  );
  fold.addEventListener("toggle", () => rememberFold(key, fold.open));
  for (const x of findings) x.remove();
  setChildren(section, fold);
}
