// The looks of models, the same in every chart: a colour, a marker and a dash each, and buttons that name them.
import { button, h, withFocusKey } from "../../common/dom.ts";
import { plain, shortened } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { clearHighlights, highlight } from "../actions.ts";
import { modelOf, models, nameNode } from "../data.ts";
import { state } from "../state.ts";
import type { Model } from "../types.ts";
import { colourOf, dashOf, glyph, LOOKS } from "./glyphs.ts";
import { decorativeChart, line } from "./marks.ts";

let looks: { of?: Map<string, Model>; at: Map<string, number> } = { at: new Map() };
/** The number of a model's look, by its index among all models; a sweep's adapters come last. */
export function lookOf(id: string): number {
  if (looks.of !== models) {
    const all = [...models.values()].sort((a, b) => Number(a.adapter) - Number(b.adapter));
    looks = { of: models, at: new Map(all.map((m, i) => [m.id, i % LOOKS])) };
  }
  return looks.at.get(id) ?? 0;
}
/** A marker with a piece of its line, for legends. */
export const legendSample = (look: number): SVGElement =>
  decorativeChart(
    `curve swatch ${colourOf(look)}`,
    [28, 14],
    line("path", 1, 27, 7, 7, { "stroke-dasharray": dashOf(look) }),
    glyph(look, 14, 7),
  );
export const markSample = (look: number, width: number): SVGElement =>
  decorativeChart(colourOf(look), [width, 14], glyph(look, 7, 7));

/** A model's name as a string, for titles and attributes. */
export const labelOf = (id: string) => plain(modelOf(id).label);
export const nameOf = (id: string) => nameNode(modelOf(id));

/** The highlighted models among `ids`; if there are none, no model is faded. */
export const pickedOf = (ids: string[]): string[] => state.picked.filter((id) => ids.includes(id));

/** The legend of charts of these models. A press highlights a model, another one ends it. */
export function modelKeys(ids: string[]): HTMLElement | null {
  if (!ids.length) return null;
  const key = (id: string) =>
    h(
      "button",
      {
        type: "button",
        class: "small",
        "aria-pressed": state.picked.includes(id),
        onclick: () => highlight(id),
        title: labelOf(id),
      },
      markSample(lookOf(id), 14),
      shortened(modelOf(id).label, 150),
    );
  return h(
    "div",
    { class: "modelkeys", role: "group", "aria-label": t("pickModels") },
    h("span", { class: "muted" }, t("pickModels")),
    ids.map((id) => withFocusKey(`key-${id}`, h("span", null, key(id)))),
    pickedOf(ids).length > 0 && button(t("pickNone"), clearHighlights, { class: "small link" }),
  );
}
