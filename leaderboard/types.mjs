// ../schema/*.json -> src/types/*.ts: what results.json and records hold, as types. Run it by `make page`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileFromFile } from "json-schema-to-typescript";

const here = import.meta.dirname;
for (const name of ["results", "record", "judged-record", "second-record", "annotation"]) {
  const from = join(here, `../schema/${name}.schema.json`),
    to = join(here, `src/types/${name}.ts`);
  const text = await compileFromFile(from, {
    bannerComment: `// Generated from schema/${name}.schema.json by types.mjs.`,
    additionalProperties: false,
    unknownAny: true,
  });
  if (!process.argv.includes("--check")) writeFileSync(to, text);
  else if (readFileSync(to, "utf8") !== text) throw Error(`${to} is not what its schema gives: run make page`);
}
