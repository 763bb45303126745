// What judges and second readers said of one reply.
import { h } from "../../common/dom.ts";
import { data$ } from "../../common/passage.ts";
import { plain } from "../../common/text.ts";
import { t } from "../../common/words.ts";

/** What each judge said of a reply, with and without the gold answer. */
export function opinions(row) {
  const mine = row.opinions.filter((j) => j.control !== "second").sort((a, b) => (a.control < b.control ? 1 : -1));
  if (!mine.length) return null;
  return h(
    "section",
    { class: "opinions" },
    h("h3", null, t("judgedBy")),
    h(
      "div",
      { class: "cards" },
      mine.map(({ said: [status, scores], reasons, ...j }) =>
        h(
          "article",
          { class: "card" },
          h(
            "header",
            null,
            h(
              "span",
              null,
              data$("span", "", j.judge),
              h("small", null, ` ${plain(j.rubric)}`),
              j.control === "blind" && h("small", null, ` · ${t("blindTag")}`),
            ),
            h(
              "span",
              { class: "badge" },
              status === "empty"
                ? t("empty")
                : status !== "scored"
                  ? t(`verdict.${status}`)
                  : Object.entries(scores)
                      .map(([name, v]) => (name === "score" ? v : `${plain(name)} ${v}`))
                      .join(" · "),
            ),
          ),
          data$("p", "reply", reasons || t("noReasons")),
        ),
      ),
    ),
  );
}

/** What second readers made of a reply, their own words and what they were asked. */
export function secondReadings(row) {
  const mine = row.opinions.filter((j) => j.control === "second");
  if (!mine.length) return null;
  return h(
    "section",
    { class: "opinions" },
    h("h3", null, t("secondReader")),
    h(
      "div",
      { class: "cards" },
      mine.map(({ said: [relation], reasons, asked, judge }) =>
        h(
          "article",
          { class: "card" },
          h("header", null, data$("span", "", judge), h("span", { class: "badge" }, t(`second.${relation}`))),
          data$("p", "reply", reasons || t("emptyReply")),
          h("details", null, h("summary", null, t("prompt")), data$("pre", "reply", asked)),
        ),
      ),
    ),
  );
}
