// A chart with a line for each model over a few columns: unperturbed and perturbed, or numbers of shots.
import { isNumber, type Maybe, pct } from "../../common/numbers.ts";
import { plain, shortened, wide } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { type Anchor, offsetOf, type Range, type Scale, scale, spreadLabels } from "./axis.ts";
import { labelOf, lookOf, pickedOf } from "./looks.ts";
import { chanceLine, group, type LinePoint, label, line, type Panel, Points, path, tspan, upAxis } from "./marks.ts";

export interface Line {
  /** The line's model. */
  id: string;
  /** The number behind the model's name. */
  label: string;
  /** The lines of the largest weights are named. */
  weight: number;
  faint: boolean;
  dash: string;
  points: (LinePoint & { value: number })[];
}
export interface Lines extends Omit<Panel, "data"> {
  name: string;
  /** The names of the columns of points. */
  places: string[];
  lines: Line[];
  range: Range;
  chance: Maybe;
}

const GROUND = { width: 380, left: 30, right: 214, top: 10, bottom: 238 };
const GAP = 13;
const NAMED = 9;

const last = (line: Line) => line.points[line.points.length - 1];

/** The height of the name of each line that has one: every line if there are few, else highlighted ones or those of largest weight. */
function namesAt(lines: Line[], picked: string[], up: Scale): Map<string, number> {
  const heaviest = [...lines].sort((a, b) => b.weight - a.weight).slice(0, NAMED);
  const named = lines.filter((x) => (picked.length ? picked.includes(x.id) : heaviest.includes(x)));
  const wanted = named.map((x) => up(last(x).value));
  const ys = spreadLabels(wanted, GAP, GROUND.top + 2, GROUND.bottom - 2);
  return new Map(named.map((x, i) => [x.id, ys[i]]));
}

export function linePanel({ name, places, lines, range, chance, ...caption }: Lines): HTMLElement {
  const { left, right, top, bottom, width } = GROUND;
  const across = scale(0, Math.max(1, places.length - 1), left + 10, right - 10);
  const up = scale(range.low, range.high, bottom, top);
  const frame = { ground: GROUND, across, up };
  const picked = pickedOf(lines.map((x) => x.id));
  const names = namesAt(lines, picked, up);
  const anchors: Anchor[] = places.length === 2 ? ["start", "end"] : places.map(() => "middle");
  const points = new Points();
  const one = (line: Line) => {
    const { id, faint, dash } = line;
    const states = [faint && "faint", picked.length > 0 && !picked.includes(id) && "dim", !names.has(id) && "unnamed"];
    return points.series(frame, {
      line: id,
      look: lookOf(id),
      cls: states.filter(Boolean).join(" "),
      more: { "data-model": labelOf(id) },
      points: line.points,
      dash,
      shift: offsetOf(lines.indexOf(line), lines.length, 3, 12),
      cap: 2,
      r: 4,
      reach: 8,
      over: last(line),
      above: end(line, up(last(line).value), names.get(id), points),
    });
  };
  const rank = (x: Line) => (picked.includes(x.id) ? 2 : x.faint ? 0 : 1);
  const middle = (left + right) / 2;
  return points.panel(
    {
      ...caption,
      data: { "data-panel": name },
      cls: "curve lines",
      size: [width, bottom + 24],
      words: `${name}. ${t("linesLabel", lines.length)}`,
    },
    upAxis(frame, range.ticks, (v) => pct(v, 0)),
    places.map((x, i) => [
      line("grid upright", across(i), across(i), top, bottom),
      label(across(i), bottom + 17, plain(x), anchors[i]),
    ]),
    chanceLine(frame, chance),
    [...lines].sort((a, b) => rank(a) - rank(b)).map(one),
    isNumber(chance) && label(middle, up(chance) - 4, t("chance"), "middle", { class: "chancename" }),
  );
}

/** The end of a line: it opens the last point's evidence and has the model's name beside it, or as a tooltip if there is no room. */
function end(line: Line, y: number, named: number | undefined, points: Points): SVGElement {
  const [from, at] = [GROUND.right + 2, named ?? y];
  const name = shortened(labelOf(line.id), GROUND.width - from - 22 - wide(line.label));
  return group(
    named === undefined ? "end quiet" : "end",
    null,
    path("lead", `M${from} ${y}L${from + 8} ${at}`),
    label(from + 11, at + 4, [name, tspan("amount", ` ${line.label}`)], "start", points.tells(last(line))),
  );
}
