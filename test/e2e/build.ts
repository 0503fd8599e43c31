import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the built `cli/main.js`. */
    readonly cli: string;
  }
}

const run = promisify(execFile);

/** Builds the command line once for all end-to-end tests: a built one starts in half the time of the source. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { root } = project.config;
  const folder = await mkdtemp(join(tmpdir(), "flower-e2e-build-"));
  const modules = join(root, "node_modules");
  await run(process.execPath, [join(root, "build.mjs"), join(folder, "dist")]);
  await symlink(modules, join(folder, "node_modules"));
  await cp(join(root, "package.json"), join(folder, "package.json"));
  project.provide("cli", join(folder, "dist", "cli", "main.js"));
  return () => rm(folder, { recursive: true, force: true });
}
