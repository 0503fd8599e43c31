import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { inject } from "vitest";
import type { Block } from "./pages.ts";
import { moduleOf } from "./type-check.ts";

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a block as a program of its own, in an empty folder that has the package installed, without keys in its environment. */
export async function runExample(block: Block): Promise<Finished> {
  const folder = await mkdtemp(join(tmpdir(), "flower-docs-"));
  try {
    await writeFile(join(folder, "package.json"), '{ "type": "module" }\n'); // else one further up could be taken for ours
    await mkdir(join(folder, "node_modules"));
    await symlink(inject("package"), join(folder, "node_modules", "flower-agents"));
    const { outputText } = ts.transpileModule(moduleOf(block), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
    });
    return await runModule(outputText, folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function runModule(code: string, cwd: string): Promise<Finished> {
  const child = spawn(process.execPath, ["--input-type=module"], { cwd, env: { PATH: process.env["PATH"], HOME: cwd } });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += String(chunk);
  });
  child.stdin.end(code);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, ...output }));
  });
}
