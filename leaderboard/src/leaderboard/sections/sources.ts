// The sources of figures: a run's manifest and results.json, signatures, citations. Each is drawn when a person opens it.
import { button, copyButton, div, h, type Kid, para } from "../../common/dom.ts";
import { save } from "../../common/files.ts";
import { dataNode } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { allOwnRows } from "../columns.ts";
import { picker } from "../controls.ts";
import { data } from "../data.ts";
import { lazyFold } from "../details.ts";
import { shard } from "../evidence/shards.ts";
import { settings } from "../facts.ts";
import { cellAt, cellsInView, setNames } from "../filters.ts";
import { metricOf, tasks } from "../metric_choice.ts";
import { metricName } from "../metrics.ts";
import { setLabel, taskName } from "../names.ts";
import { state } from "../state.ts";
import { nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import type { Cell, Run, Sheet, SheetRow, Task } from "../types.ts";

const folded = (id: string, label: string, draw: () => Kid) => lazyFold(id, label, draw, { id, class: "fold" });

export const drawSources = () =>
  div(
    "sources",
    data.runs.map((run, i) => folded(`manifest-${i}`, t("manifestOf", run.name), () => manifest(run, i))),
    cellsInView().length > 0 && folded("signatures", t("signatures"), signatures),
    data.citations && folded("cite", t("cite"), citation),
  );

const isEmpty = (value: unknown) => Array.isArray(value) && !value.length;

/** A run's settings and versions, with buttons that save its manifest and results.json. */
function manifest(run: Run, i: number) {
  const { started, python, platform, packages, settings: all } = run.manifest ?? {};
  const asked = Object.entries(all ?? {}).filter(([, v]) => v !== null && v !== false && !isEmpty(v));
  const machine = Object.entries({ started, python, platform }).filter(([, v]) => v);
  const saver = (what: string, value: () => unknown) => {
    const saveIt = async (node: HTMLElement) => {
      try {
        const text = `${JSON.stringify(await value(), null, 1)}\n`;
        save(`${fileName(run.name)}-${what}.json`, new Blob([text], { type: "application/json" }));
      } catch (error) {
        node.after(h("span", { class: "notice", role: "alert" }, (error as Error).message));
      }
    };
    return button(`${what}.json`, ({ currentTarget }) => saveIt(currentTarget), {
      class: "small",
      "data-save": `${what}-${i}`,
      "aria-label": t("saveAs", `${what}.json`, run.name),
    });
  };
  const part = (heading: string, lines: [string, unknown][]) =>
    h("div", null, h("h2", { class: "low" }, heading), settings(lines.map(([name, value]) => [name, value])));
  return [
    para(
      "savers",
      t("save"),
      machine.length > 0 && saver("manifest", () => run.manifest),
      run.written && saver("results", () => resultsOf(i)),
    ),
    run.written && para("note", t("resultsNote")),
    machine.length
      ? div("two", part(t("settings"), asked), part(t("machine"), [...machine, ...Object.entries(packages ?? {})]))
      : para("notice", t("unknown")),
    filesTable(run, i),
  ];
}

/** The files that a run's items are from. */
function filesTable(run: Run, i: number): Kid {
  const files = Object.entries(run.manifest?.data ?? {});
  if (!files.length) return null;
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

/** The run's results.json, with its keys in their original order. Fails if the shard with a part of it cannot be read. */
async function resultsOf(i: number) {
  const run = data.runs[i];
  const others = run.others ? await shard(run.others) : {};
  const pick = (from: object, keys: string[] = []) => {
    const there = new Map(Object.entries(from));
    return Object.fromEntries(keys.filter((k) => there.has(k)).map((k) => [k, there.get(k)]));
  };
  const cells = data.cells.filter((c) => c.run === i).map((c) => pick(c, run.written?.cells));
  return pick({ ...run, ...others, cells }, run.written?.results);
}

/** The signatures of metrics in view, for one set at a time. */
function signatures(): Kid {
  const sets = setNames();
  const set = sets.includes(state.signatureSet) ? state.signatureSet : sets[sets.length - 1];
  const line = ({ cell, task }: { cell: Cell; task: Task }): SheetRow => {
    const signature = cell.metrics?.[metricOf(task)]?.signature ?? "–";
    return { cells: [taskName(task), metricName(metricOf(task)), signature] };
  };
  const rows = allOwnRows().flatMap(({ model }): SheetRow[] => {
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
    sets.length > 1 && div("controls", choice),
    sheetNode(sheet, { id: "signature-table", heading: null, tall: true }),
  ];
}

function citation() {
  const bib = () => new Blob([data.citations], { type: "text/plain" });
  const words = { class: "small", "data-save": "bib", "aria-label": t("saveAs", "BibTeX", t("cite")) };
  return [
    para(
      "savers",
      button("corecode.bib", () => save("corecode.bib", bib()), words),
      copyButton(data.citations, t("copyAs", "BibTeX", t("cite"))),
    ),
    dataNode("pre", "reply", data.citations),
  ];
}
