import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ChatCompletionRequest } from "@copilotkit/aimock";
import { onTestFinished } from "vitest";
import type { ScriptedReply } from "../../../src/engines/scripted.ts";
import { toView, type View } from "../model-server.ts";

/** One request, and what became of its answer. */
export interface WireCall {
  readonly view: View;
  readonly usage: WireUsage;
  /** Its answer came to the other side as a whole, the usage with it. */
  readonly delivered: boolean;
}

/** As the wire tells it: what was read from the cache is part of the prompt. */
export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
}

/** An answer of which the script says whether it will be heard. */
export interface SoakAnswer {
  readonly reply: ScriptedReply;
  readonly delivered: boolean;
}

export type SoakScript = (view: View) => Promise<SoakAnswer>;

export interface WireModel {
  readonly url: string;
  /** Oldest first. */
  readonly calls: readonly WireCall[];
}

/** A server of Chat Completions that streams, and whose usage grows with what is really sent. Ends with the test. */
export async function serveWire(script: SoakScript): Promise<WireModel> {
  const calls: WireCall[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const view = toView(JSON.parse(body) as ChatCompletionRequest);
    const { reply, delivered } = await script(view);
    const usage = usageOf(body, reply, view);
    calls.push({ view, usage, delivered });
    send(reply, usage, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

const CHARS_PER_TOKEN = 4;

/** All but the first request of a session find half of it in the cache. */
function usageOf(body: string, reply: ScriptedReply, view: View): WireUsage {
  const prompt = Math.ceil(body.length / CHARS_PER_TOKEN);
  return {
    prompt_tokens: prompt,
    completion_tokens: Math.ceil(JSON.stringify(reply).length / CHARS_PER_TOKEN),
    prompt_tokens_details: { cached_tokens: view.replies === 0 ? 0 : Math.floor(prompt / 2) },
  };
}

function send(reply: ScriptedReply, usage: WireUsage, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const calls = (reply.calls ?? []).map(({ name, args }, index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args ?? {}) },
  }));
  const words = (reply.text ?? "").match(/.{1,80}/gs) ?? [];
  for (const content of words) response.write(event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
  if (calls.length > 0) response.write(event({ choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }] }));
  response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }] }));
  response.write(event({ choices: [], usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens } }));
  response.end("data: [DONE]\n\n");
}

function event(body: object): string {
  return `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt-4o", ...body })}\n\n`;
}
