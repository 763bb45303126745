// Words: every key that the scripts ask for is defined, every key that is defined is asked for.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addWords, hasWord, inBoth, t } from "../src/common/words.ts";

const SRC = join(import.meta.dirname, "../src");
const PAGES = ["annotate", "audit", "leaderboard"];

const textOf = (folder: string) =>
  readdirSync(join(SRC, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(SRC, folder, name), "utf8"))
    .join("\n");
const wordsOf = (folder: string): Record<string, string[]> =>
  JSON.parse(readFileSync(join(SRC, folder, "words.json"), "utf8"));

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
  for (const folder of ["common", ...PAGES]) {
    const text = readFileSync(join(SRC, folder, "words.json"), "utf8");
    const keys = [...text.matchAll(/^ {2}"([^"]+)":/gm)].map((m) => m[1]);
    assert.deepEqual(keys, [...new Set(keys)], folder);
    const places = (words: string) => [...new Set(words.match(/\{\d\}/g))].sort();
    for (const [key, [zh, en]] of Object.entries(wordsOf(folder)))
      if (en !== undefined) assert.deepEqual(places(zh), places(en), `${folder}: ${key}`);
  }
});

/** Whether scripts name a key: as a text, or as a template with a known beginning or a known end. */
function isNamed(key: string, texts: Set<string>, templates: [string, string][]) {
  const fits = ([begin, end]: [string, string]) => {
    if (!key.startsWith(begin) || !key.endsWith(end) || key.length <= begin.length + end.length) return false;
    return begin !== "" || texts.has(key.slice(0, key.length - end.length));
  };
  return texts.has(key) || templates.some(fits);
}

for (const page of PAGES) {
  const source = textOf(page) + textOf("common");
  const defined = { ...wordsOf("common"), ...wordsOf(page) };

  test(`${page}: every word that is asked for is defined`, () => {
    const asked = [...source.matchAll(/\b(?:t|inBoth)\("([^"]+)"/g)].map((m) => m[1]);
    assert.ok(asked.length > 20);
    assert.deepEqual(
      [...new Set(asked)].filter((key) => !(key in defined)),
      [],
    );
  });

  test(`${page}: every word that is defined is asked for`, () => {
    const texts = new Set([...source.matchAll(/"([\w.]+)"|\b([a-zA-Z]+)(?=: )/g)].map((m) => m[1] ?? m[2]));
    const templates = [...source.matchAll(/`([\w.]*)\$\{[^{}`]*\}([\w.]*)`/g)]
      .map((m): [string, string] => [m[1], m[2]])
      .filter(([begin, end]) => begin + end !== "");
    assert.deepEqual(
      Object.keys(wordsOf(page)).filter((key) => !isNamed(key, texts, templates)),
      [],
    );
  });
}

test("every word that the pages share is asked for by one of them", () => {
  const source = ["common", ...PAGES].map(textOf).join("\n");
  assert.deepEqual(
    Object.keys(wordsOf("common")).filter((key) => !source.includes(`"${key}"`)),
    [],
  );
});
