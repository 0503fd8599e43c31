import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { FlowerError, messageOf } from "../../core/errors.ts";
import type { JsonSchema } from "../../core/schema.ts";

/** What is used of `@anthropic-ai/claude-agent-sdk`: the structural subset, so that the package need not be there to compile. */
export interface ClaudeSdk {
  query(params: { readonly prompt: AsyncIterable<SdkPrompt>; readonly options: SdkOptions }): AsyncIterable<unknown>;
}

export interface SdkPrompt {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: readonly { readonly type: "text"; readonly text: string }[] };
  readonly parent_tool_use_id: null;
}

export interface SdkOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly model?: string;
  readonly systemPrompt: string;
  readonly tools: readonly string[];
  readonly agents?: Readonly<Record<string, SdkAgent>>;
  readonly mcpServers: Readonly<Record<string, SdkServer>>;
  readonly mcpServersDelivery: "initialize";
  readonly strictMcpConfig: true;
  readonly settingSources: readonly never[];
  readonly permissionMode: "default";
  readonly includePartialMessages: true;
  readonly forwardSubagentText: true;
  readonly sessionId?: string;
  readonly resume?: string;
  readonly resumeSessionAt?: string;
  readonly forkSession?: boolean;
  readonly outputFormat?: { readonly type: "json_schema"; readonly schema: JsonSchema };
  readonly hooks: Readonly<Record<string, readonly SdkHookMatcher[]>>;
  readonly canUseTool: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    about: { readonly toolUseID: string },
  ) => Promise<SdkPermission>;
  readonly spawnClaudeCodeProcess: (options: SdkSpawn) => SdkProcess;
}

export interface SdkAgent {
  readonly description: string;
  readonly prompt: string;
  readonly tools: readonly string[];
  readonly model?: string;
  readonly maxTurns?: number;
  readonly background: false;
}

/** An MCP server of this process. Of its object the SDK calls `connect` and `close`. */
export interface SdkServer {
  readonly type: "sdk";
  readonly name: string;
  readonly instance: { connect(transport: SdkTransport): Promise<void>; close(): Promise<void> };
}

export interface SdkTransport {
  onmessage?: (message: unknown) => void;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
}

export interface SdkHookMatcher {
  /** Seconds. */
  readonly timeout: number;
  readonly onFailure: "block";
  readonly hooks: readonly ((input: SdkHookInput) => Promise<SdkHookAnswer>)[];
}

export type SdkPermission =
  | { readonly behavior: "allow"; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: "deny"; readonly message: string };

/** The fields of all hooks that are used; which are there depends on the event. */
export interface SdkHookInput {
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly tool_name?: string;
  readonly tool_input?: unknown;
  readonly tool_use_id?: string;
  readonly tool_response?: unknown;
  readonly tool_calls?: readonly { readonly tool_name: string; readonly tool_use_id: string }[];
  readonly error?: string;
}

export interface SdkHookAnswer {
  readonly continue?: false;
  readonly stopReason?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName: string;
    readonly permissionDecision?: "allow" | "deny";
    readonly permissionDecisionReason?: string;
    readonly updatedInput?: Readonly<Record<string, unknown>>;
    readonly updatedToolOutput?: unknown;
    readonly additionalContext?: string;
  };
}

export interface SdkSpawn {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface SdkProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  once(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  once(event: "error", listener: (error: Error) => void): void;
  off(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  off(event: "error", listener: (error: Error) => void): void;
}

const PACKAGE = "@anthropic-ai/claude-agent-sdk";
const VERSION = "0.3.332";

/**
 * Loads the SDK: from a given file, else as a dependency of this package, else as one of the workspace. Throws `bad-config`, saying
 * what to install, when it is nowhere.
 */
export async function loadSdk(options: { readonly path?: string; readonly workspace: string }): Promise<ClaudeSdk> {
  const { path, workspace } = options;
  const failures: unknown[] = [];
  for (const place of path === undefined ? [() => PACKAGE, () => resolveFrom(workspace)] : [() => toSpecifier(path)]) {
    try {
      return (await import(place())) as ClaudeSdk; // of unknown shape until then: the package is not a dependency
    } catch (error) {
      failures.push(error);
    }
  }
  const where = path === undefined ? "it is not installed" : `${path} cannot be loaded`;
  throw new FlowerError(
    "bad-config",
    `The backend "claude" needs the package ${PACKAGE}, and ${where} (${messageOf(failures[0])}). Run: npm install ${PACKAGE}@${VERSION}`,
    { cause: failures[0] },
  );
}

function resolveFrom(folder: string): string {
  return toSpecifier(createRequire(join(folder, "package.json")).resolve(PACKAGE));
}

function toSpecifier(path: string): string {
  return isAbsolute(path) ? pathToFileURL(path).href : path;
}
