import { Agent, type JsonObject, Runner, tool } from "flower-agents";
import type { Engine, EngineCallOptions, EnginePart, EngineRequest } from "flower-agents/engines";
import type { Arithmetic } from "../arithmetic.ts";
import { type Bot, INSTRUCTIONS, MAX_ITERATIONS, type Setup } from "../bot.ts";
import { fragmentsOf, type Reply, type Script } from "../script.ts";

export async function makeBot(setup: Setup): Promise<Bot> {
  const runner = new Runner({
    startingAgent: setup.handoff ? pair() : new Agent({ name: "bot", instructions: INSTRUCTIONS, tools: toolsOf(setup.tool) }),
    engine: new ScriptEngine(setup.script),
    maxToolIterations: MAX_ITERATIONS,
    sessionStore: await storeOf(setup.database),
  });
  return {
    async say(session, text, { onDelta, signal } = {}) {
      if (!onDelta) return (await runner.run(session, text, { signal })).content;
      const run = runner.stream(session, text, { signal, deltas: true });
      for await (const event of run) if (event.kind === "delta") onDelta(event.text);
      return (await run.response).content;
    },
    count: async (session) => (await runner.session(session))?.history.length ?? 0,
    close: () => runner.close(),
  };
}

function toolsOf(arithmetic: Arithmetic | undefined) {
  if (!arithmetic) return [];
  const { name, description, schema, execute } = arithmetic;
  return [tool({ name, description, parameters: schema, execute })];
}

function pair(): Agent {
  const second = new Agent({ name: "second", instructions: INSTRUCTIONS, handoffs: ["first"] });
  return new Agent({ name: "first", instructions: INSTRUCTIONS, handoffs: [second] });
}

async function storeOf(path: string | undefined) {
  if (path === undefined) return undefined;
  const { SqliteSessionStore } = await import("flower-agents/sessions/sqlite");
  return new SqliteSessionStore(path);
}

const USAGE = { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };

class ScriptEngine implements Engine {
  readonly provider = "script";
  readonly model = "script-1";
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  stream({ messages }: EngineRequest, { signal }: EngineCallOptions = {}): AsyncIterable<EnginePart> {
    let parts: readonly EnginePart[] | undefined;
    let index = 0;
    const next = async (): Promise<IteratorResult<EnginePart>> => {
      parts ??= partsOf(await this.#script.reply(messages.length, signal));
      const value = parts[index++];
      return value === undefined ? { done: true, value } : { done: false, value };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  withModel(): Engine {
    return this;
  }
}

function partsOf(reply: Reply): readonly EnginePart[] {
  if (!("text" in reply)) {
    return [
      { type: "call", name: reply.call, args: reply.args as JsonObject },
      { type: "finish", reason: "calls", usage: USAGE },
    ];
  }
  return [
    ...fragmentsOf(reply).map((text) => ({ type: "delta", of: "text", text }) as const),
    { type: "block", of: "text", text: reply.text },
    { type: "finish", reason: "stop", usage: USAGE },
  ];
}
