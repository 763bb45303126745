import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Undo } from "../src/common/annotator/undo.ts";
import {
  actionOf,
  isOwnKey,
  type Job,
  loadWork,
  objectsOf,
  openFrom,
  restoreLast,
  setEntry,
  setJob,
  storedWork,
  storeWork,
  work,
} from "../src/common/annotator/work.ts";
import { shortcut } from "../src/common/keys.ts";

const kept = new Map<string, string>();
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, text: string) => kept.set(key, text),
};
Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });

let finished: boolean[] = [];
const job = {
  storageKey: "page.h",
  size: 4,
  settings: { show: false },
  done: (at: number) => finished[at],
} as Partial<Job>;

beforeEach(() => {
  kept.clear();
  finished = [true, false, false, true];
  setJob({ ...job, undo: new Undo<never>(() => {}), load: () => {}, keys: () => new Map() } as unknown as Job);
  loadWork("林");
});

test("the next open entry is sought round, and comes back to itself", () => {
  assert.deepEqual([0, 2, 3].map(openFrom), [1, 2, 1]);
  finished[2] = true;
  assert.equal(openFrom(2), 1);
  finished[1] = true;
  assert.equal(openFrom(0), -1);
});

test("an index is one of the entries", () => {
  const placed = [-3, 9, 1.5, Number.NaN].map((at) => {
    setEntry(at);
    return work.at;
  });
  assert.deepEqual(placed, [0, 3, 1, 0]);
});

test("work is kept under the data's hash and the annotator's name", () => {
  storeWork([1]);
  storeWork({ a: 1 }, "2");
  assert.deepEqual([...kept.keys()], ["evalsuite.page.h.林", "evalsuite.page.h.林.2"]);
  assert.deepEqual([storedWork([0]), storedWork({}, "2"), storedWork(null, "3")], [[1], { a: 1 }, null]);
  assert.equal(work.isStored, true);
  loadWork("周");
  assert.deepEqual(storedWork([0]), [0]);
});

test("the work of an annotator whose name is longer is another's", () => {
  loadWork("Li");
  const own = ["evalsuite.page.h.Li", "evalsuite.page.h.Li.3"];
  const others = ["evalsuite.page.h.Lin", "evalsuite.page.h.Lin.3", "evalsuite.page.h", null];
  assert.deepEqual(
    [own, others].map((keys) => keys.map(isOwnKey)),
    [own.map(() => true), others.map(() => false)],
  );
});

test("a browser that keeps nothing is told of", () => {
  const { setItem } = storage;
  Object.assign(storage, {
    setItem: () => {
      throw Error("full");
    },
  });
  storeWork([1]);
  Object.assign(storage, { setItem });
  assert.equal(work.isStored, false);
});

test("the last index comes back with its settings, and no other", () => {
  kept.set("evalsuite.page.h", '{"annotator":"周","at":2,"show":true,"size":9}');
  setJob({ ...job, settings: { show: false } } as Job);
  assert.deepEqual(restoreLast(), { annotator: "周", at: 2 });
  kept.set("evalsuite.page.h", "{");
  assert.deepEqual(restoreLast(), { annotator: "", at: 0 });
});

test("lines that are no JSON are null, empty ones none", () => {
  assert.deepEqual(objectsOf('{"a":1}\r\n\n{\n2'), [{ a: 1 }, null, 2]);
});

test("changes of one name are taken back together; the oldest are forgotten", () => {
  const back: [number, string][] = [];
  const undo = new Undo<string>((at, before) => back.push([at, before]));
  undo.note(0, "", "a");
  undo.note(0, "x", "a");
  undo.note(1, "y", "b");
  undo.note(1, "z");
  undo.note(1, "z");
  assert.deepEqual(
    [undo.takeBack(), undo.takeBack(), undo.takeBack(), undo.takeBack(), undo.takeBack()],
    [1, 1, 1, 0, null],
  );
  assert.deepEqual(back, [
    [1, "z"],
    [1, "z"],
    [1, "y"],
    [0, ""],
  ]);
  for (let i = 0; i < 1000; i++) undo.note(i, "");
  assert.equal(undo.size, 500);
});

test("an entry's own keys come before those that move", () => {
  const own = () => {};
  setJob({ ...job, keys: () => new Map([["j", own]]) } as Job);
  assert.equal(actionOf("j"), own);
  assert.notEqual(actionOf("k"), undefined);
  assert.equal(actionOf("q"), undefined);
});

test("letters can be turned off as shortcuts; other keys stay", () => {
  const pressed = (key: string, more = {}) =>
    shortcut({ key, altKey: false, ctrlKey: false, metaKey: false, ...more } as KeyboardEvent);
  assert.deepEqual([pressed("a"), pressed("a", { ctrlKey: true }), pressed("Enter")], ["a", "", "Enter"]);
  kept.set("evalsuite.keys", "off");
  assert.deepEqual([pressed("a"), pressed("Enter")], ["", "Enter"]);
});
