import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { Agent } from "../../../src/agents/agent.ts";
import { claudeBackend } from "../../../src/backends/claude/index.ts";
import { isRecord, type Json } from "../../../src/core/json.ts";
import { anthropic } from "../../../src/engines/providers.ts";
import type { Event } from "../../../src/messages/event.ts";
import { Runtime, type RuntimeOptions } from "../../../src/runtime/runtime.ts";
import type { StepResult } from "../../../src/runtime/step-result.ts";
import { newFolder } from "../../folder.ts";
import { isolatedEnvironment } from "../claude/isolated-environment.ts";
import { type MessagesServer, type ModelReply, type ModelRequest, serveMessages } from "../claude/messages-server.ts";
import { SDK } from "../claude/sdk-file.ts";

export const BACKENDS = ["native", "claude"] as const;
export type BackendName = (typeof BACKENDS)[number];

/** A call that the model makes; `id` names it in what came of it. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly args?: Json;
}

/** What the model reads of a call. */
export interface Outcome {
  readonly text: string;
  readonly isError: boolean;
}

export interface Report {
  readonly result: StepResult;
  readonly events: readonly Event[];
  /** By the id of the call. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** All that an agent's model was shown last. */
  heard(speaker: string): string;
}

/** What each agent says, reply by reply, then "done". By the agent's name, which its instructions must hold as {@link voice}. */
export type Lines = Readonly<Record<string, readonly (readonly Call[] | ((shown: ModelRequest) => readonly Call[]))[]>>;

/**
 * A Runtime over one backend, whose model is the same local server for both. Folders beside the workspace are outside for certain:
 * neither in the system's temporary folder nor in the home of the one who runs this.
 */
export interface Site {
  readonly work: string;
  readonly elsewhere: string;
  readonly home: string;
  readonly runtime: Runtime;
  readonly server: MessagesServer;
  run(agent: Agent, lines: Lines, prompt?: string, more?: Parameters<Runtime["run"]>[2]): Promise<Report>;
}

export const MODEL = "claude-sonnet-4-5";

/** A sentence for an agent's instructions, by which the model knows who it is. */
export function voice(name: string): string {
  return `You speak as <${name}>.`;
}

export async function openSite(backend: BackendName, options: RuntimeOptions = {}): Promise<Site> {
  const root = realpathSync(newFolder());
  const [work, elsewhere, home, tmp] = ["work", "elsewhere", "home", "tmp"].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [work, elsewhere, home, tmp]) mkdirSync(folder);
  vi.stubEnv("TMPDIR", tmp);
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  let lines: Lines = {};
  const said = new Map<string, Call[]>();
  const spoken = new Map<string, number>();
  const server = await serveMessages((request): ModelReply => {
    const name = speakerOf(request);
    const turn = spoken.get(name) ?? 0;
    spoken.set(name, turn + 1);
    const line = lines[name]?.[turn];
    const calls = typeof line === "function" ? line(request) : line;
    said.set(name, [...(said.get(name) ?? []), ...(calls ?? [])]);
    return calls === undefined ? { text: `${name} is done` } : { calls: calls.map(({ name: tool, args = {} }) => ({ name: tool, args })) };
  });
  const engine = anthropic(MODEL, { baseURL: server.url, apiKey: "fake-key-0123456789" });
  const runtime = new Runtime({
    workspace: work,
    ...(backend === "native"
      ? { engine }
      : { backend: claudeBackend({ env: isolatedEnvironment(home, server.url), ...(SDK === undefined ? {} : { sdk: SDK }) }) }),
    ...options,
  });
  onTestFinished(async () => {
    await runtime.close();
    await server[Symbol.asyncDispose]();
  });
  return {
    ...{ work, elsewhere, home, runtime, server },
    async run(agent, says, prompt = "go", more = {}) {
      lines = says;
      spoken.clear();
      if (more.resume === undefined) said.clear();
      const from = server.asked.length;
      const events: Event[] = [];
      const result = await runtime.run(agent, prompt, { ...more, onEvent: (event) => events.push(event) });
      const asked = server.asked.slice(from);
      const heard = (speaker: string) => textsIn(asked.findLast((request) => speakerOf(request) === speaker)?.messages).join("\n");
      return { result, events, outcomes: outcomesIn(asked, said), heard };
    },
  };
}

function speakerOf({ system }: ModelRequest): string {
  return /You speak as <(.+?)>\./.exec(system)?.[1] ?? "";
}

/** Ids on the wire are each backend's own: the n-th call in a conversation is the n-th that its speaker made. */
function outcomesIn(requests: readonly ModelRequest[], said: ReadonlyMap<string, readonly Call[]>): ReadonlyMap<string, Outcome> {
  const found = new Map<string, Outcome>();
  for (const request of requests) {
    const blocks = request.messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(isRecord);
    const calls = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    for (const block of blocks.filter(({ type }) => type === "tool_result")) {
      const call = said.get(speakerOf(request))?.[calls.indexOf(block["tool_use_id"] as string)];
      if (call) found.set(call.id, { text: textOf(block["content"]), isError: block["is_error"] === true });
    }
  }
  return found;
}

/** Every text in a value of the Messages API. */
function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isRecord(value)) return typeof value === "string" ? [value] : [];
  return [value["text"], value["content"]].flatMap(textsIn);
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? "");
  return content.map((part) => (isRecord(part) ? String(part["text"] ?? "") : "")).join("\n");
}
