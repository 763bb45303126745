// A sheet as rows of dots: a marker for each column, a line from the lowest to the highest, a stroke at their mean.
import { div, h, para } from "../../common/dom.ts";
import { isNumber, pct, sumOf } from "../../common/numbers.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellOfAbout, modelId, modelOf } from "../data.ts";
import { unansweredNote } from "../details.ts";
import { type Block, blocksOf } from "../tables/blocks.ts";
import { inWords, numberIn, titleOf } from "../tables/figures.ts";
import type { Sheet, SheetRow } from "../types.ts";
import { type Range, ROW, rangeOf, shareScale } from "./axis.ts";
import { colourOf, glyph, LOOKS } from "./glyphs.ts";
import { labelOf, markSample, pickedOf } from "./looks.ts";
import { group, line, Points, rowAxis, rowMiddle } from "./marks.ts";
import { groupName } from "./sheet_lines.ts";

/** A panel for each block of rows, all with the same axis, below the columns' markers. */
export function dotPanels(sheet: Sheet): HTMLElement[] {
  const up = sheet.chart?.up ?? [];
  const range = rangeOf(sheet.rows.flatMap((row) => up.map((n) => numberIn(row.cells[n]))));
  const key = up.map((n, i) => h("span", null, markSample(i % LOOKS, 16), inWords(sheet.columns[n].heading)));
  const panels = blocksOf(sheet.rows).map((block) => dotPanel(sheet, block, up, range));
  return [para("legend", key), div("panels spreadpanels", panels)];
}

function dotPanel(sheet: Sheet, block: Block, up: number[], range: Range): HTMLElement {
  const across = shareScale(range.low, range.high);
  const labels = range.ticks.map((v): [string, string] => [across(v), pct(v, 0)]);
  const height = block.rows.length * ROW;
  const idOf = ({ about }: SheetRow) => modelId(sheet.run, about?.model);
  const ids = block.rows.map(idOf);
  const picked = pickedOf(ids);
  const points = new Points();
  const one = (row: SheetRow, i: number) => {
    const [y, id] = [rowMiddle(i), idOf(row)];
    const values = up.map((n) => numberIn(row.cells[n])).filter(isNumber);
    const middle = across(sumOf(values) / values.length);
    const spot = (n: number, look: number) => {
      const value = numberIn(row.cells[n]);
      if (value === null) return null;
      const column = sheet.columns[n];
      const name = plain(inWords(column.heading));
      const cell = cellOfAbout(sheet.run, { ...sheet.about, ...row.about, ...column.about });
      const words = `${labelOf(id)}, ${name}: ${pct(value)} %${unansweredNote(cell)}`;
      const point = { x: across(value), y, words, cell, line: id, at: name, cls: colourOf(look % LOOKS) };
      return points.point(point, (px, py) => glyph(look % LOOKS, px, py));
    };
    return group(
      picked.length && !picked.includes(id) ? "spreadrow dim" : "spreadrow",
      { "data-model": labelOf(id) },
      line("spread", across(Math.min(...values)), across(Math.max(...values)), y, y),
      line("meanmark", middle, middle, y - 8, y + 8),
      up.map(spot),
    );
  };
  const name = groupName(sheet, block);
  return points.panel(
    {
      data: { "data-panel": block.group?.about?.set ?? "" },
      title: name || titleOf(sheet),
      small: inWords(sheet.chart?.title),
      cls: "spreads",
      size: ["100%", height + 20],
      words: `${titleOf(sheet)}, ${name}. ${t("linesLabel", block.rows.length)}`,
      rows: { models: ids.map(modelOf) },
    },
    rowAxis(range.ticks.map(across), labels, height),
    block.rows.map(one),
  );
}
