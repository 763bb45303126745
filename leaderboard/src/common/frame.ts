// Starts a page, and draws the frame that all pages share: title, footer, and a header with buttons for language, keys and theme.
import { $, button, div, fill, h, type Kid, para, setChildren, watchFolds } from "./dom.ts";
import { lettersOn, switchLetters } from "./keys.ts";
import { watchMenus } from "./menu.ts";
import { store } from "./storage.ts";
import { unpack } from "./unpack.ts";
import { addWords, inBoth, inChinese, readLanguage, switchLanguage, t, type Words } from "./words.ts";

/** Start a page with its words: `load` takes the data, then `begin` draws the page. If the data cannot be read, the page says why. */
export async function startPage<Data>(words: Words, load: (data: Data) => void, begin: () => void) {
  addWords(words);
  if (typeof DecompressionStream === "undefined") {
    refuse(inBoth("old"));
    return;
  }
  try {
    load(await unpack<Data>($("data").textContent));
  } catch (error) {
    refuse(inBoth("broken") + (error as Error).message);
    return;
  }
  readLanguage();
  readTheme();
  watchFolds();
  watchMenus();
  begin();
}

export function drawFrame(title: string, foot: Kid) {
  document.documentElement.lang = inChinese() ? "zh-CN" : "en";
  document.title = title;
  setChildren($("skip"), t("skip"));
  setChildren($("foot"), h("p", null, foot));
  setChildren(
    $("top"),
    div(
      "bar",
      para("brand", "evalsuite"),
      div(
        "tools",
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

/** Show the reason why the page cannot be drawn. */
const refuse = (why: string) => fill(setChildren($("notice"), why), { role: "alert" }, []);

function readTheme() {
  const theme = new URLSearchParams(location.search).get("theme") ?? store.get("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  store.set("theme", root.dataset.theme);
}

/** Turn shortcuts of one letter on or off: speech input or a resting hand may press them by accident. */
function toggleKeys(event: { currentTarget: HTMLElement }) {
  switchLetters();
  event.currentTarget.setAttribute("aria-pressed", String(lettersOn()));
}
