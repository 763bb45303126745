// Lists of names and values: figures side by side, settings one below the other.
import { h, type Kid } from "../common/dom.ts";
import { dataNode } from "../common/passage.ts";

/** A name and its value in a `dl.facts`; `below`: small print under the value. */
export const fact = (name: Kid, value: Kid, below?: Kid) =>
  h("div", null, h("dt", null, name), h("dd", null, value, below && h("small", null, below)));

/** Names and values, a line each. */
export const pairs = (lines: ([name: Kid, value: Kid] | false | undefined)[]) =>
  h(
    "dl",
    { class: "settings" },
    lines.map((line) => line && [h("dt", null, line[0]), h("dd", null, line[1])]),
  );

/** Settings in the notation of a file: lists with commas, objects as JSON. */
export const settings = (lines: [name: Kid, value: unknown][]) =>
  h(
    "dl",
    { class: "settings" },
    lines.map(([name, value]) => [h("dt", null, name), dataNode("dd", "", textOf(value))]),
  );

function textOf(value: unknown) {
  if (Array.isArray(value)) return value.join(", ");
  return value !== null && typeof value === "object" ? JSON.stringify(value) : String(value);
}
