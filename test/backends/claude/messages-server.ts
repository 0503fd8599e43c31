import { randomName } from "../../../src/core/ids.ts";
import type { Json } from "../../../src/core/json.ts";
import { type Answer, events, failure, serve, type WireServer } from "../../engines/server.ts";

/** What the model is asked, as far as scripts look at it. */
export interface ModelRequest {
  readonly model: string;
  /** All of the system prompt. */
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly content: Json }[];
  readonly tools: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

/** One reply of the model. */
export interface ModelReply {
  readonly thinking?: string;
  readonly text?: string;
  /** Names as the agent knows them; a tool that is offered as `mcp__…__name` is found by `name`. */
  readonly calls?: readonly { readonly name: string; readonly args?: Json; readonly id?: string }[];
  readonly usage?: { readonly input?: number; readonly cacheRead?: number; readonly cacheWrite?: number; readonly output?: number };
  /** What follows the blocks: the end (default), a broken connection, nothing for ever. */
  readonly end?: "close" | "destroy" | "hang";
}

/** Instead of a reply: an HTTP error. */
export interface ModelFailure {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type ModelAnswer = string | ModelReply | ModelFailure;
export type ModelScript =
  | readonly (ModelAnswer | ((request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>))[]
  | ((request: ModelRequest, number: number) => ModelAnswer | Promise<ModelAnswer>);

export interface MessagesServer extends WireServer {
  /** The model calls so far, oldest first. */
  readonly asked: readonly ModelRequest[];
}

/** A model behind the streaming Messages API, as a real HTTP server. A list answers call by call; more calls than answers are an error. */
export async function serveMessages(script: ModelScript): Promise<MessagesServer> {
  const session = randomName(6); // ids must not repeat in a session that several servers answer
  const asked: ModelRequest[] = [];
  const server = await serve(async (response, { path, body }) => {
    if (!path.startsWith("/v1/messages") || path.includes("count_tokens"))
      return failure(404, { type: "error" })(response, undefined as never);
    const request = toRequest(body);
    asked.push(request);
    const number = asked.length;
    const step = typeof script === "function" ? script : (script[number - 1] ?? outOfScript(number));
    const answer =
      typeof step === "function" ? await (step as (request: ModelRequest, number: number) => ModelAnswer)(request, number) : step;
    return toAnswer(answer, request, `${session}_${number}`)(response, undefined as never);
  });
  return Object.assign(Object.create(server) as WireServer, { asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() });
}

function outOfScript(number: number): ModelFailure {
  return { status: 400, type: "invalid_request_error", message: `The script has no answer to call ${number}.` };
}

function toRequest(body: Readonly<Record<string, unknown>>): ModelRequest {
  const system = body["system"] as string | readonly { readonly text: string }[] | undefined;
  const tools = (body["tools"] ?? []) as readonly { readonly name: string }[];
  return {
    model: String(body["model"]),
    system: typeof system === "string" ? system : (system ?? []).map((part) => part.text).join("\n"),
    messages: body["messages"] as ModelRequest["messages"],
    tools: tools.map((tool) => tool.name),
    body,
  };
}

function toAnswer(answer: ModelAnswer, request: ModelRequest, name: string): Answer {
  if (typeof answer === "string") return events(replyEvents({ text: answer }, request, name));
  if ("status" in answer) {
    const body = { type: "error", error: { type: answer.type, message: answer.message } };
    return failure(answer.status, body, { ...answer.headers });
  }
  return events(replyEvents(answer, request, name), answer.end);
}

function replyEvents(reply: ModelReply, request: ModelRequest, name: string): readonly object[] {
  const { input = 10, cacheRead = 0, cacheWrite = 0, output = 5 } = reply.usage ?? {};
  const usage = { input_tokens: input, cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite, output_tokens: 1 };
  const message = { id: `msg_${name}`, type: "message", role: "assistant", model: request.model, content: [], stop_reason: null, usage };
  const blocks = [
    ...(reply.thinking === undefined ? [] : [thinkingBlock(reply.thinking)]),
    ...(reply.text === undefined ? [] : [textBlock(reply.text)]),
    ...(reply.calls ?? []).map((call, index) =>
      callBlock({ ...call, name: offeredName(call.name, request.tools), id: call.id ?? `toolu_${name}_${index + 1}` }),
    ),
  ];
  const begun = [{ type: "message_start", message }, ...blocks.flatMap((make, index) => make(index))];
  if (reply.end === "destroy" || reply.end === "hang") return begun;
  const stop = reply.calls === undefined ? "end_turn" : "tool_use";
  return [
    ...begun,
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { ...usage, output_tokens: output } },
    { type: "message_stop" },
  ];
}

function offeredName(name: string, offered: readonly string[]): string {
  return offered.includes(name) ? name : (offered.find((one) => one.endsWith(`__${name}`)) ?? name);
}

type Block = (index: number) => readonly object[];

function block(start: object, deltas: readonly object[]): Block {
  return (index) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function textBlock(text: string): Block {
  const half = Math.ceil(text.length / 2);
  const parts = [text.slice(0, half), text.slice(half)].filter((part) => part !== "");
  return block(
    { type: "text", text: "" },
    parts.map((part) => ({ type: "text_delta", text: part })),
  );
}

function thinkingBlock(thinking: string): Block {
  return block({ type: "thinking", thinking: "", signature: "" }, [
    { type: "thinking_delta", thinking },
    { type: "signature_delta", signature: "c2lnbmF0dXJl" },
  ]);
}

function callBlock(call: { readonly name: string; readonly args?: Json; readonly id: string }): Block {
  return block({ type: "tool_use", id: call.id, name: call.name, input: {} }, [
    { type: "input_json_delta", partial_json: JSON.stringify(call.args ?? {}) },
  ]);
}
