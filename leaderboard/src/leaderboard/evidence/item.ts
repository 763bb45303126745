// One item: its dialogue, the request, the reply and its reading, and the answers of other models.
import { $, button, copyButton, div, fold, h, type Kid, makeReachable, para, setChildren } from "../../common/dom.ts";
import { num, pct } from "../../common/numbers.ts";
import { chat, dataNode, emphasised } from "../../common/passage.ts";
import { langOf } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import { cellRoute, go, route } from "../address.ts";
import { data, modelOf, nameNode, taskOf } from "../data.ts";
import { figure, isSigned, metricName } from "../metrics.ts";
import { perturbName } from "../names.ts";
import type { Cell } from "../types.ts";
import { currentEntry, listedEntries, moveBy, openCell, openEntry } from "./open.ts";
import { opinions, secondReadings } from "./opinions.ts";
import { answers, likelihoods, probed, shares } from "./options.ts";
import { badge, replyBlock, replyNode } from "./reply.ts";
import { entryOf, idAt, outcomeAt, type Reply, replyAt } from "./shards.ts";

let drawing = 0; // the number of the latest drawing; an earlier one that still waits for its data stops

export async function drawItem() {
  const cell = openCell;
  const entry = currentEntry();
  const box = $("detail");
  const mine = ++drawing;
  const wanted = () => mine === drawing && cell === openCell;
  const named = route().has("item");
  $("panes").classList.toggle("has-item", named);
  if (!cell || entry === undefined) {
    setChildren(box, para("notice", t(named ? "gone" : "pick")), para("muted", t("keys")));
    return;
  }
  box.setAttribute("aria-busy", "true");
  const row = await replyAt(cell, entry).catch((error: Error) => error);
  if (!wanted()) return;
  box.removeAttribute("aria-busy");
  if (!row || row instanceof Error) {
    setChildren(box, para("notice", row?.message ?? t("gone")));
    return;
  }
  const others = h("section", { id: "others" }, h("h3", null, t("others")));
  setChildren(box, stepper(cell, entry), itemHead(row), itemBody(cell, row, entry), others);
  makeReachable(box);
  const cards = await otherCards(cell, entry, row);
  if (!wanted()) return;
  others.append(cards.length ? div("cards", cards) : para("muted", t("noOthers")));
  makeReachable(others);
}

function stepper(cell: Cell, entry: number) {
  const at = listedEntries.indexOf(entry);
  return div(
    "stepper",
    button(t("toList"), () => go(cellRoute(cell)), { class: "link tolist" }),
    button(`‹ ${t("prev")}`, () => moveBy(-1), { id: "prev", disabled: at <= 0 }),
    button(`${t("next")} ›`, () => moveBy(1), { id: "next", disabled: at === listedEntries.length - 1 }),
    h("span", { class: "muted", role: "status" }, at < 0 ? "" : t("position", num(at + 1), num(listedEntries.length))),
    h("span", { class: "muted keys" }, t("keys")),
  );
}

const itemHead = ({ item, rotation, sample }: Reply) => [
  dataNode(
    "h2",
    "itemid",
    item.item + (rotation ? ` · ${t("rotation", rotation)}` : "") + (sample ? ` · ${t("sample", sample + 1)}` : ""),
  ),
  item.group && h("p", { class: "muted", id: "group" }, t("group"), " ", dataNode("span", "tag", item.group)),
];

const itemBody = (cell: Cell, row: Reply, entry: number) => [
  div(
    "two",
    h(
      "div",
      null,
      h("h3", null, t("dialogue")),
      chat(row.item.dialogue, taskOf(cell.task).kind === "span" ? row.item.references : []),
    ),
    h(
      "div",
      null,
      h("h3", null, t("question")),
      h("p", { class: "data question", lang: langOf(row.item.question) }, emphasised(row.item.question, [], "")),
      choices(row),
      replyBlock(row, outcomeAt(cell, entry)),
      secondReadings(row),
    ),
  ),
  opinions(row),
  fold(t("prompt"), div("promptbox", copyButton(row.prompt), dataNode("pre", "", row.prompt))),
];

function choices(row: Reply) {
  if (!row.likelihoods) return answers(row);
  return row.finish === "nll" ? probed(row, row.likelihoods) : likelihoods(row, row.likelihoods);
}

// ---- others
/** Other models asked in the same way, and the same model asked in other ways. */
async function otherCards(cell: Cell, entry: number, mine: Reply) {
  const place = ["set", "task", "split", "variant", "shots"] as const;
  const same = data.cells.filter(
    (c) =>
      c !== cell &&
      place.every((k) => c[k] === cell[k]) &&
      ((c.scoring === cell.scoring && c.perturb === cell.perturb) || c.id === cell.id),
  );
  const cards = await Promise.all(
    same.map(async (c) => {
      const other = entryOf(c, idAt(cell, entry));
      const row = other !== undefined && (await replyAt(c, other).catch(() => null));
      return row ? [otherCard(cell, c, other, row, JSON.stringify(row.item) !== JSON.stringify(mine.item))] : [];
    }),
  );
  return cards.flat();
}

function otherCard(mine: Cell, cell: Cell, entry: number, row: Reply, otherForm: boolean) {
  const model = modelOf(cell.id);
  return h(
    "article",
    { class: "card" },
    h(
      "header",
      null,
      h(
        "span",
        null,
        nameNode(model),
        cell.scoring !== mine.scoring && h("small", null, t(cell.scoring)),
        cell.perturb !== mine.perturb && h("small", null, perturbName(cell.perturb)),
      ),
      badge(outcomeAt(cell, entry)),
    ),
    otherForm && para("warn", "≠ ", t("otherForm")),
    answerOf(row),
    button(t("openIt"), () => openEntry(cell, entry), {
      class: "link",
      "aria-label": `${t("openIt")}: ${model.label}`,
    }),
  );
}

/** The answer to the item in another cell. */
function answerOf(row: Reply): Kid {
  const inNats = Object.keys(row.scores).find(isSigned);
  if (row.finish === "nll")
    return inNats && h("p", null, `${metricName(inNats)} ${figure(inNats, row.scores[inNats])}`);
  if (!row.likelihoods || row.choice === null) return replyNode(row);
  const share = row.finish === "labels" ? ` · ${pct(shares(row.likelihoods)[row.choice])} %` : "";
  return dataNode("p", "", `${row.item.labels[row.choice]} ${row.text}${share}`);
}
