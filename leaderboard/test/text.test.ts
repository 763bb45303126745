import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, codePoint, HIDDEN, langOf, oneLine, plain, shortened, textWidth } from "../src/common/text.ts";

test("characters that hide are shown as marks", () => {
  assert.equal(plain("a\u202eb"), "aU+202Eb");
  assert.equal(plain("\u0000\u200b\ufeff"), "U+0000U+200BU+FEFF");
  assert.equal(plain("\ud800"), "U+D800"); // a lone surrogate
  assert.equal(plain("\u{e0041}"), "U+E0041"); // a tag
  assert.equal(plain("\uffff\u{10fffe}"), "U+FFFFU+10FFFE"); // noncharacters
  assert.equal(plain("\u2028\u2029"), "U+2028U+2029");
  assert.equal(codePoint("\t"), "U+0009");
});

test("words, line ends and pictures stay as they are", () => {
  for (const text of ["", "你好，a b\n✓", "𠀀🙂", "naïve – “quoted”"]) {
    assert.equal(plain(text), text);
    assert.equal(HIDDEN.test(text), false);
  }
});

test("a long name loses its middle, and no half of a character stays", () => {
  assert.equal(brief("a".repeat(200)), "a".repeat(200));
  const cut = brief(`${"🙂".repeat(100)}end`);
  assert.ok(cut.length <= 200 && cut.includes("…") && cut.endsWith("end"));
  assert.equal(HIDDEN.test(brief(`a${"🙂".repeat(300)}`)), false);
});

test("a name fits into the room that there is; its beginning and its end stay", () => {
  assert.equal(shortened("model", 100), "model");
  const cut = shortened("a-model-with-a-long-name-7b", 90);
  assert.ok(textWidth(cut) <= 90 && cut.startsWith("a-m") && cut.endsWith("7b") && cut.includes("…"), cut);
  assert.ok(textWidth(shortened("中文名字很长的一个模型", 60)) <= 60);
  assert.equal(shortened("abcdefgh", 1), "abc…");
  assert.ok(shortened("\u202e".repeat(50), 90).startsWith("U+202E"));
});

test("the language of a text, for fonts", () => {
  assert.deepEqual(["你好 hello", "hello", "A", "12"].map(langOf), ["zh-CN", "en", "zh-CN", "zh-CN"]);
});

test("a text on one line", () => assert.equal(oneLine([" a\n b", "  c "]), "a b c"));
