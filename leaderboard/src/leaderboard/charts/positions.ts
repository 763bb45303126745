// What stands where, and what was chosen: a row a position of the options.
import { h, type Kid, unseen } from "../../common/dom.ts";
import { isNumber, type Maybe, num, pct, sumOf } from "../../common/numbers.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";
import type { Curve, LabelCheck, Positions1 } from "../../types/results.ts";
import { nameNode, taskOf } from "../data.ts";
import { taskName } from "../names.ts";
import type { Model } from "../types.ts";
import { panel } from "./marks.ts";
import { bars } from "./strips.ts";

interface Place {
  label: string;
  /** Shares: as a filled bar, and as a hollow one. */
  filled: Maybe;
  hollow: Maybe;
  values: Kid[];
  cls?: string;
}
const share = (list: number[], i: number) => (sumOf(list) ? list[i] / sumOf(list) : null);

function places(names: string[], rows: Place[]): HTMLElement {
  const head = (text: Kid, cls?: string) => h("th", { scope: "col", class: cls }, text);
  const heads = [head(t("option")), head(unseen(t("asBars"))), ...names.map((x) => head(x, "v"))];
  const line = ({ label, filled, hollow, values, cls }: Place) => {
    const cells = values.map((value) => h("td", { class: "v" }, value));
    const name = h("th", { scope: "row" }, data$("span", "", label));
    return h("tr", { class: cls }, name, h("td", { class: "inplot" }, bars(filled, hollow)), cells);
  };
  return h("table", { class: "places" }, h("thead", null, h("tr", null, heads)), h("tbody", null, rows.map(line)));
}
const silentNote = (n: number) => n > 0 && h("p", { class: "note" }, t("silentN", num(n)));

export function positionPanel(model: Model, row: Positions1): HTMLElement {
  const { labels, chosen, gold, right, bias, silent } = row;
  const most = chosen.indexOf(Math.max(...chosen));
  const rows = labels.map((label, i) => {
    const part = pct(share(chosen, i));
    return {
      label,
      filled: share(chosen, i),
      hollow: share(gold, i),
      values: [
        i === most && sumOf(chosen) > 0 ? h("strong", null, part) : part,
        pct(share(gold, i)),
        [gold[i] ? pct(right[i] / gold[i]) : "–", h("small", null, ` /${num(gold[i])}`)],
      ],
    };
  });
  const mostly = () => t("mostly", plain(labels[most]), pct(share(chosen, most)));
  const small = isNumber(bias) && `${t("bias")} ${pct(bias)} % · ${mostly()}`;
  return panel(
    { data: { "data-model": plain(model.label) }, title: nameNode(model), small },
    places([t("chosenShare"), t("goldShare"), t("rightThere")], rows),
    silentNote(silent),
  );
}

/** What an adapter chose beside what it was trained on. */
export function labelPanel({ task }: Curve, x: LabelCheck): HTMLElement {
  const rows = x.labels.map((label, i) => ({
    label,
    filled: share(x.chosen, i),
    hollow: share(x.trained, i),
    values: [x.trained, x.chosen, x.gold].map((list) => pct(share(list, i))),
    cls: i === x.most ? "most" : undefined,
  }));
  const most = [plain(x.labels[x.most]), pct(share(x.trained, x.most)), pct(x.share), pct(x.gold_share)];
  const verdict = isNumber(x.share) ? t("mostTrained", ...most) : t("saidNone");
  const distances = isNumber(x.distance) && h("small", null, ` ${t("distances", pct(x.distance), pct(x.bias))}`);
  return panel(
    { data: { "data-labels": task }, title: taskName(taskOf(task)), small: null },
    h("p", { class: "verdict" }, verdict, distances),
    places([t("trainedShare"), t("saidShare"), t("goldShare")], rows),
    silentNote(x.silent),
  );
}
