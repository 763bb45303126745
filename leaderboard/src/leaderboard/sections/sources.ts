// Where the numbers are from: a run's manifest and results.json, signatures, what to cite. Drawn when opened.
import { button, byId, copyButton, fill, h, type Kid, visible } from "../../common/dom.ts";
import { save } from "../../common/files.ts";
import { num } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { ownRows } from "../columns.ts";
import { picker } from "../controls.ts";
import { data, nameNode } from "../data.ts";
import { settings } from "../facts.ts";
import { cellAt, inView, setNames } from "../filters.ts";
import { metricName } from "../metrics.ts";
import { setLabel, taskName } from "../names.ts";
import { metricOf, tasks } from "../offered.ts";
import { state } from "../state.ts";
import { framed } from "../tables/frame.ts";
import type { Run } from "../types.ts";

/** Opens what `make` draws; open it stays when the page is drawn again. */
function folded(id: string, label: string, make: () => Kid) {
  const open = Boolean(byId<HTMLDetailsElement>(id)?.open);
  const ontoggle = ({ currentTarget: box }: { currentTarget: HTMLDetailsElement }) => {
    if (box.open && box.children.length === 1) fill(box, null, [make()]);
  };
  return h("details", { id, class: "fold", open, ontoggle }, h("summary", null, label), open && make());
}

export const drawSources = () =>
  h(
    "div",
    { class: "sources" },
    data.runs.map((run, i) => folded(`manifest-${i}`, t("manifestOf", plain(run.name)), () => manifest(run, i))),
    data.cells.some(inView) && folded("signatures", t("signatures"), signatures),
    data.citations && folded("cite", t("cite"), citation),
  );

const isEmpty = (value: unknown) => Array.isArray(value) && !value.length;

/** What a run was made with; its manifest and results.json, to save. */
function manifest(run: Run, i: number) {
  const { started, python, platform, packages, settings: all } = run.manifest ?? {};
  const asked = Object.entries(all ?? {}).filter(([, v]) => v !== null && v !== false && !isEmpty(v));
  const machine = Object.entries({ started, python, platform }).filter(([, v]) => v);
  const saver = (what: string, value: () => unknown) => {
    const file = () => new Blob([`${JSON.stringify(value(), null, 1)}\n`], { type: "application/json" });
    return button(`${what}.json`, () => save(`${fileName(run.name)}-${what}.json`, file()), {
      class: "small",
      "data-save": `${what}-${i}`,
      "aria-label": t("saveAs", `${what}.json`, plain(run.name)),
    });
  };
  const part = (heading: string, lines: [string, unknown][]) =>
    h("div", null, h("h2", { class: "low" }, heading), settings(lines.map(([name, value]) => [visible(name), value])));
  return [
    h(
      "p",
      { class: "savers" },
      t("save"),
      machine.length > 0 && saver("manifest", () => run.manifest),
      run.written && saver("results", () => resultsOf(i)),
    ),
    run.written && h("p", { class: "note" }, t("resultsNote")),
    machine.length
      ? h(
          "div",
          { class: "two" },
          part(t("settings"), asked),
          part(t("machine"), [...machine, ...Object.entries(packages ?? {})]),
        )
      : h("p", { class: "notice" }, t("unknown")),
    filesTable(run, i),
  ];
}

/** The files that items are from. */
function filesTable(run: Run, i: number): Kid {
  const files = Object.entries(run.manifest?.data ?? {});
  return (
    files.length > 0 &&
    framed(
      h(
        "table",
        { class: "files" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("th", { scope: "col" }, t("dataFrom")),
            h("th", { scope: "col", class: "v" }, t("items")),
            h("th", { scope: "col" }, "SHA-256"),
          ),
        ),
        h(
          "tbody",
          null,
          files.map(([path, x]) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, data$("span", "", path)),
              h("td", { class: "v" }, num(x?.items ?? 0)),
              h("td", null, data$("code", "", x?.sha256 ?? "–")),
            ),
          ),
        ),
      ),
      {
        id: `data-${i}`,
        title: `${t("dataFrom")} · ${run.name}`,
        heading: h("h2", { class: "low" }, t("dataFrom")),
        tall: true,
        where: "SHA-256",
      },
    )
  );
}

const fileName = (name: string) => plain(name).replace(/[^\p{L}\p{N}.-]+/gu, "-");

/** What the run's results.json says, its keys in their order: the page holds all of it. */
function resultsOf(i: number) {
  const run = data.runs[i];
  const pick = (from: object, keys: string[] = []) => {
    const there = new Map(Object.entries(from));
    return Object.fromEntries(keys.filter((k) => there.has(k)).map((k) => [k, there.get(k)]));
  };
  const cells = data.cells.filter((c) => c.run === i).map((c) => pick(c, run.written?.cells));
  return pick({ ...run, cells }, run.written?.results);
}

/** Of the metrics in view, one set at a time. */
function signatures() {
  const sets = setNames(),
    set = sets.includes(state.signatureSet) ? state.signatureSet : sets.at(-1);
  const line = (cell, task) => {
    const signature = cell.metrics?.[metricOf(task)]?.signature ?? "–";
    return h(
      "tr",
      null,
      h("th", { scope: "row" }, taskName(task)),
      h("td", null, metricName(metricOf(task))),
      h("td", null, h("div", { class: "sig" }, data$("code", "", signature), copyButton(signature))),
    );
  };
  const bodies = [...ownRows(false), ...ownRows(true)]
    .map((row) => [row, tasks.map((x) => [cellAt(row.model.id, set, x.name), x]).filter(([c]) => c)])
    .filter(([, list]) => list.length);
  return [
    sets.length > 1 &&
      h(
        "div",
        { class: "controls" },
        picker("signatureSet", t("set"), sets, set, (v) => setLabel(v)),
      ),
    framed(
      h(
        "table",
        { class: "metrics signatures" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            [t("task"), t("metricHead"), t("signature")].map((x) => h("th", { scope: "col" }, x)),
          ),
        ),
        bodies.map(([row, list]) =>
          h(
            "tbody",
            null,
            h("tr", { class: "group" }, h("th", { scope: "rowgroup" }, nameNode(row.model)), h("td", { colspan: 2 })),
            list.map(([c, x]) => line(c, x)),
          ),
        ),
      ),
      { id: "signature-table", title: `${t("signatures")} · ${setLabel(set)}`, tall: true },
    ),
  ]
    .flat()
    .filter(Boolean);
}

function citation() {
  const bib = () => new Blob([data.citations], { type: "text/plain" });
  const words = { class: "small", "data-save": "bib", "aria-label": t("saveAs", "BibTeX", t("cite")) };
  return [
    h(
      "p",
      { class: "savers" },
      button("corecode.bib", () => save("corecode.bib", bib()), words),
      copyButton(data.citations, t("copyAs", "BibTeX", t("cite"))),
    ),
    data$("pre", "reply", data.citations),
  ];
}
