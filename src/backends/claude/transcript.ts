import { createReadStream } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { hasCode } from "../../core/files.ts";
import { isRecord, parseJson } from "../../core/json.ts";
import type { Environment } from "../../tools/builtin/environment.ts";

/** Where the CLI keeps its login, settings and sessions. */
export function configFolder(env: Environment): string {
  return env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] || homedir(), ".claude");
}

/** The file in which the CLI keeps a session, whatever folder it was started in; undefined when there is none. */
export async function findTranscript(config: string, uuid: string): Promise<string | undefined> {
  const projects = join(config, "projects");
  for (const folder of await readdir(projects).catch(() => [])) {
    const path = join(projects, folder, `${uuid}.jsonl`);
    if (await stat(path).catch(() => undefined)) return path;
  }
  return undefined;
}

export interface ReplySearch {
  /** Only these replies; default: any. */
  readonly ids?: ReadonlySet<string>;
  /** Byte to begin at, the start of a line; default 0. */
  readonly from?: number;
}

/** Whether the model has answered in this session. Errors that are written like answers don't count. */
export async function hasReply(path: string, { ids, from = 0 }: ReplySearch = {}): Promise<boolean> {
  for await (const entry of entries(path, from)) {
    const id = replyId(entry);
    if (id !== undefined && (ids?.has(id) ?? true)) return true;
  }
  return false;
}

/** Bytes that the file has now; 0 when there is none. */
export async function sizeOf(path: string | undefined): Promise<number> {
  return path === undefined ? 0 : ((await stat(path).catch(() => undefined))?.size ?? 0);
}

/** The entry that ends the session's iteration `number` (from 1): the last block of that reply, or its last result. */
export async function endOfIteration(path: string, number: number): Promise<string | undefined> {
  const seen: string[] = [];
  let end: string | undefined;
  let closed = false;
  for await (const entry of entries(path)) {
    const id = replyId(entry);
    if (id !== undefined && !seen.includes(id)) {
      if (seen.length === number) break;
      seen.push(id);
      closed = false;
    }
    if (id === undefined && isPrompt(entry)) closed = true;
    if (seen.length === number && !closed && (id !== undefined || isResults(entry))) end = String(entry["uuid"]);
  }
  return seen.length < number ? undefined : end;
}

/** Takes away a session in which nothing was answered, so that its id can be used again. */
export async function dropTranscript(path: string): Promise<void> {
  await rm(path, { force: true });
}

type Entry = Readonly<Record<string, unknown>>;

async function* entries(path: string, start = 0): AsyncGenerator<Entry> {
  const lines = createInterface({ input: createReadStream(path, { start }), crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) {
      const entry = parseJson(line); // the last line of a process that died may be cut
      if (isRecord(entry)) yield entry;
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  } finally {
    lines.close();
  }
}

/** The id of the main thread's reply that an entry is a block of. */
function replyId(entry: Entry): string | undefined {
  const { type, isSidechain, isApiErrorMessage, message } = entry;
  if (type !== "assistant" || isSidechain === true || isApiErrorMessage === true || !isRecord(message)) return undefined;
  return message["model"] === "<synthetic>" || typeof message["id"] !== "string" ? undefined : message["id"];
}

function isResults({ type, message }: Entry): boolean {
  return type === "user" && isRecord(message) && Array.isArray(message["content"]) && message["content"].some(isToolResult);
}

function isPrompt(entry: Entry): boolean {
  return entry["type"] === "user" && !isResults(entry);
}

function isToolResult(block: unknown): boolean {
  return isRecord(block) && block["type"] === "tool_result";
}
