// The head of the page: what it is, the runs, where the numbers are from.
import { h, type Kid, visible } from "../../common/dom.ts";
import { num } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { inChinese, t } from "../../common/words.ts";
import { adapters, alone, benchmarksHere, data, manyBenchmarks, models } from "../data.ts";
import type { Run } from "../types.ts";
import { drawFindings } from "./findings.ts";
import { drawSources } from "./sources.ts";

export function drawIntro() {
  return h(
    "section",
    { class: "intro" },
    h("h1", null, pageTitle()),
    h("p", { class: "lead" }, pageLead()),
    drawFindings(),
    sampleNotice(),
  );
}

/** The runs, how to read their figures, and where these are from. */
export function drawAbout() {
  const fact = (name: string, value: Kid) => h("div", null, h("dt", null, name), h("dd", null, value));
  return h(
    "section",
    { class: "block", id: "about" },
    h("h2", null, t("aboutResults")),
    h(
      "dl",
      { class: "facts" },
      data.runs.map((run) => fact(t("run"), runFacts(run))),
      fact(t("models"), [
        num(models.size - adapters().length),
        adapters().length > 0 && h("small", null, t("andAdapters", num(adapters().length))),
      ]),
      fact(t("items"), num(data.asked.items)),
      fact(t("replies"), num(data.asked.replies)),
    ),
    h("p", { class: "how" }, h("strong", null, t("readTitle")), " ", t("read")),
    drawSources(),
  );
}

function sampleNotice() {
  const runs = data.runs.filter((r) => r.manifest?.settings?.data === "bundled:sample");
  return (
    runs.length > 0 &&
    h(
      "p",
      { class: "notice caution", id: "sample" },
      visible(t(alone() ? "sampleNote" : "sampleNoteAll", runs.map((r) => r.name).join(", "))),
    )
  );
}

function runFacts(run: Run): Kid {
  const m = run.manifest ?? {};
  const versions = Object.entries(m.packages ?? {}).filter(([k]) => ["evalsuite", "torch", "transformers"].includes(k));
  const limit = m.settings?.limit;
  const small = [
    m.started ? `${t("started")} ${String(m.started).replace("T", " ").slice(0, 16)}` : "",
    versions.map(([k, v]) => `${k} ${v}`).join(", ") || `${t("version")}: ${t("unknown")}`,
    m.settings?.data ? `${t("dataFrom")}: ${m.settings.data}` : "",
    limit ? t("firstOf", String(limit)) : "",
  ].filter(Boolean);
  return [data$("span", "", run.name), small.map((x) => h("small", null, visible(x)))];
}

export const pageTitle = () =>
  alone() ? t("title") : manyBenchmarks() ? t("titleAll") : `${benchmarksHere()[0].title} · ${t("titleAll")}`;

const pageLead = () =>
  alone()
    ? t("lead")
    : t(
        "leadAll",
        benchmarksHere()
          .map((b) => b.title)
          .join(inChinese() ? "、" : ", "),
      );
