import { Agent, type AgentTool, type StreamFn } from "@mariozechner/pi-agent-core";
import { type AssistantMessage, createAssistantMessageEventStream, type Model } from "@mariozechner/pi-ai";
import type { Arithmetic } from "../arithmetic.ts";
import { type Bot, INSTRUCTIONS, type SayOptions, type Setup } from "../bot.ts";
import { fragmentsOf, nextCallId, type Reply, type Script } from "../script.ts";

/** An agent of pi-agent-core is one conversation. It checks arguments itself, against the JSON Schema that zod gives, made once. */
export async function makeBot(setup: Setup): Promise<Bot | undefined> {
  if (setup.handoff || setup.database !== undefined) return undefined;
  const agents = new Map<string, Agent>();
  const tools = await toolsOf(setup.tool);
  const streamFn = streamOf(setup.script);
  return {
    async say(session, text, options = {}) {
      let agent = agents.get(session);
      if (!agent) {
        agent = new Agent({ initialState: { systemPrompt: INSTRUCTIONS, model: MODEL, tools }, streamFn });
        agents.set(session, agent);
      }
      return prompt(agent, text, options);
    },
    count: async (session) => agents.get(session)?.state.messages.length ?? 0,
  };
}

async function prompt(agent: Agent, text: string, { onDelta, signal }: SayOptions): Promise<string> {
  const abort = () => agent.abort();
  signal?.addEventListener("abort", abort, { once: true });
  const stop =
    onDelta &&
    agent.subscribe((event) => {
      if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") onDelta(event.assistantMessageEvent.delta);
    });
  try {
    await agent.prompt(text);
  } finally {
    stop?.();
    signal?.removeEventListener("abort", abort);
  }
  const last = agent.state.messages.at(-1);
  if (last?.role !== "assistant" || last.stopReason === "error" || last.stopReason === "aborted") {
    throw new Error(agent.state.errorMessage ?? "no answer");
  }
  return last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function toolsOf(arithmetic: Arithmetic | undefined): Promise<AgentTool[]> {
  if (!arithmetic) return [];
  const { z } = await import("zod");
  const { name, description, schema, execute } = arithmetic;
  return [
    {
      name,
      label: name,
      description,
      parameters: z.toJSONSchema(schema) as AgentTool["parameters"],
      execute: async (_id, args) => ({ content: [{ type: "text", text: execute(args as never) }], details: {} }),
    },
  ];
}

const MODEL: Model<"script"> = {
  id: "script-1",
  name: "script",
  api: "script",
  provider: "script",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 8_192,
};

const USAGE = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Like its providers: the partial message is one object that grows, pushed with every event. */
function streamOf(script: Script): StreamFn {
  return (_model, context, options) => {
    const stream = createAssistantMessageEventStream();
    const message = emptyMessage();
    const speak = (reply: Reply) => {
      stream.push({ type: "start", partial: message });
      if ("text" in reply) {
        const part = { type: "text" as const, text: "" };
        message.content.push(part);
        stream.push({ type: "text_start", contentIndex: 0, partial: message });
        for (const delta of fragmentsOf(reply)) {
          part.text += delta;
          stream.push({ type: "text_delta", contentIndex: 0, delta, partial: message });
        }
        stream.push({ type: "text_end", contentIndex: 0, content: part.text, partial: message });
        stream.push({ type: "done", reason: "stop", message });
      } else {
        const toolCall = { type: "toolCall" as const, id: nextCallId(), name: reply.call, arguments: reply.args };
        message.content.push(toolCall);
        message.stopReason = "toolUse";
        stream.push({ type: "toolcall_end", contentIndex: 0, toolCall, partial: message });
        stream.push({ type: "done", reason: "toolUse", message });
      }
    };
    const fail = (error: unknown) => {
      Object.assign(message, { stopReason: "aborted", errorMessage: String(error) });
      stream.push({ type: "error", reason: "aborted", error: message });
    };
    void (async () => speak(await script.reply(context.messages.length, options?.signal)))().catch(fail);
    return stream;
  };
}

function emptyMessage(): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: "script",
    provider: "script",
    model: "script-1",
    usage: USAGE,
    stopReason: "stop",
    timestamp: Date.now(),
  };
}
