import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown, readAs, writtenAs } from "../src/leaderboard/address.ts";
import { CHOICES, type Choice, firsts, type State } from "../src/leaderboard/state.ts";
import { openPage } from "./page.ts";

/** Values of a choice other than its first one. They contain every character that may separate values in an address. */
function others(first: State[Choice]): State[Choice][] {
  if (first === null || Array.isArray(first)) return [["a"], ["a,b", "c&d=e", "100% 中文", "0:x\ty"]];
  if (typeof first === "boolean") return [!first];
  if (typeof first === "number") return [3, 10];
  if (typeof first === "object")
    return [
      { key: "cause@easy", down: false },
      { key: "", down: true },
    ];
  return ["other", "中文 & =,:%", "-x"];
}

test("what is written of a choice is read again", () => {
  for (const [name, value] of Object.entries(firsts()) as [Choice, State[Choice]][])
    for (const other of [value, ...others(value)]) {
      const said = new URLSearchParams(new URLSearchParams({ x: writtenAs(other) }).toString()).get("x") ?? "";
      assert.deepEqual(readAs(value, said), other, `${name}: ${said}`);
    }
});

test("an address that is cut off breaks nothing", () => {
  assert.deepEqual(readAs([], "%E4%BD"), []);
  assert.deepEqual(readAs([], ""), []);
  assert.deepEqual(readAs({ key: "a", down: true }, ""), { key: "", down: false });
});

test("an address may name what the page does not have", () => {
  openPage();
  const known: [Choice, State[Choice]][] = [
    ["variant", "paper"],
    ["shots", 3],
    ["perturb", "shuffle"],
    ["onlyBenchmark", ""],
    ["onlyBenchmark", "other"],
    ["onlySet", "hard"],
    ["onlyTasks", ["cause", "probe"]],
    ["tags", ["open"]],
    ["size", "3–8B"],
    ["size", "?"],
    ["sort", { key: "cause@easy", down: true }],
    ["sort", { key: "", down: true }],
    ["find", "anything"],
    ["wayTask", "sections look for themselves"],
  ];
  for (const [name, value] of known) assert.ok(isKnown(name, value), `${name}: ${value}`);
  const unknown: [Choice, State[Choice]][] = [
    ["variant", "mine"],
    ["shots", 5],
    ["shots", Number.NaN],
    ["onlyBenchmark", "third"],
    ["onlySet", "v9"],
    ["onlyTasks", ["cause", "none such"]],
    ["onlyTasks", ["fill"]], // not asked
    ["tags", ["closed"]],
    ["size", "1T"],
    ["sort", { key: "none such", down: true }],
  ];
  for (const [name, value] of unknown) assert.ok(!isKnown(name, value), `${name}: ${value}`);
});

test("choices that are read before others may be read after them", () => {
  const names = Object.keys(CHOICES);
  assert.ok(names.indexOf("onlyBenchmark") < names.indexOf("onlySet")); // whose sets are those to choose from
});
