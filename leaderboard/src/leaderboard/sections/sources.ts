// Where the numbers are from: a run's manifest and results.json, signatures, what to cite. Drawn when opened.
import { button, byId, copyButton, fill, h, type Kid, visible } from "../../common/dom.ts";
import { save } from "../../common/files.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { picker } from "../controls.ts";
import { data } from "../data.ts";
import { metricName } from "../metrics.ts";
import { state } from "../state.ts";
import { nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Cell, Run, Sheet, SheetRow, Task } from "../types.ts";
import { cellAt, inView, metricOf, ownRows, setLabel, setNames, taskName, tasks } from "../view.ts";

/** Opens what `make` draws; open it stays when the page is drawn again. */
function folded(id: string, label: string, make: () => Kid) {
  const open = Boolean(byId<HTMLDetailsElement>(id)?.open);
  const node = h("details", { id, class: "fold", open }, h("summary", null, label), open && make());
  node.addEventListener("toggle", () => {
    if (node.open && node.children.length === 1) fill(node, null, [make()]);
  });
  return node;
}

export function drawSources() {
  return h(
    "div",
    { class: "sources" },
    data.runs.map((run, i) => folded(`manifest-${i}`, t("manifestOf", plain(run.name)), () => manifest(run, i))),
    data.cells.some(inView) && folded("signatures", t("signatures"), signatures),
    data.citations && folded("cite", t("cite"), citation),
  );
}

type Setting = [name: string, value: unknown];

function settingWords(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return value !== null && typeof value === "object" ? JSON.stringify(value) : String(value);
}

const settingList = (settings: Setting[]) =>
  h(
    "dl",
    { class: "settings" },
    settings.map(([name, value]) => [h("dt", null, visible(name)), data$("dd", "", settingWords(value))]),
  );

/** What a run was made with, and its files to save. */
function manifest(run: Run, i: number): Kid {
  const { settings = {}, packages = {}, data: files = {}, ...machine } = run.manifest ?? {};
  const isSet = ([, v]: Setting) => v !== null && v !== false && !(Array.isArray(v) && !v.length);
  const there = (["started", "python", "platform"] as const)
    .filter((k) => machine[k])
    .map((k): Setting => [k, machine[k]]);
  const part = (words: string, list: Setting[]) => h("div", null, h("h2", { class: "low" }, words), settingList(list));
  const both = () => [
    part(t("settings"), Object.entries(settings).filter(isSet)),
    part(t("machine"), [...there, ...Object.entries(packages)]),
  ];
  const savers = [
    there.length > 0 && jsonSaver("manifest", run, i, () => run.manifest),
    run.written && jsonSaver("results", run, i, () => resultsOf(i)),
  ];
  return [
    h("p", { class: "savers" }, t("save"), savers),
    run.written && h("p", { class: "note" }, t("resultsNote")),
    there.length ? h("div", { class: "two" }, both()) : h("p", { class: "notice" }, t("unknown")),
    Object.keys(files).length > 0 && filesTable(run, i),
  ];
}

function jsonSaver(what: string, run: Run, i: number, value: () => unknown) {
  const keep = () => {
    const text = `${JSON.stringify(value(), null, 1)}\n`;
    save(`${fileName(run.name)}-${what}.json`, new Blob([text], { type: "application/json" }));
  };
  const label = t("saveAs", `${what}.json`, plain(run.name));
  return button(`${what}.json`, keep, { class: "small", "data-save": `${what}-${i}`, "aria-label": label });
}

/** The files that a run's items are from. */
function filesTable(run: Run, i: number) {
  const files = Object.entries(run.manifest.data ?? {}) as [string, { items?: number; sha256?: string }][];
  const sheet: Sheet = {
    name: "data",
    title: `${t("dataFrom")} · ${run.name}`,
    columns: [{ heading: t("dataFrom") }, { heading: t("items"), kind: "count" }, { heading: "SHA-256", kind: "code" }],
    rows: files.map(([path, x]) => ({ cells: [path, x?.items ?? 0, x?.sha256 ?? "–"] })),
    look: "files",
  };
  const heading = h("h2", { class: "low" }, t("dataFrom"));
  return sheetNode(sheet, { id: `data-${i}`, heading, tall: true, where: "SHA-256" });
}

const fileName = (name: string) => plain(name).replace(/[^\p{L}\p{N}.-]+/gu, "-");

/** What the run's results.json says, its keys in their order: the page holds all of it. */
function resultsOf(i: number) {
  const run = data.runs[i];
  const pick = (from: object, keys: string[] = []) => {
    const all = new Map(Object.entries(from));
    return Object.fromEntries(keys.filter((k) => all.has(k)).map((k) => [k, all.get(k)]));
  };
  const cells = data.cells.filter((c) => c.run === i).map((c) => pick(c, run.written?.cells));
  return pick({ ...run, cells }, run.written?.results);
}

/** Of the metrics in view, one set at a time. */
function signatures(): Kid {
  const sets = setNames();
  const set = sets.includes(state.signatureSet) ? state.signatureSet : sets[sets.length - 1];
  const line = ({ cell, task }: { cell: Cell; task: Task }): SheetRow => {
    const signature = cell.metrics?.[metricOf(task)]?.signature ?? "–";
    return { cells: [taskName(task), metricName(metricOf(task)), signature] };
  };
  const rows = [...ownRows(false), ...ownRows(true)].flatMap(({ model }): SheetRow[] => {
    const mine = tasks.flatMap((task) => {
      const cell = cellAt(model.id, set, task.name);
      return cell ? [{ cell, task }] : [];
    });
    return mine.length ? [{ kind: "group", cells: [nameCell(model)] }, ...mine.map(line)] : [];
  });
  const sheet: Sheet = {
    name: "signatures",
    title: `${t("signatures")} · ${setLabel(set)}`,
    columns: [{ heading: t("task") }, { heading: t("metricHead") }, { heading: t("signature"), kind: "code" }],
    rows,
    look: "metrics signatures",
  };
  const choice = picker("signatureSet", t("set"), sets, set, (v) => setLabel(v));
  return [
    sets.length > 1 && h("div", { class: "controls" }, choice),
    sheetNode(sheet, { id: "signature-table", heading: null, tall: true }),
  ];
}

function citation() {
  return [
    h(
      "p",
      { class: "savers" },
      button("corecode.bib", () => save("corecode.bib", new Blob([data.citations], { type: "text/plain" })), {
        class: "small",
        "data-save": "bib",
        "aria-label": t("saveAs", "BibTeX", t("cite")),
      }),
      copyButton(data.citations, t("copyAs", "BibTeX", t("cite"))),
    ),
    data$("pre", "reply", data.citations),
  ];
}
