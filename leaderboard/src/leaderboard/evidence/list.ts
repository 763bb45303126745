// A long list of which only the lines in the window are nodes: 100,000 lines scroll like ten.
import { h, type Kid, setChildren } from "../../common/dom.ts";

const SPARE = 6; // lines drawn above and below the window

/** Fill `box` with `count` lines, all as high as the first; `line(i)` returns the content of the i-th. */
export function longList(box: HTMLElement, count: number, line: (i: number) => Kid) {
  const space = h("ol", { class: "rows" });
  setChildren(box, space);
  box.onscroll = null; // the handler of a previous list would draw that list's lines
  if (!count) return { redraw() {}, show(_: number) {} };
  const lineAt = (i: number) => h("li", { "aria-setsize": count, "aria-posinset": i + 1 }, line(i));
  let from = -1;
  let to = -1;
  let high = 0;
  /** Measure the height of a line; 0 while the list is not on screen. */
  function measure() {
    const first = space.firstElementChild ?? space.appendChild(lineAt(0));
    high = first.getBoundingClientRect().height;
    space.style.height = `${count * high}px`;
    return high;
  }
  function draw(again: boolean) {
    if (!high && !measure()) return;
    const first = Math.max(0, Math.floor(box.scrollTop / high) - SPARE);
    const last = Math.min(count, Math.ceil((box.scrollTop + box.clientHeight) / high) + SPARE);
    if (!again && first === from && last === to) return;
    [from, to] = [first, last];
    const focused = space.contains(document.activeElement) && document.activeElement?.closest("li");
    const lines = Array.from({ length: to - from }, (_, i) => lineAt(from + i));
    setChildren(space, lines);
    lines.forEach((node, i) => {
      node.style.top = `${(from + i) * high}px`;
    });
    const refocused = focused && lines[Number(focused.getAttribute("aria-posinset")) - 1 - from];
    if (refocused) refocused.querySelector("button")?.focus({ preventScroll: true });
  }
  box.onscroll = () => draw(false);
  draw(true);
  return {
    redraw: () => draw(true),
    /** Scroll to line `i`. */
    show(i: number) {
      if (!high && !measure()) return;
      if (i * high < box.scrollTop || (i + 1) * high > box.scrollTop + box.clientHeight)
        box.scrollTop = Math.max(0, (i + 0.5) * high - box.clientHeight / 2);
      draw(true);
    },
  };
}
export type LongList = ReturnType<typeof longList>;
