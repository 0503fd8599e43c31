import { Agent, MemorySession, type Model, type ModelRequest, Runner, type Session, type StreamEvent, tool, Usage } from "@openai/agents";
import type { Arithmetic } from "../arithmetic.ts";
import { type Bot, INSTRUCTIONS, MAX_ITERATIONS, type SayOptions, type Setup } from "../bot.ts";
import { fragmentsOf, nextCallId, type Reply, type Script } from "../script.ts";

type AnyAgent = Agent<unknown, "text">;

interface Conversation {
  readonly session: Session;
  agent: AnyAgent;
}

/** Tracing is off, as for a production run without their service. */
export async function makeBot(setup: Setup): Promise<Bot | undefined> {
  if (setup.database !== undefined) return undefined;
  const runner = new Runner({ tracingDisabled: true });
  const start = makeAgents(setup);
  const conversations = new Map<string, Conversation>();
  return {
    async say(id, text, options = {}) {
      const conversation = conversations.get(id) ?? { session: new MemorySession({ sessionId: id }), agent: start };
      conversations.set(id, conversation);
      return turn(runner, conversation, text, options);
    },
    count: async (id) => (await conversations.get(id)?.session.getItems())?.length ?? 0,
  };
}

async function turn(runner: Runner, conversation: Conversation, text: string, { onDelta, signal }: SayOptions): Promise<string> {
  const options = { session: conversation.session, maxTurns: MAX_ITERATIONS, signal };
  if (!onDelta) {
    const result = await runner.run(conversation.agent, text, options);
    conversation.agent = result.lastAgent as AnyAgent;
    return result.finalOutput ?? "";
  }
  const result = await runner.run(conversation.agent, text, { ...options, stream: true });
  for await (const event of result) {
    if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") onDelta(event.data.delta);
  }
  await result.completed;
  conversation.agent = result.currentAgent as AnyAgent;
  return result.finalOutput ?? "";
}

function makeAgents(setup: Setup): AnyAgent {
  const model = new ScriptModel(setup.script);
  if (!setup.handoff) return new Agent({ name: "bot", instructions: INSTRUCTIONS, model, tools: toolsOf(setup.tool) });
  const second: AnyAgent = new Agent({ name: "second", instructions: INSTRUCTIONS, model });
  const first: AnyAgent = new Agent({ name: "first", instructions: INSTRUCTIONS, model, handoffs: [second] });
  second.handoffs.push(first);
  return first;
}

function toolsOf(arithmetic: Arithmetic | undefined) {
  if (!arithmetic) return [];
  const { name, description, schema, execute } = arithmetic;
  return [tool({ name, description, parameters: schema, execute })];
}

class ScriptModel implements Model {
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  async getResponse(request: ModelRequest) {
    return { usage: new Usage(USAGE), output: [outputOf(await this.#ask(request))] };
  }

  async *getStreamedResponse(request: ModelRequest): AsyncGenerator<StreamEvent> {
    const reply = await this.#ask(request);
    yield { type: "response_started" };
    if ("text" in reply) for (const delta of fragmentsOf(reply)) yield { type: "output_text_delta", delta };
    yield { type: "response_done", response: { id: nextCallId(), usage: USAGE, output: [outputOf(reply)] } };
  }

  #ask({ input, signal }: ModelRequest): Reply | Promise<Reply> {
    return this.#script.reply(typeof input === "string" ? 1 : input.length, signal);
  }
}

const USAGE = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

function outputOf(reply: Reply) {
  if ("text" in reply) {
    const content = [{ type: "output_text" as const, text: reply.text }];
    return { type: "message", id: nextCallId(), role: "assistant", status: "completed", content } as const;
  }
  const callId = nextCallId();
  const given = JSON.stringify(reply.args);
  return { type: "function_call", id: callId, callId, name: reply.call, status: "completed", arguments: given } as const;
}
