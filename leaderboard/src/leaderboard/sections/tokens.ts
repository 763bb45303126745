// Accuracy against tokens: what a way of asking takes, beside what it brings.
import { h } from "../../common/dom.ts";
import { pct } from "../../common/numbers.ts";
import { t } from "../../common/words.ts";
import { modelKeys } from "../charts/looks.ts";
import { savers } from "../charts/picture.ts";
import { tokenPanel } from "../charts/tokens.ts";
import { chanceOf } from "../columns.ts";
import { picker } from "../controls.ts";
import { modelOf, taskOf } from "../data.ts";
import { unfold } from "../details.ts";
import { metricOf } from "../metric_choice.ts";
import { metricName } from "../metrics.ts";
import { setLabel, setTitle, taskName } from "../names.ts";
import { state } from "../state.ts";
import { metricColumn, nameCell } from "../tables/make.ts";
import { sheetNode } from "../tables/sheet.ts";
import { averaged, count, type Drawn, isLikelihood, type Spent, tokenPlaces, tokenPoints } from "../token_points.ts";
import type { Sheet, SheetColumn, SheetValue, Task } from "../types.ts";

/** A chart of the chosen task, or of the mean over all; nothing where nobody counted. */
export function drawTokens() {
  const places = tokenPlaces();
  const offered = [...new Set([...places.values()].flat())];
  if (!offered.length) return null;
  const task = offered.find((x) => x.name === state.tokenTask);
  const sets = [...places.keys()].filter((x) => !task || places.get(x)?.includes(task));
  const set = sets.includes(state.tokenSet) ? state.tokenSet : sets[sets.length - 1];
  const all = averaged(set, places.get(set) ?? []);
  const chosen = task ? [task] : all.length ? all : (places.get(set) ?? []).slice(0, 1);
  const drawn = tokenPoints(set, chosen);
  const ids = [...new Set(drawn.points.map((p) => p.id))];
  const name = chosen.length > 1 ? t("meanOf", chosen.length) : taskName(chosen[0]);
  const title = `${name} · ${setLabel(set)}`;
  const metrics = [...new Set(chosen.map(metricOf))];
  const metric = metrics.length > 1 ? "" : metrics[0];
  const chance = chosen.length > 1 ? null : chanceOf(set, chosen[0]);
  const ofTask = (v: string) => (v ? taskName(taskOf(v)) : t("meanOf", all.length));
  const wishes = [...(all.length > 1 ? [""] : []), ...offered.map((x) => x.name)];
  return h(
    "section",
    { class: "block", id: "against-tokens" },
    h("div", { class: "titled" }, h("h2", null, t("tokens")), savers("tokens-chart", `${t("tokens")} · ${title}`)),
    h("p", { class: "note" }, notes(drawn, chosen).join(" ")),
    h(
      "div",
      { class: "controls" },
      wishes.length > 1 &&
        picker("tokenTask", t("task"), wishes, task || chosen.length < 2 ? chosen[0].name : "", ofTask),
      sets.length > 1 && picker("tokenSet", t("set"), sets, set, setTitle),
    ),
    ids.length > 1 && modelKeys(ids),
    h("div", { class: "panels", id: "tokens-chart" }, tokenPanel({ title, metric, points: drawn.points, chance })),
    unfold("tokens", t("asTable"), () => tokenTable(drawn, title, metric)),
  );
}

function notes({ points, uncounted, partial }: Drawn, chosen: Task[]): string[] {
  const several = chosen.length > 1;
  return [
    t("tokensNote"),
    points.some((p) => p.estimated) ? t("estimateMarks") : "",
    points.some(isLikelihood) ? t("tokensEdge") : "",
    several ? `${t("meanNote")} ${t("tokensNoInterval")}` : "",
    uncounted > 0 ? t("tokensUncounted", uncounted) : "",
    partial > 0 ? t("tokensPartial", partial) : "",
    points.some((p) => p.took?.by_characters) ? t("tokensGuessed") : "",
  ].filter(Boolean);
}

const tokens = (v: number | undefined): SheetValue => ({ value: v ?? null, text: v === undefined ? "–" : count(v) });

/** The same points with all that their replies took. */
function tokenTable({ points }: Drawn, title: string, metric: string) {
  const one = points.every((p) => p.cell);
  const costs = points.some((p) => typeof p.took?.cost === "number");
  const score = metric ? metricName(metric) : t("scores");
  const number = (heading: string, below = ""): SheetColumn => ({ heading, below, kind: "number", better: "" });
  const sheet: Sheet = {
    name: "tokens",
    title: `${t("tokens")} · ${title}`,
    columns: [
      { heading: t("model") },
      { heading: t("variant"), key: true },
      { heading: t("shots"), kind: "count", key: true },
      { heading: t("scoring"), key: true },
      { heading: score, ...metricColumn(metric), interval: "aligned" },
      number(t("tokensReply")),
      ...(one ? [number(t("median")), number("p90")] : []),
      { heading: t("thinking"), below: "%", kind: "percent", digits: 0 },
      number(t("tokensPrompt")),
      { heading: t("tokensTotal"), kind: "count" },
      ...(costs ? [{ heading: t("cost"), kind: "number", digits: 4 } as const] : []),
    ],
    rows: points.map((p) => ({ cells: [nameCell(modelOf(p.id)), ...cellsOf(p, one, costs)] })),
    look: "robust tokentable",
  };
  return sheetNode(sheet, { id: "tokens-table", heading: null, where: t("tokens") });
}

function cellsOf(
  { variant, shots, scoring, took, value, low, high, cell, estimated }: Spent,
  one: boolean,
  costs: boolean,
) {
  const guessed = took && took.by_characters > 0;
  return [
    { value: variant, name: true },
    shots,
    t(scoring),
    { value, low, high, cell, flags: estimated ? [{ text: estimated.replace(" · ", "") }] : [] },
    tokens(took?.mean),
    ...(one ? [tokens(took?.median), tokens(took?.p90)] : []),
    { value: took?.thinking ?? null, text: took ? `${guessed ? "≈ " : ""}${pct(took.thinking, 0)}` : "–" },
    tokens(took?.prompt),
    { value: took?.total ?? null },
    ...(costs ? [{ value: took?.cost ?? null }] : []),
  ];
}
