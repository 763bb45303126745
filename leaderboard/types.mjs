// Makes src/types/*.ts, the types of results.json, records and annotations, from schema/*.json. `make page` runs it.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "json-schema-to-typescript";

const here = import.meta.dirname;
const MOST_VALUES = 12;
for (const name of ["results", "record", "judged-record", "second-record", "annotation"]) {
  const from = join(here, `../schema/${name}.schema.json`),
    to = join(here, `src/types/${name}.ts`);
  const source = readFileSync(from, "utf8");
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 16); // so that a test without Node can compare
  const schema = withoutNames(JSON.parse(source));
  const text = await compile(schema, schema.title, {
    bannerComment: `// Generated from schema/${name}.schema.json (${hash}) by types.mjs.`,
    additionalProperties: false,
    unknownAny: true,
  });
  if (!process.argv.includes("--check")) writeFileSync(to, text);
  else if (readFileSync(to, "utf8") !== text) throw Error(`${to} is not what its schema gives: run make page`);
}

/** A schema without titles of plain values, each of which would become a type of its own, a second time in the next schema. A long
 *  list of allowed values, such as the names of all tasks, is any string to the scripts, which read the list from the page's data. */
function withoutNames(node) {
  if (Array.isArray(node)) return node.map(withoutNames);
  if (node === null || typeof node !== "object") return node;
  const rows = Object.entries(node).filter(
    ([key, value]) =>
      (key !== "title" || typeof value !== "string" || node.properties) &&
      !(key === "enum" && value.length > MOST_VALUES),
  );
  return Object.fromEntries(rows.map(([key, value]) => [key, withoutNames(value)]));
}
