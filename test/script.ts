import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { inject, onTestFinished } from "vitest";

/** A script of the tests at work as a process of its own. */
export interface Script {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** Resolves with exit code and signal when it is gone. */
  readonly exit: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
  /** The next line that it prints; undefined when it has printed its last. Nothing is lost between two calls. */
  line(): Promise<string | undefined>;
  /** As a power cut would. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** Where the bundle of a source file lies that `scripts.ts` names. */
export function bundleOf(source: string): string {
  return join(inject("scripts"), source.replace(/\.ts$/, ".js"));
}

/** Starts a script, named by its place below `test/`. It is gone when the test is, however that ends. */
export function startScript(name: string, ...args: readonly string[]): Script {
  const child = spawn(process.execPath, [bundleOf(`test/${name}.ts`), ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const exit = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const kill = async () => {
    child.kill("SIGKILL");
    await exit;
  };
  onTestFinished(kill);
  let lines: AsyncIterator<string> | undefined;
  const line = async () => {
    lines ??= createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    return done === true ? undefined : (value as string);
  };
  return { process: child, exit, line, kill };
}
