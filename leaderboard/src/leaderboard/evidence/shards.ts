// Loads items and their replies. evalsuite/page/shards.py packs them into files, the shards; a shard is loaded when one of its items
// is shown.
import { byId } from "../../common/dom.ts";
import { unpack } from "../../common/unpack.ts";
import { t } from "../../common/words.ts";
import type { EvalsuiteRecordFormat1 } from "../../types/record.ts";
import { data } from "../data.ts";
import type { Cell } from "../types.ts";

/** An item as it was asked. */
export type Item = Pick<
  EvalsuiteRecordFormat1,
  "item" | "dialogue" | "question" | "labels" | "options" | "references" | "gold" | "group"
>;
/** An option's log-probability (null: not finite), its number of tokens, and its log-probability without the question (null: not
 *  asked). */
export type Likelihood = [logprob: number | null, tokens: number, prior: number | null];
/** Numbers of tokens; the last value is 1 if the tokens of thinking are estimated from characters. */
export type ReplyTokens = [ofPrompt: number, generated: number, thinking: number, guessed?: 1];
/** A packed reply. `item` is an index in the shard's `items`; `prompt`, `reply`, `reasoning` and `pairs` are indices in its
 *  `strings`. */
type PackedReply = [
  item: number,
  prompt: number,
  reply: number,
  status: string,
  choice: number | null,
  text: string | null,
  rule: string,
  start: number | null,
  end: number | null,
  scores: Record<string, number> | null,
  finish: string,
  error: string | null,
  shots: number,
  asked: number,
  reasoning: number | null,
  likelihoods: Likelihood[] | null,
  rotation: number,
  choices: number[] | null,
  pairs: number[][] | null,
  sample?: number,
  tokens?: ReplyTokens,
];
/** A judge's or a second reader's opinions on a cell's replies; `rows`: the id of an entry -> the opinion. */
interface PackedOpinions {
  judge: string;
  rubric: string;
  control: "plain" | "blind" | "second";
  rows: Record<string, [status: string, scores: Record<string, number>, reasons: number, asked: number]>;
}
interface Shard {
  /** The replies of each cell, by the cell's number. */
  rows: Record<number, (PackedReply | null)[]>;
  judged: Record<number, PackedOpinions[]>;
  items: Item[];
  strings: string[];
}
export type Reply = NonNullable<ReturnType<typeof replyIn>>;

declare global {
  var evalsuiteShard: (name: string, text: string) => void;
  var trustedTypes: { createPolicy(name: string, rules: typeof ours): typeof ours } | undefined;
}

// ---- entries: an entry is an item, one of its rotations or one of its samples
export const columnOf = (cell: Cell) => data.columns[cell.column];

/** The entries that a cell has, as indices into the ids of its column. */
export function entriesOf(cell: Cell) {
  cell.entries ??= [...cell.outcomes].flatMap((code, entry) => (code === "." ? [] : [entry]));
  return cell.entries;
}
/** The outcome of an entry; undefined if the cell has none. */
export const outcomeAt = (cell: Cell, entry: number) => data.outcomes[cell.outcomes[entry]];

export const idAt = (cell: Cell, entry: number) => columnOf(cell).ids[entry];

/** The id of an entry's item: the entry's without the number of a rotation or sample. Items' own ids may have a ~, too. */
const itemOf = (id: string) => id.replace(/(~\d+)?(~sample\d+)?$/, "");

/** The entry with an id. If the column lacks the id, the entry of the item's first rotation; undefined if it lacks both. */
export function entryOf(cell: Cell, id: string) {
  const column = columnOf(cell);
  column.entryOf ??= new Map(column.ids.map((x, i) => [x, i]));
  const entry = column.entryOf.get(id) ?? column.entryOf.get(itemOf(id));
  return entry !== undefined && outcomeAt(cell, entry) ? entry : undefined;
}

/** Whether a cell has rotations or samples: several entries of one item. */
export const hasSeveralOfAnItem = (cell: Cell) =>
  entriesOf(cell).some((entry) => ![undefined, entry].includes(entryOf(cell, itemOf(idAt(cell, entry)))));

// ---- shards
const KEPT = 24; // number of shards kept in memory

