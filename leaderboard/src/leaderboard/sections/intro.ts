// The head of the page: its subject, its runs and the sources of its figures.
import { h, type Kid, para, section } from "../../common/dom.ts";
import { num } from "../../common/numbers.ts";
import { dataNode } from "../../common/passage.ts";
import { colon, listed, t } from "../../common/words.ts";
import { adapters, benchmarksHere, data, isFirstBenchmarkOnly, manyBenchmarks, models } from "../data.ts";
import { fact } from "../facts.ts";
import type { Run } from "../types.ts";
import { drawFindings } from "./findings.ts";
import { drawSources } from "./sources.ts";

export const drawIntro = () =>
  h(
    "section",
    { class: "intro" },
    h("h1", null, pageTitle()),
    drawFindings() ?? para("lead", pageLead()),
    sampleNotice(),
  );

/** The runs, notes on how to read their figures, and the figures' sources. */
export function drawAbout() {
  const trained = adapters().length;
  const baselines = [...models.values()].filter((m) => m.baseline && !m.adapter).length;
  const beside = [baselines > 0 && t("andBaselines", num(baselines)), trained > 0 && t("andAdapters", num(trained))];
  return section(
    "about",
    h("h2", null, t("aboutResults")),
    data.findings.length > 0 && para("lead", pageLead()),
    h(
      "dl",
      { class: "facts" },
      data.runs.map((run) => fact(t("run"), runFacts(run))),
      fact(t("models"), num(models.size - baselines - trained), beside.filter(Boolean).join(t("comma"))),
      fact(t("items"), num(data.asked.items)),
      fact(t("replies"), num(data.asked.replies)),
    ),
    para("how", h("strong", null, t("readTitle")), " ", t("read")),
    drawSources(),
  );
}

function sampleNotice() {
  const runs = data.runs.filter((r) => r.manifest?.settings?.data === "bundled:sample").map((r) => r.name);
  const words = t(isFirstBenchmarkOnly() ? "sampleNote" : "sampleNoteAll", runs.join(", "));
  return runs.length > 0 && h("p", { class: "note sample", id: "sample" }, words);
}

function runFacts(run: Run): Kid {
  const { started, settings, packages } = run.manifest ?? {};
  const versions = Object.entries(packages ?? {})
    .filter(([name]) => ["evalsuite", "torch", "transformers"].includes(name))
    .map(([name, version]) => `${name} ${version}`);
  const small = [
    started && `${t("started")} ${String(started).replace("T", " ").slice(0, 16)}`,
    versions.join(", ") || `${t("version")}${colon()}${t("unknown")}`,
    settings?.data ? `${t("dataFrom")}${colon()}${settings.data}` : "",
    settings?.limit ? t("firstOf", Number(settings.limit)) : "",
  ];
  return [dataNode("span", "", run.name), small.map((x) => x && h("small", null, x))];
}

export function pageTitle() {
  if (isFirstBenchmarkOnly()) return t("title");
  return manyBenchmarks() ? t("titleAll") : `${benchmarksHere()[0].title} · ${t("titleAll")}`;
}

function pageLead() {
  const titles = benchmarksHere().map((b) => b.title);
  return isFirstBenchmarkOnly() ? t("lead") : t("leadAll", listed(titles));
}
