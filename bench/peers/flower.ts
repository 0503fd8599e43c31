import { Agent, Runner, tool } from "flower-agents";
import type { Engine, EngineCallOptions, EnginePart, EngineRequest } from "flower-agents/engines";
import type { Arithmetic } from "../arithmetic.ts";
import { type Bot, INSTRUCTIONS, MAX_ITERATIONS, type Setup } from "../bot.ts";
import { fragmentsOf, type Script } from "../script.ts";

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

  async *stream(request: EngineRequest, options: EngineCallOptions = {}): AsyncGenerator<EnginePart> {
    const reply = await this.#script.reply(request.messages.length, options.signal);
    if ("text" in reply) {
      for (const text of fragmentsOf(reply)) yield { type: "delta", of: "text", text };
      yield { type: "block", of: "text", text: reply.text };
      yield { type: "finish", reason: "stop", usage: USAGE };
    } else {
      yield { type: "call", name: reply.call, args: reply.args as never };
      yield { type: "finish", reason: "calls", usage: USAGE };
    }
  }

  withModel(): Engine {
    return this;
  }
}