interface Loaded {
  coming: Promise<Shard>;
  content?: Shard;
  /** A function to call when the shard has arrived. */
  redraw?: () => void;
}
const arrived = new Map<string, string>();
const loaded = new Map<string, Loaded>();

globalThis.evalsuiteShard = (name, text) => arrived.set(name, text);

/** The page's security policy lets scripts load from addresses of shards only. */
const ours = {
  createScriptURL(name: string) {
    if (!/^[0-9a-f]{16}$/.test(name)) throw Error(name);
    return `shards/${name}.js`;
  },
};
const addresses = globalThis.trustedTypes?.createPolicy("evalsuite", ours) ?? ours;

async function fetched(name: string): Promise<Shard> {
  const inside = byId(`shard-${name}`);
  if (inside) return unpack(inside.textContent);
  await new Promise((onload, fail) => {
    const script = document.createElement("script");
    Object.assign(script, { onload, onerror: () => fail(Error(t("noShard", `shards/${name}.js`))) });
    script.src = addresses.createScriptURL(name);
    document.head.append(script);
    script.remove();
  });
  const text = arrived.get(name) ?? "";
  arrived.delete(name);
  return unpack(text);
}

function load(name: string): Loaded {
  const one: Loaded = { coming: fetched(name) };
  one.coming.then(
    (content) => {
      one.content = content;
    },
    () => loaded.delete(name),
  );
  return one;
}

/** A shard from memory, or on its way. */
function take(name: string): Loaded {
  const taken = loaded.get(name) ?? load(name);
  loaded.delete(name);
  loaded.set(name, taken); // the shard used last is dropped last
  for (const old of loaded.keys()) if (loaded.size > KEPT) loaded.delete(old);
  return taken;
}
export const shard = (name: string) => take(name).coming;

/** The name of the shard with an entry, and the index of the first entry in that shard. */
function shardOf(cell: Cell, entry: number) {
  const { shards } = columnOf(cell);
  let at = shards.length - 1;
  while (shards[at][1] > entry) at--;
  return shards[at];
}

// ---- replies
/** A promise of a cell's reply to an entry, with its item; undefined if the cell has no such entry. */
export async function replyAt(cell: Cell, entry: number) {
  const [name, first] = shardOf(cell, entry);
  return replyIn(await shard(name), cell, entry, first);
}

/** A cell's reply to an entry if its shard is in memory, else undefined; the shard is then loaded. */
export function loadedReply(cell: Cell, entry: number, redraw: () => void) {
  const [name, first] = shardOf(cell, entry);
  const content = loaded.get(name)?.content;
  if (content) return replyIn(content, cell, entry, first);
  const one = take(name);
  if (one.redraw !== redraw)
    one.coming.then(redraw, () => {
      /* the list stays as it is; an item that is opened shows the error */
    });
  one.redraw = redraw;
  return undefined;
}

export function replyIn({ rows, items, strings, judged }: Shard, cell: Cell, entry: number, first: number) {
  const packed = rows[cell.number]?.[entry - first];
  if (!packed) return undefined;
  const [item, prompt, reply, status, choice, text, rule, start, end, scores, finish, error, shots, asked, ...rest] =
    packed;
  const [reasoning, likelihoods, rotation, choices, pairs, sample = 0, tokens] = rest;
  const opinions = (judged[cell.number] ?? []).flatMap(({ rows: judgements, ...by }) => {
    const mine = judgements[idAt(cell, entry)];
    return mine
      ? [{ ...by, status: mine[0], scores: mine[1], reasons: strings[mine[2]], asked: strings[mine[3]] }]
      : [];
  });
  const unchanged = { status, choice, text, rule, start, end, finish, error, likelihoods, opinions };
  return {
    ...unchanged,
    shots,
    asked,
    sample,
    tokens,
    item: items[item],
    prompt: strings[prompt],
    reply: strings[reply],
    scores: scores ?? {},
    reasoning: reasoning === null ? null : strings[reasoning],
    rotation: rotation ?? 0,
    choices: choices ?? [],
    pairs: pairs?.map((pair) => pair.map((i) => strings[i])),
  };
}
