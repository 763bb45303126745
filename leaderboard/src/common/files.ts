// Saves files on the person's computer.
import { h } from "./dom.ts";

export function save(name: string, blob: Blob) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A value in a CSV file. */
export type CsvValue = string | number | boolean | null | undefined;

export const saveCsv = (name: string, lines: CsvValue[][]) =>
  save(name, new Blob([csvText(lines)], { type: "text/csv" }));

export const csvText = (lines: CsvValue[][]) => `\ufeff${lines.map((l) => l.map(quoted).join(",")).join("\r\n")}\r\n`;

/** A field of a CSV file. An apostrophe comes before a text that a spreadsheet would run as a formula (as in common/csvfile.py). */
function quoted(value: CsvValue) {
  const text = String(value ?? "");
  const formula = typeof value === "string" && /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  return `"${`${formula ? "'" : ""}${text}`.replaceAll('"', '""')}"`;
}
