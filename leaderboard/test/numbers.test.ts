import assert from "node:assert/strict";
import { test } from "node:test";
import { csvText } from "../src/common/files.ts";
import { isNumber, mean, NAMES, num, pct, sumOf } from "../src/common/numbers.ts";

test("numbers as the pages write them", () => {
  assert.equal(pct(0.12345), "12.3");
  assert.equal(pct(0.12345, 2), "12.35");
  assert.equal(num(1234567), "1,234,567");
});

test("what is no number is a dash", () => {
  for (const none of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(isNumber(none), false);
    assert.equal(pct(none), "–");
  }
});

test("a mean is of numbers only, and of some", () => {
  assert.equal(mean([1, 2, 6]), 3);
  assert.equal(mean([1, null]), null);
  assert.equal(mean([]), null);
  assert.equal(sumOf([]), 0);
});

test("names with numbers stand in the order of the numbers", () => {
  assert.deepEqual(["lora-100", "lora-25"].sort(NAMES.compare), ["lora-25", "lora-100"]);
});

test("a field of a file is no formula, unless it is a number", () => {
  const fields = (...values: (string | number | null)[]) => csvText([values]).trim().replace("\ufeff", "");
  assert.equal(
    fields("=1+1", "@x", "-5", "-5a", -5, null, 'say "no"'),
    `"'=1+1","'@x","-5","'-5a","-5","","say ""no"""`,
  );
});
