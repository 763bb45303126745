// The judgement of a span or a short text: right or wrong, its scores, and the answer that the parser read.

import { keyButton, keyButtons, smallHeading } from "../common/annotator/page.ts";
import { work } from "../common/annotator/work.ts";
import { h, para } from "../common/dom.ts";
import { dataNode } from "../common/passage.ts";
import { inChinese, t } from "../common/words.ts";
import { mark } from "./actions.ts";
import { asked, keyFor, keysOf } from "./keys.ts";
import { complete, markOf, referenceShown } from "./marks.ts";
import { heading } from "./options.ts";
import { data, kindOf, scales, settings, taskOf } from "./state.ts";
import type { Output, Scale } from "./types.ts";

export function drawJudgement(output: Output) {
  const { right } = markOf(output),
    isSpan = kindOf(output) === "span",
    note = taskOf(output).marking?.[inChinese() ? 0 : 1] ?? t("isRightNote");
  const say = (value: boolean, label: string, key: string, cls: string) =>
    keyButton(`right-${work.at}-${key}`, label, right === value, key, () => mark({ right: value }), {
      class: `mark ${cls}`,
    });
  const both = [say(true, `✓ ${t("yes")}`, "y", "yes"), say(false, `✕ ${t("no")}`, "x", "no")];
  return [
    heading(t(isSpan ? "isRightSpan" : "isRight"), note),
    keyButtons(both, "dense", { "aria-labelledby": "asked" }),
    referenceShown(output) && [
      smallHeading(t("reference")),
      para(
        "reference",
        output.references.map((x, i) => [i > 0 && " / ", dataNode("span", "", x)]),
      ),
    ],
    !isSpan && right !== undefined && drawScales(output),
  ];
}

function drawScales(output: Output) {
  const lang = inChinese() ? "zh" : "en";
  return [smallHeading(t("scoreBy", data.rubric?.[lang] ?? "")), scales().map((x) => drawScale(x, output))];
}

function drawScale(scale: Scale, output: Output) {
  const each = scale.criteria.length > 1,
    name = inChinese() ? scale.zh : scale.en,
    keys = keysOf(output);
  const criterion = (i: number) => scale.criteria[i]?.[inChinese() ? 0 : 1] ?? "";
  const score = (value: number, i: number) => {
    const label = each ? [h("b", null, String(value)), " ", criterion(i)] : String(value),
      key = each ? keyFor(keys, scale.name, value) : "",
      on = markOf(output)[scale.name] === value;
    return keyButton(`${scale.name}-${work.at}-${value}`, label, on, key, () => mark({ [scale.name]: value }));
  };
  const values = Array.from({ length: scale.high - scale.low + 1 }, (_, i) => scale.low + i),
    about = h("p", null, h("strong", null, name), !each && h("small", null, " ", criterion(0)));
  return h(
    "div",
    {
      class: scale === asked(output) ? "scale now" : "scale",
      role: "group",
      "aria-label": name,
      "data-scale": scale.name,
    },
    scales().length > 1 && about,
    keyButtons(values.map(score), each ? "" : "line"),
  );
}

export function drawParser(output: Output) {
  if (!settings.show || !complete(output)) return null;
  const { status, read: indices, text } = output.parser,
    read = indices.length ? indices.map((i) => `${output.labels[i]} ${output.options[i]}`).join("\n") : text;
  return [
    smallHeading(t("parserRead")),
    h(
      "p",
      { id: "parser" },
      h("span", { class: "badge" }, t(status)),
      " ",
      read === null ? h("span", { class: "muted" }, t("nothingRead")) : dataNode("span", "", read),
    ),
  ];
}
