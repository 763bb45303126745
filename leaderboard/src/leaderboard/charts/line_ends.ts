// The ends of lines: a model's name and its figure beside the last point, where there is room.
import { shortened, textWidth } from "../../common/text.ts";
import { type AxisScale, type PlotArea, spreadLabels } from "./axis.ts";
import { group, label, type Points, path, tspan } from "./marks.ts";
import type { SheetLine } from "./sheet_lines.ts";

/** The plotting area of charts with names at the right. */
export const PLOT_WITH_NAMES: PlotArea = { width: 380, left: 30, right: 214, top: 10, bottom: 238 };
const GAP = 13; // the least distance of two names, in pixels
const NAMED = 9; // the most lines that have names if none is highlighted

const lastOf = ({ points }: SheetLine) => points[points.length - 1];

/** A line's key -> the vertical position of its name. Highlighted lines get names; without any, the lines with the largest weights. */
export function nameHeights(lines: SheetLine[], picked: string[], up: AxisScale): Map<string, number> {
  const weight = ({ end }: SheetLine) => end?.weight ?? 0;
  const heaviest = [...lines].sort((a, b) => weight(b) - weight(a)).slice(0, NAMED);
  const named = lines.filter((x) => (picked.length ? picked.includes(x.model ?? "") : heaviest.includes(x)));
  const wanted = named.map((x) => up(Number(lastOf(x).value)));
  const heights = spreadLabels(wanted, GAP, PLOT_WITH_NAMES.top + 2, PLOT_WITH_NAMES.bottom - 2);
  return new Map(named.map((x, i) => [x.key, heights[i]]));
}

/** The name and the figure at a line's end; a press opens the evidence of its last point. `height`: the vertical position; without
 *  one, the name is visible only under the pointer. */
export function endNode(line: SheetLine, up: AxisScale, height: number | undefined, points: Points): SVGElement {
  const last = lastOf(line);
  const y = up(Number(last.value));
  const [from, at, figure] = [PLOT_WITH_NAMES.right + 2, height ?? y, line.end?.text ?? ""];
  const name = shortened(line.key, PLOT_WITH_NAMES.width - from - 22 - textWidth(figure));
  return group(
    height === undefined ? "end quiet" : "end",
    null,
    path("lead", `M${from} ${y}L${from + 8} ${at}`),
    label(from + 11, at + 4, [name, tspan("amount", ` ${figure}`)], "start", points.pointerProps(last)),
  );
}
