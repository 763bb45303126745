// Where the numbers are from: a run's manifest and results.json, signatures, what to cite. Drawn when opened.
import { button, byId, copyButton, h, visible } from "../../common/dom.ts";
import { save } from "../../common/files.ts";
import { num } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { picker } from "../controls.ts";
import { data, nameNode } from "../data.ts";
import { metricName } from "../metrics.ts";
import { state } from "../state.ts";
import { framed } from "../tables/frame.ts";
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
      ),
  ]
    .flat()
    .filter(Boolean);
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
