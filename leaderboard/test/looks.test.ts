import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { colourOf, dashOf, HOLLOW, LOOKS, markOf } from "../src/leaderboard/charts/glyphs.ts";

type Colour = [number, number, number];
const css = readFileSync(join(import.meta.dirname, "../styles/page.css"), "utf8");
const themes = [...css.matchAll(/--c0: .*/g)].map(([line]) =>
  [...line.matchAll(/#(..)(..)(..)/g)].map(
    (found) => found.slice(1).map((x) => Number.parseInt(x, 16) / 255) as Colour,
  ),
);
const times = (rows: number[][], x: Colour) =>
  rows.map((row) => row.reduce((sum, v, i) => sum + v * x[i], 0)) as Colour;
const linear = (x: Colour) => x.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)) as Colour;
/** Matrices from colours to colours as people see them with all cones, without green ones and without red ones (Machado, Oliveira and
 *  Fernandes 2009). */
const SIGHTS = [
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
];
/** A colour in CIELAB, in which distances are differences that people see. */
function lab(x: Colour): Colour {
  const xyz = times(
    [
      [0.4339, 0.3762, 0.1899],
      [0.2126, 0.7152, 0.0722],
      [0.0177, 0.1095, 0.8728],
    ],
    x,
  );
  const [a, b, c] = xyz.map((v) => (v > 0.008856 ? Math.cbrt(v) : 7.787 * v + 16 / 116));
  return [116 * b - 16, 500 * (a - b), 200 * (b - c)];
}

test("eight models differ by their colours alone, to colour-blind readers, too", () => {
  assert.equal(themes.length, 3); // light; dark as chosen, and as the system says
  assert.deepEqual(themes[1], themes[2]);
  for (const colours of themes) {
    assert.equal(colours.length, 8);
    for (const sight of SIGHTS) {
      const seen = colours.map((x) => lab(times(sight, linear(x)).map((v) => Math.min(1, Math.max(0, v))) as Colour));
      const far = seen.flatMap((a, i) => seen.slice(i + 1).map((b) => Math.hypot(...a.map((v, n) => v - b[n]))));
      assert.ok(Math.min(...far) > 20, `${Math.min(...far)}`);
    }
  }
});

test("no two looks share colour and marker, and no two neighbours a dash", () => {
  const all = [...Array(LOOKS).keys()];
  assert.equal(new Set(all.map((look) => [colourOf(look), ...markOf(look)].join())).size, LOOKS);
  assert.ok(all.slice(1).every((look) => dashOf(look) !== dashOf(look - 1)));
  assert.equal(colourOf(HOLLOW), colourOf(0));
  assert.ok(markOf(HOLLOW)[1]);
});
