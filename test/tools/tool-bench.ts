import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { resultText } from "../../src/messages/message.ts";
import { builtinTools } from "../../src/tools/builtin/builtin-tools.ts";
import type { BuiltinOptions } from "../../src/tools/builtin/toolset.ts";
import { type CallOutcome, runCall } from "../../src/tools/call.ts";
import type { ToolContext } from "../../src/tools/tool.ts";

/** A new folder, gone after the test. Free of symlinks. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "flower-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export function toolContext(changes: Partial<ToolContext> = {}): ToolContext {
  return {
    sessionId: "s1",
    path: ["main"],
    agent: "main",
    callId: "call00001",
    metadata: {},
    history: [],
    signal: new AbortController().signal,
    services: {},
    emit: () => {},
    ...changes,
  };
}

export interface ToolBench {
  readonly workspace: string;
  /** Absolute path of a file in the workspace. */
  at(path: string): string;
  put(path: string, content: string | Buffer): Promise<string>;
  call(name: string, args: Json, context?: Partial<ToolContext>): Promise<CallOutcome>;
  /** The result's text; a failed call's text begins with "ERROR: ". */
  text(name: string, args: Json, context?: Partial<ToolContext>): Promise<string>;
}

/** The built-in tools over a new workspace, called the way a turn calls them. */
export async function toolBench(options: Partial<BuiltinOptions> = {}): Promise<ToolBench> {
  const workspace = options.workspace ?? (await temporaryFolder());
  const tools = builtinTools({ ...options, workspace });
  const at = (path: string) => join(workspace, path);
  const call: ToolBench["call"] = async (name, args, context) => {
    const found = tools.find((tool) => tool.name === name);
    if (!found) throw new Error(`no tool ${name}`);
    return runCall({ type: "call", callId: "call00001", name, args }, found, toolContext(context));
  };
  return {
    workspace,
    at,
    call,
    async put(path, content) {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), content);
      return at(path);
    },
    async text(name, args, context) {
      const outcome = await call(name, args, context);
      return (outcome.isError ? "ERROR: " : "") + resultText(outcome.content) + (outcome.detail ?? "");
    },
  };
}
