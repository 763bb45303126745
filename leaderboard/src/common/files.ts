// Files to keep.
import { h } from "./dom.ts";

export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const saveCsv = (name, lines) => save(name, new Blob([csvText(lines)], { type: "text/csv" }));

export function csvText(lines) {
  // A spreadsheet takes a text that starts like a formula for one: an apostrophe keeps it a text (as common/csvfile.py).
  const field = (v) => {
    const x = String(v ?? "");
    return `"${(typeof v === "string" && /^[=+\-@＝＋－＠\t\r\n]/.test(x) && !/^-?\d+(\.\d+)?$/.test(x) ? `'${x}` : x).replaceAll('"', '""')}"`;
  };
  return `\ufeff${lines.map((l) => l.map(field).join(",")).join("\r\n")}\r\n`;
}
