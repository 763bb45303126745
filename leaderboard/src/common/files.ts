// Saves files on the person's computer.
import { h } from "./dom.ts";

export function save(name: string, blob: Blob) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A value of a table in a file. */
export type Field = string | number | boolean | null | undefined;

export const saveCsv = (name: string, lines: Field[][]) => save(name, new Blob([csvText(lines)], { type: "text/csv" }));

export const csvText = (lines: Field[][]) => `\ufeff${lines.map((l) => l.map(quoted).join(",")).join("\r\n")}\r\n`;

/** A field of a CSV file. An apostrophe comes before a text that a spreadsheet would run as a formula (as in common/csvfile.py). */
function quoted(value: Field) {
  const text = String(value ?? "");
  const formula = typeof value === "string" && /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  return `"${`${formula ? "'" : ""}${text}`.replaceAll('"', '""')}"`;
}
