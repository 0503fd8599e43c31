import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { inject, onTestFinished, vi } from "vitest";
import { newFolder } from "../folder.ts";

/** Where a program of `examples/` lies beside the package that it uses. */
export function exampleAt(name: string): string {
  return join(inject("package"), "examples", `${name}.js`);
}

/** A program of `examples/` under way, in an empty workspace. */
export interface Program {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly workspace: string;
  /** What it has printed so far. */
  output(): string;
  /** Resolves when it has printed that. */
  printed(text: string): Promise<void>;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
}

export function startProgram(name: string): Program {
  const workspace = newFolder();
  const child = spawn(process.execPath, [exampleAt(name), workspace], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  return {
    child,
    workspace,
    output: () => output,
    printed: (text) => vi.waitFor(() => expectIn(output, text), { timeout: 20_000, interval: 20 }),
    ended: once(child, "close").then(([code]) => code as number | null),
  };
}

function expectIn(output: string, text: string): void {
  if (!output.includes(text)) throw new Error(`"${text}" was not printed. What was:\n${output}`);
}

/** A program that serves HTTP and says where. */
export interface Service extends Program {
  readonly base: string;
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
}

export async function startService(name: string): Promise<Service> {
  const program = startProgram(name);
  await program.printed("\n");
  const base = `http://127.0.0.1:${(JSON.parse(program.output()) as { port: number }).port}`;
  const json = async (path: string, init?: RequestInit) => (await fetch(`${base}${path}`, init)).json() as Promise<unknown>;
  const headers = { "content-type": "application/json" };
  return {
    ...program,
    base,
    get: (path) => json(path),
    post: (path, body) => json(path, { method: "POST", headers, body: JSON.stringify(body) }),
  };
}
