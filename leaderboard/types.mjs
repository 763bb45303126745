// ../schema/*.json -> src/types/*.ts: the types of results.json and records. Run it by `make generated` or `make page`.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "json-schema-to-typescript";

const here = import.meta.dirname;
for (const name of ["results", "record", "judged-record", "second-record", "annotation"]) {
  const from = join(here, `../schema/${name}.schema.json`),
    to = join(here, `src/types/${name}.ts`);
  const source = readFileSync(from, "utf8");
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 16); // so that a test without Node can compare
  const schema = untitled(JSON.parse(source));
  const text = await compile(schema, schema.title, {
    bannerComment: `// Generated from schema/${name}.schema.json (${hash}) by types.mjs.`,
    additionalProperties: false,
    unknownAny: true,
  });
  if (!process.argv.includes("--check")) writeFileSync(to, text);
  else if (readFileSync(to, "utf8") !== text) throw Error(`${to} is not what its schema gives: run make page`);
}

/** A schema whose plain values have no titles: each title would become a type of its own, a second time in the next schema. */
function untitled(node) {
  if (Array.isArray(node)) return node.map(untitled);
  if (node === null || typeof node !== "object") return node;
  const rows = Object.entries(node).filter(
    ([key, value]) => key !== "title" || typeof value !== "string" || node.properties,
  );
  return Object.fromEntries(rows.map(([key, value]) => [key, untitled(value)]));
}
