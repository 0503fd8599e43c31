import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// `node build.mjs [folder]` bundles every script that package.json names, each from the source of the same name. They share their
// code, and what is imported lazily stays in files of its own.

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  metafile: true,
  packages: "external",
  write: false,
};
/** A conversation needs these. esbuild would cut them into a file for each combination of entries, and files are what an import costs. */
const TOGETHER = ["src/index.ts", /^src\/(core|messages|i18n|engines|tools|sessions|agents|runner)\//];

const outdir = process.argv[2] ?? "dist";
const inOneFile = keepTogether(await loadedBy(...TOGETHER));
const { outputFiles } = await build({
  ...OPTIONS,
  entryPoints: namedScripts(),
  outbase: "src",
  outdir,
  chunkNames: "chunks/[name]-[hash]",
  sourcemap: true,
  sourcesContent: false,
  plugins: [inOneFile],
  logOverride: { "ignored-bare-import": "silent" },
});
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, path.endsWith(".js") ? withOwnNames(text) : text);
}

/** The sources of what stands below `dist/` in `exports`, `imports` and `bin`. */
function namedScripts() {
  const { exports, imports, bin } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
  const named = Object.values({ ...exports, ...imports, ...bin }).map((target) => target.default ?? target);
  return named.flatMap((file) => /^(?:\.\/)?dist\/(.+)\.js$/.exec(file)?.[1] ?? []).map((name) => `src/${name}.ts`);
}

/** The sources in these folders that an entry loads at once. */
async function loadedBy(entry, folders) {
  const { metafile } = await build({ ...OPTIONS, entryPoints: [entry], outdir });
  const loaded = new Set([entry]);
  for (const file of loaded) {
    const imports = metafile.inputs[file].imports.filter(({ kind, external }) => kind === "import-statement" && !external);
    for (const { path } of imports) loaded.add(path);
  }
  return [...loaded].filter((file) => folders.test(file)).map((file) => ROOT + file);
}

/** Whatever imports something imports all of these too: then they are all needed by the same entries, and land in one file. */
function keepTogether(files) {
  const imports = files.map((file) => `import ${JSON.stringify(file)};`).join("");
  const load = ({ path }) => {
    const source = readFileSync(path, "utf8");
    if (files.includes(path) || !/^import /m.test(source)) return undefined;
    return { contents: `${source}\n${imports}`, loader: "ts" };
  };
  return { name: "keep-together", setup: ({ onLoad }) => onLoad({ filter: /\/src\/.*\.ts$/ }, load) };
}

/** A class that mentions itself comes out as `var Agent = class _Agent`, and a person who prints one would read `_Agent`. */
function withOwnNames(script) {
  const names = [...script.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name);
  return names.reduce((text, name) => text.replaceAll(new RegExp(`\\b_${name}\\b`, "g"), name), script);
}
