// words.json: every key that the scripts ask for is defined, and every defined key is asked for.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addWords, hasWord, inBoth, t } from "../src/common/words.ts";

const SRC = join(import.meta.dirname, "../src");
/** The folders whose words and scripts a page uses; the last one is its own. */
const PAGES: Record<string, string[]> = {
  annotate: ["common", "common/annotator", "annotate"],
  audit: ["common", "common/annotator", "audit"],
  leaderboard: ["common", "leaderboard"],
};
const FOLDERS = ["common", "common/annotator", ...Object.keys(PAGES)];

/** The scripts of a folder with its subfolders; of common/ without them, since not all pages use common/annotator. */
const scriptsOf = (folder: string) =>
  readdirSync(join(SRC, folder), { recursive: folder !== "common", encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(SRC, folder, name), "utf8"))
    .join("\n");
const wordsOf = (folder: string): Record<string, string[]> =>
  JSON.parse(readFileSync(join(SRC, folder, "words.json"), "utf8"));
/** The beginning of a key that belongs to a mode of a page: in that mode "inspect.title" replaces "title". */
const MODES = /^(inspect|answer)\./;

test("placeholders are filled in, wherever and as often as they stand", () => {
  addWords({ twice: ["{1}、{0}、{1}", "{1}, {0}, {1}"], dollars: ["{0}", "{0}"] });
  assert.equal(t("twice", "a", 2), "2、a、2");
  assert.equal(t("dollars", "$& {0} $1"), "$& {0} $1");
});

test("a key without words stands for itself", () => {
  assert.equal(t("no such key"), "no such key");
  assert.equal(hasWord("no such key"), false);
  assert.equal(inBoth("skip"), "跳到正文");
});

test("both languages have the same placeholders, and no key is there twice", () => {
  for (const folder of FOLDERS) {
    const text = readFileSync(join(SRC, folder, "words.json"), "utf8");
    const keys = [...text.matchAll(/^ {2}"([^"]+)":/gm)].map((m) => m[1]);
    assert.deepEqual(keys, [...new Set(keys)], folder);
    const placeholders = (words: string) => [...new Set(words.match(/\{\d\}/g))].sort();
    for (const [key, [zh, en]] of Object.entries(wordsOf(folder)))
      if (en !== undefined) assert.deepEqual(placeholders(zh), placeholders(en), `${folder}: ${key}`);
  }
});

/** Whether the scripts have a key: as a string, or as a template string with its beginning or its end. */
function isNamed(key: string, texts: Set<string>, templates: [string, string][]) {
  const fits = ([begin, end]: [string, string]) => {
    if (!key.startsWith(begin) || !key.endsWith(end) || key.length <= begin.length + end.length) return false;
    return begin !== "" || texts.has(key.slice(0, key.length - end.length));
  };
  return texts.has(key) || templates.some(fits);
}

const asked = (source: string) => {
  const texts = new Set([...source.matchAll(/"([\w.]+)"|\b([a-zA-Z]+)(?=: )/g)].map((m) => m[1] ?? m[2]));
  const templates = [...source.matchAll(/`([\w.]*)\$\{[^{}`]*\}([\w.]*)`/g)]
    .map((m): [string, string] => [m[1], m[2]])
    .filter(([begin, end]) => begin + end !== "");
  return (key: string) => isNamed(key, texts, templates) || isNamed(key.replace(MODES, ""), texts, templates);
};

for (const [page, folders] of Object.entries(PAGES)) {
  const source = folders.map(scriptsOf).join("\n");

  test(`${page}: every word that is asked for is defined`, () => {
    const keys = folders.flatMap((folder) => Object.keys(wordsOf(folder)));
    const defined = new Set([...keys, ...keys.map((key) => key.replace(MODES, ""))]);
    const wanted = [...source.matchAll(/\b(?:t|inBoth)\("([^"]+)"/g)].map((m) => m[1]);
    assert.ok(wanted.length > 20);
    assert.deepEqual(
      wanted.filter((key) => !defined.has(key)),
      [],
    );
  });

  test(`${page}: every word of its own is asked for`, () => {
    const named = asked(source);
    assert.deepEqual(
      Object.keys(wordsOf(page)).filter((key) => !named(key)),
      [],
    );
  });
}

test("every word that pages share is asked for", () => {
  const named = asked(FOLDERS.map(scriptsOf).join("\n"));
  for (const folder of ["common", "common/annotator"])
    assert.deepEqual(
      Object.keys(wordsOf(folder)).filter((key) => !named(key)),
      [],
    );
});

test("what a word is filled with is not filled itself", () => {
  addWords({ "of two": ["{0}、{1}、{2}", "{0}, {1}, {2}"] });
  assert.equal(t("of two", "{1}", "b"), "{1}、b、{2}");
});
