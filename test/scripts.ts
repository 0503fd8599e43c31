import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { glob } from "tinyglobby";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder that holds the bundled scripts, each where it lies in the repository. */
    readonly scripts: string;
  }
}

/** What tests start as processes of their own. */
const SCRIPTS = ["test/**/children/*.ts", "src/engines/index.ts"];

/** Bundles them once for all tests: from a bundle a process is at work in a fraction of the time that it needs from the source. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { root } = project.config;
  const folder = await mkdtemp(join(tmpdir(), "flower-scripts-"));
  await build({
    absWorkingDir: root,
    entryPoints: await glob(SCRIPTS, { cwd: root }),
    outbase: root,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    logLevel: "warning",
    logOverride: { "ignored-bare-import": "silent" },
  });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
  project.provide("scripts", folder);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
