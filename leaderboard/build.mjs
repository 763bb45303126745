// Bundles the modules of src/ to dist/: one script for each page, which evalsuite puts into the page. `make page` runs it; commit the
// files that it writes. With --check it writes nothing, and fails if dist/ is not up to date.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const { outputFiles } = await build({
  entryPoints: ["leaderboard", "annotate", "audit"].map((page) => ({
    in: join(here, `src/${page}/main.ts`),
    out: page,
  })),
  outdir: join(here, "dist"),
  write: false,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: "es2022",
});
const made = new Map(outputFiles.map((file) => [basename(file.path), file.text]));
made.set("SOURCES.sha256", `${hashOfSources()}\n`);

if (process.argv.includes("--check")) {
  const old = [...made].filter(([name, text]) => readFileSync(join(here, "dist", name), "utf8") !== text);
  if (old.length) throw Error(`dist/ is not what src/ gives: ${old.map(([name]) => name)}; run make page`);
} else {
  mkdirSync(join(here, "dist"), { recursive: true });
  for (const [name, text] of made) writeFileSync(join(here, "dist", name), text);
}

/** A hash of the sources of dist/. A test compares it, so that it needs no Node to notice that dist/ is not up to date. */
function hashOfSources() {
  const entries = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.(ts|json)$/.test(entry.name));
  const hash = createHash("sha256");
  const named = files.map((entry) => relative(here, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  for (const name of named.sort()) hash.update(`${name}\n`).update(readFileSync(join(here, name)));
  return hash.digest("hex");
}
