import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the built `cli/main.js`. */
    readonly cli: string;
    /** The folder of the built package, as it would be installed; the programs of `examples/` lie there too, built. */
    readonly package: string;
  }
}

const run = promisify(execFile);

/** Builds the package once for all end-to-end tests: a built one starts in a fraction of the time of the source. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { root } = project.config;
  const folder = await mkdtemp(join(tmpdir(), "flower-e2e-build-"));
  const modules = join(root, "node_modules");
  await Promise.all([
    run(process.execPath, [join(root, "build.mjs"), join(folder, "dist")]),
    build({
      absWorkingDir: root,
      entryPoints: ["examples/*.ts"],
      outdir: join(folder, "examples"),
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.19",
      packages: "external",
      logLevel: "warning",
    }),
  ]);
  await symlink(modules, join(folder, "node_modules"));
  await cp(join(root, "package.json"), join(folder, "package.json"));
  project.provide("package", folder);
  project.provide("cli", join(folder, "dist", "cli", "main.js"));
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
