import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { isolatedEnvironment } from "../backends/claude/isolated-environment.ts";
import { type ModelAnswer, type ModelRequest, serveMessages } from "../backends/claude/messages-server.ts";
import { SDK } from "../backends/claude/sdk-file.ts";
import { newFolder } from "./cli.ts";
import { type ModelScript, roleOf, type View } from "./model-server.ts";

/** What a `flower` process needs to work in a folder by the real Claude CLI, whose model answers by the script. */
export async function useClaude(folder: string, script: ModelScript) {
  const server = await serveMessages(async (request) => toAnswer(await script(toView(request))));
  onTestFinished(() => server[Symbol.asyncDispose]());
  await mkdir(join(folder, "node_modules"));
  await symlink(join(dirname(SDK ?? ""), ".."), join(folder, "node_modules/@anthropic-ai"));
  return { args: ["--backend", "claude", "--model", "claude-sonnet-4-5"], env: isolatedEnvironment(await newFolder(), server.url) };
}

type Block = Readonly<Record<string, Json>>;

function toView({ messages, tools }: ModelRequest): View {
  const names = tools.map((name) => name.replace(/^mcp__flower__/, ""));
  const blocks = messages.map(({ content }) => blocksOf(content));
  const resultsOf = (of: readonly Block[]) => of.filter(({ type }) => type === "tool_result").map(textOf);
  const news = resultsOf(blocks.at(-1) ?? []);
  const prompts = messages.flatMap(({ role }, index) => (role === "user" && resultsOf(blocks[index] ?? []).length === 0 ? [index] : []));
  return {
    tools: names,
    role: roleOf(names),
    replies: messages.filter(({ role }) => role === "assistant").length,
    results: blocks.map(resultsOf).findLast((results) => results.length > 0) ?? [],
    news,
    prompt: (blocks[prompts.at(-1) ?? -1] ?? []).map(textOf).join("\n"),
    texts: blocks.flat().map(textOf),
    at: Date.now(),
  };
}

function blocksOf(content: Json | undefined): readonly Block[] {
  return Array.isArray(content) ? (content as readonly Block[]) : [{ type: "text", text: content ?? "" }]; // as the Messages API has them
}

function textOf({ type, text, content }: Block): string {
  return type === "tool_result" ? blocksOf(content).map(textOf).join("\n") : String(text ?? "");
}

function toAnswer(reply: Awaited<ReturnType<ModelScript>>): ModelAnswer {
  if ("status" in reply) return { status: reply.status, type: "api_error", message: reply.message };
  const calls = reply.calls?.map(({ name, args }) => ({ name, args: args ?? {} }));
  return { ...(reply.text === undefined ? {} : { text: reply.text }), ...(calls ? { calls } : {}) };
}
