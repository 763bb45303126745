// Where the numbers are from: a run's manifest and results.json, signatures, what to cite. Drawn when opened.
import { button, byId, copyButton, h, visible } from "../../common/dom.ts";
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
function folded(id, label, make) {
  const open = Boolean(byId<HTMLDetailsElement>(id)?.open);
  const fill = (e) => {
    if (e.currentTarget.open && e.currentTarget.children.length === 1) e.currentTarget.append(...make());
  };
  return h("details", { id, class: "fold", open, ontoggle: fill }, h("summary", null, label), open && make());
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

function manifest(run, i) {
  const m = run.manifest ?? {},
    settings = Object.entries(m.settings ?? {}).filter(
      ([, v]) => v !== null && v !== false && !(Array.isArray(v) && !v.length),
    );
  const text = (v) =>
    Array.isArray(v) ? v.join(", ") : v !== null && typeof v === "object" ? JSON.stringify(v) : String(v);
  const list = (pairs) =>
    h(
      "dl",
      { class: "settings" },
      pairs.map(([k, v]) => [h("dt", null, visible(k)), data$("dd", "", text(v))]),
    );
  const machine = ["started", "python", "platform"].filter((k) => m[k]).map((k) => [k, m[k]]),
    files = Object.entries(m.data ?? {}),
    name = fileName(run.name);
  const json = (what, value) =>
    button(
      `${what}.json`,
      () =>
        save(`${name}-${what}.json`, new Blob([`${JSON.stringify(value(), null, 1)}\n`], { type: "application/json" })),
      { class: "small", "data-save": `${what}-${i}`, "aria-label": t("saveAs", `${what}.json`, plain(run.name)) },
    );
  return [
    h(
      "p",
      { class: "savers" },
      t("save"),
      machine.length > 0 && json("manifest", () => m),
      run.written && json("results", () => resultsOf(i)),
    ),
    run.written && h("p", { class: "note" }, t("resultsNote")),
    machine.length
      ? h(
          "div",
          { class: "two" },
          h("div", null, h("h2", { class: "low" }, t("settings")), list(settings)),
          h(
            "div",
            null,
            h("h2", { class: "low" }, t("machine")),
            list([...machine, ...Object.entries(m.packages ?? {})]),
          ),
        )
      : h("p", { class: "notice" }, t("unknown")),
    files.length > 0 && filesTable(run, i),
  ]
    .flat()
    .filter(Boolean);
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

const fileName = (name) => plain(name).replace(/[^\p{L}\p{N}.-]+/gu, "-");

/** What the run's results.json says, its keys in their order: the page holds all of it. */
function resultsOf(i) {
  const run = data.runs[i],
    pick = (from, keys) => Object.fromEntries(keys.filter((k) => k in from).map((k) => [k, from[k]]));
  const cells = data.cells.filter((c) => c.run === i).map((c) => pick(c, run.written.cells));
  return pick({ ...run, cells }, run.written.results);
}

/** Of the metrics in view, one set at a time. */
function signatures() {
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
  ]
    .flat(2)
    .filter(Boolean);
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
