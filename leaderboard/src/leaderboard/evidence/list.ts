// A list of which only the lines in sight exist, so that 100,000 scroll like ten.
import { h, put } from "../../common/dom.ts";

const SPARE = 6; // lines drawn beyond either edge

/** Fill `box` with `count` lines, all as high as the first; `line(i)` returns the content of the i-th. */
export function longList(box, count, line) {
  const space = h("ol", { class: "rows" });
  put(box, space);
  if (!count) return { redraw() {}, show() {} };
  const lineAt = (i) => h("li", { "aria-setsize": count, "aria-posinset": i + 1 }, line(i));
  let from = -1,
    to = -1,
    high = 0;
  /** How high a line is; 0 while the list is not on screen. */
  function measure() {
    if (!space.firstChild) space.append(lineAt(0));
    high = space.firstChild.getBoundingClientRect().height;
    space.style.height = `${count * high}px`;
    return high;
  }
  function draw(again) {
    if (!high && !measure()) return;
    const first = Math.max(0, Math.floor(box.scrollTop / high) - SPARE),
      last = Math.min(count, Math.ceil((box.scrollTop + box.clientHeight) / high) + SPARE);
    if (!again && first === from && last === to) return;
    [from, to] = [first, last];
    const inside = space.contains(document.activeElement),
      focused = document.activeElement?.closest("li")?.getAttribute("aria-posinset");
    put(
      space,
      Array.from({ length: to - from }, (_, i) => lineAt(from + i)),
    );
    [...space.children].forEach((node, i) => {
      node.style.top = `${(from + i) * high}px`;
    });
    if (inside) space.querySelector(`[aria-posinset="${focused}"] button`)?.focus({ preventScroll: true });
  }
  box.onscroll = () => draw(false);
  draw(true);
  return {
    redraw: () => draw(true),
    /** Bring line `i` into sight. */
    show(i) {
      if (!high && !measure()) return;
      if (i * high < box.scrollTop || (i + 1) * high > box.scrollTop + box.clientHeight)
        box.scrollTop = Math.max(0, (i + 0.5) * high - box.clientHeight / 2);
      draw(true);
    },
  };
} // the cell on screen
