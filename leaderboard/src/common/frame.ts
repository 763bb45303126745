// What stands around every page: its header with language and theme, its title and foot.
import { $, button, fill, h, put } from "./dom.ts";
import { lettersOn, switchLetters } from "./keys.ts";
import { store } from "./storage.ts";
import { inChinese, switchLanguage, t } from "./words.ts";

export function drawFrame(title, foot) {
  document.documentElement.lang = inChinese() ? "zh-CN" : "en";
  document.title = title;
  put($("skip"), t("skip"));
  put($("foot"), h("p", null, foot));
  put(
    $("top"),
    h(
      "div",
      { class: "bar" },
      h("p", { class: "brand" }, "evalsuite"),
      h(
        "div",
        { class: "tools" },
        button(t("language"), switchLanguage, { id: "lang", lang: inChinese() ? "en" : "zh-CN" }),
        button("⌨", toggleKeys, {
          id: "letterkeys",
          "aria-pressed": lettersOn(),
          "aria-label": t("letterKeys"),
          title: t("letterKeys"),
        }),
        button("◐", toggleTheme, { id: "theme", "aria-label": t("theme"), title: t("theme") }),
      ),
    ),
  );
}
/** Say why the page cannot be drawn. */
export const refuse = (why) => fill(put($("notice"), why), { role: "alert" }, []);

export function readTheme() {
  const theme = new URLSearchParams(location.search).get("theme") ?? store.get("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  store.set("theme", root.dataset.theme);
}

/** Shortcuts of one letter on or off: who speaks to a computer, or rests a hand on it, sets them off unawares. */
function toggleKeys(event) {
  switchLetters();
  event.currentTarget.setAttribute("aria-pressed", String(lettersOn()));
}
