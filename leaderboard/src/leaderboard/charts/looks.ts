// What tells models apart, the same in every chart: a colour, a marker and a dash each, and buttons that name them.
import { button, h, kept, s, visible } from "../../common/dom.ts";
import { plain, shortened } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { clearHighlights, highlight } from "../actions.ts";
import { models } from "../data.ts";
import { state } from "../state.ts";

export const LOOKS = [
  ["", "circle"],
  ["7 3", "square"],
  ["2 3", "triangle"],
  ["9 3 2 3", "diamond"],
  ["5 2 1 2 1 2", "square", true],
  ["4 5", "triangle", true],
  ["6 3", "circle", true],
  ["", "diamond", true],
  ["7 3", "circle"],
  ["2 3", "square"],
  ["9 3 2 3", "triangle"],
  ["4 5", "diamond"],
  ["5 2 1 2 1 2", "square"],
  ["", "triangle"],
  ["6 3", "diamond"],
  ["2 3", "circle"],
  ["4 5", "circle", true],
  ["7 3", "circle"],
  ["", "triangle", true],
  ["9 3 2 3", "circle", true],
  ["6 3", "square", true],
  ["5 2 1 2 1 2", "triangle"],
  ["7 3", "diamond", true],
  ["", "square"],
];

const COLOURS = 6;

/** The look of a model, by its place among all; those of a sweep's adapters come last. */
export function lookOf(id) {
  if (lookOf.models !== models) {
    const all = [...models.values()].sort((a, b) => a.adapter - b.adapter);
    Object.assign(lookOf, { models, looks: new Map(all.map((m, i) => [m.id, i % LOOKS.length])) });
  }
  return lookOf.looks.get(id) ?? 0;
}

export const colourOf = (look) => `c${look % COLOURS}`;

export function glyph(look, x, y, r = 4.5) {
  const [, kind, hollow] = LOOKS[look],
    cls = `mark${hollow ? " hollow" : ""}`;
  if (kind === "circle") return s("circle", { class: cls, cx: x, cy: y, r });
  const corners = {
    square: [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ],
    triangle: [
      [0, -1.25],
      [1.15, 0.9],
      [-1.15, 0.9],
    ],
    diamond: [
      [0, -1.35],
      [1.2, 0],
      [0, 1.35],
      [-1.2, 0],
    ],
  }[kind];
  return s("polygon", {
    class: cls,
    points: corners.map(([a, b]) => `${(x + 0.9 * r * a).toFixed(1)},${(y + 0.9 * r * b).toFixed(1)}`).join(" "),
  });
}

/** The models picked of these; none: all stand as they are. */
export const pickedOf = (ids) => state.picked.filter((id) => ids.includes(id));

/** The legend of charts of these models: a press makes a model stand out, another ends it. */
export function modelKeys(ids) {
  const sample = (id) =>
    s(
      "svg",
      { class: `plot ${colourOf(lookOf(id))}`, width: 14, height: 14, "aria-hidden": "true" },
      glyph(lookOf(id), 7, 7, 4.5),
    );
  return h(
    "div",
    { class: "modelkeys", role: "group", "aria-label": t("pickModels") },
    h("span", { class: "muted" }, t("pickModels")),
    ids.map((id) =>
      kept(
        `key-${id}`,
        h(
          "span",
          null,
          h(
            "button",
            {
              type: "button",
              class: "small",
              "aria-pressed": state.picked.includes(id),
              onclick: () => highlight(id),
              title: plain(models.get(id).label),
            },
            sample(id),
            visible(shortened(models.get(id).label, 150)),
          ),
        ),
      ),
    ),
    pickedOf(ids).length > 0 && button(t("pickNone"), clearHighlights, { class: "small link" }),
  );
}
