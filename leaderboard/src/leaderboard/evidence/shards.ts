// Items and what was said to them: loaded when they are looked at, a shard at a time, as shards.py packs them.
import { byId } from "../../common/dom.ts";
import { unpack } from "../../common/unpack.ts";
import { t } from "../../common/words.ts";
import { data } from "../data.ts";

const OUTCOMES = {
  r: "right",
  p: "partial",
  w: "wrong",
  u: "unparsed",
  d: "refused",
  t: "truncated",
  s: "several",
  c: "conflict",
  e: "empty",
  b: "filtered",
  x: "failed",
  "?": "otherStatus",
};

const KEPT = 24; // shards in memory

const arrived = new Map(),
  loaded = new Map();

globalThis.evalsuiteShard = (name, text) => arrived.set(name, text);

// A script's address may be a shard's and no other: the policy of the page asks for this.
const shardAddress = (name) => {
  if (!/^[0-9a-f]{16}$/.test(name)) throw Error(name);
  return `shards/${name}.js`;
};

const addresses = globalThis.trustedTypes?.createPolicy("evalsuite", { createScriptURL: shardAddress }) ?? {
  createScriptURL: shardAddress,
};

export const columnOf = (cell) => data.columns[cell.column];

/** The number of entries, in the column's order, that the cell has (an entry is an item, or one rotation or sample of it). */
export const entriesOf = (cell) =>
  (cell.entries ??= [...cell.outcomes].flatMap((code, entry) => (code === "." ? [] : [entry])));

export const outcomeAt = (cell, entry) => OUTCOMES[cell.outcomes[entry]];

export const idAt = (cell, entry) => columnOf(cell).ids[entry];

/** The entry of an id; of the item's first rotation where the column has no such rotation. undefined if there is none. */
export function entryOf(cell, id) {
  const column = columnOf(cell);
  column.entryOf ??= new Map(column.ids.map((x, i) => [x, i]));
  const entry = column.entryOf.get(id) ?? column.entryOf.get(id.split("~")[0]);
  return entry === undefined || !OUTCOMES[cell.outcomes[entry]] ? undefined : entry;
}

function shardOf(cell, entry) {
  const { shards } = columnOf(cell);
  let at = shards.length - 1;
  while (shards[at][1] > entry) at--;
  return shards[at];
}

/** A shard's content, which is kept for a while. */
export function shard(name) {
  const found = loaded.get(name) ?? fetched(name).then(unpack);
  loaded.delete(name);
  loaded.set(name, found); // last in line to go
  found.then(
    (content) => {
      found.content = content;
    },
    () => loaded.delete(name),
  );
  for (const old of loaded.keys()) if (loaded.size > KEPT) loaded.delete(old);
  return found;
}

async function fetched(name) {
  const inside = byId(`shard-${name}`);
  if (inside) return inside.textContent;
  await new Promise((done, fail) => {
    const script = document.createElement("script");
    Object.assign(script, { onload: done, onerror: () => fail(Error(t("noShard", `shards/${name}.js`))) });
    script.src = addresses.createScriptURL(name);
    document.head.append(script);
    script.remove();
  });
  const text = arrived.get(name);
  arrived.delete(name);
  return text;
}

/** An entry of a cell as the page shows it; a promise. undefined if the cell has no such entry. */
export async function rowAt(cell, entry) {
  const [name, first] = shardOf(cell, entry);
  return rowIn(await shard(name), cell, entry, first);
}

/** The same at once, or undefined if its shard is not here; it is sent for. */
export function rowNow(cell, entry, redraw) {
  const [name, first] = shardOf(cell, entry),
    content = loaded.get(name)?.content;
  if (content) return rowIn(content, cell, entry, first);
  const coming = shard(name);
  if (coming.redraw !== redraw)
    coming.then(redraw, () => {
      /* its lines stay as they are; opening an item says what is amiss */
    });
  coming.redraw = redraw;
}

export function rowIn({ rows, items, strings, judged }, cell, entry, first) {
  const r = rows[cell.number]?.[entry - first],
    id = idAt(cell, entry);
  return (
    r && {
      item: items[r[0]],
      shown: JSON.stringify(items[r[0]]),
      prompt: strings[r[1]],
      reply: strings[r[2]],
      status: r[3],
      choice: r[4],
      text: r[5],
      rule: r[6],
      start: r[7],
      end: r[8],
      scores: r[9] ?? {},
      finish: r[10],
      error: r[11],
      shots: r[12],
      asked: r[13],
      reasoning: r[14] === null ? null : strings[r[14]],
      likelihoods: r[15],
      rotation: r[16] ?? 0,
      sample: r[19] ?? 0,
      choices: r[17] ?? [],
      pairs: r[18]?.map((pair) => pair.map((i) => strings[i])),
      opinions: (judged[cell.number] ?? []).flatMap((j) =>
        j.rows[id] ? [{ ...j, said: j.rows[id], reasons: strings[j.rows[id][2]], asked: strings[j.rows[id][3]] }] : [],
      ),
    }
  );
}
