import { isRecord, type Json, toJson } from "../../core/json.ts";
import type { ResultContent } from "../../messages/message.ts";
import type { CallOutcome } from "../../tools/call.ts";
import type { Tool } from "../../tools/tool.ts";
import type { SdkServer, SdkTransport } from "./sdk.ts";

/** One call as the CLI makes it. */
export interface ServedCall {
  readonly tool: Tool;
  readonly callId: string;
  readonly args: Json;
  /** Aborts when the CLI takes the call back. */
  readonly signal: AbortSignal;
}

/** Our tools as an MCP server in this process. `run` must not reject: what fails the query it reports elsewhere. */
export function toolServer(name: string, tools: ReadonlyMap<string, Tool>, run: (call: ServedCall) => Promise<CallOutcome>): SdkServer {
  const running = new Map<unknown, AbortController>();
  const answer = async (method: string, params: Readonly<Record<string, unknown>>, id: unknown): Promise<object> => {
    switch (method) {
      case "initialize":
        return { protocolVersion: params["protocolVersion"], capabilities: { tools: {} }, serverInfo: { name, version: "1" } };
      case "ping":
        return {};
      case "tools/list":
        return { tools: [...tools].map(describe) };
      case "tools/call": {
        const tool = tools.get(String(params["name"]));
        if (!tool) return { content: [{ type: "text", text: `There is no tool "${String(params["name"])}".` }], isError: true };
        const controller = new AbortController();
        running.set(id, controller);
        const call = { tool, callId: callIdOf(params, id), args: toJson(params["arguments"] ?? {}), signal: controller.signal };
        const { content, isError } = await run(call).finally(() => running.delete(id));
        return { content: content.map(toBlock), isError };
      }
      default:
        throw new Error(`There is no method "${method}".`);
    }
  };
  const hear = async (transport: SdkTransport, message: unknown): Promise<void> => {
    if (!isRecord(message) || typeof message["method"] !== "string") return;
    const { id, method } = message;
    const params = isRecord(message["params"]) ? message["params"] : {};
    if (method === "notifications/cancelled") running.get(params["requestId"])?.abort();
    if (id === undefined) return;
    const reply = await answer(method, params, id).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: { code: -32601, message: String(error) } }),
    );
    await transport.send({ jsonrpc: "2.0", id, ...reply });
  };
  return {
    type: "sdk",
    name,
    instance: {
      async connect(transport) {
        transport.onmessage = (message) => void hear(transport, message).catch(() => {}); // a transport that closed hears nothing
        await transport.start();
      },
      async close() {
        for (const controller of running.values()) controller.abort();
      },
    },
  };
}

/** The hint is what makes the CLI run calls side by side. */
function describe([name, tool]: readonly [string, Tool]): object {
  const { description, parameters, parallel } = tool;
  return { name, description, inputSchema: parameters.json, annotations: { readOnlyHint: parallel } };
}

function callIdOf(params: Readonly<Record<string, unknown>>, id: unknown): string {
  const given = isRecord(params["_meta"]) ? params["_meta"]["claudecode/toolUseId"] : undefined;
  return typeof given === "string" ? given : `mcp-${String(id)}`;
}

function toBlock(part: ResultContent): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", data: part.data, mimeType: part.mediaType };
    case "json":
      return { type: "text", text: typeof part.value === "string" ? part.value : JSON.stringify(part.value) };
    default:
      return part satisfies never;
  }
}
