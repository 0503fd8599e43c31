import { Agent, type ToolsInput } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { Memory } from "@mastra/memory";
import type { Arithmetic } from "../arithmetic.ts";
import { type Bot, INSTRUCTIONS, MAX_ITERATIONS, type Setup } from "../bot.ts";
import { languageModel } from "./language-model.ts";

const RESOURCE = "user";
/** Its memory sends the last 10 messages unless told otherwise; here, as everywhere, the whole conversation is sent. */
const ALL_MESSAGES = 100_000;

export async function makeBot(setup: Setup): Promise<Bot | undefined> {
  if (setup.handoff) return undefined;
  const storage = await openStorage(setup.database);
  const memory = new Memory({ storage, options: { lastMessages: ALL_MESSAGES } });
  const model = languageModel(setup.script);
  const agent = new Agent({ id: "bot", name: "bot", instructions: INSTRUCTIONS, model, memory, tools: toolsOf(setup.tool), maxRetries: 0 });
  return {
    async say(session, text, { onDelta, signal } = {}) {
      const options = { memory: { thread: session, resource: RESOURCE }, maxSteps: MAX_ITERATIONS, abortSignal: signal };
      if (!onDelta) {
        const { text: answer } = await agent.generate(text, options);
        signal?.throwIfAborted(); // it resolves when aborted
        return answer;
      }
      const result = await agent.stream(text, options);
      for await (const part of result.textStream) onDelta(part);
      return result.text;
    },
    async count(session) {
      const { messages } = await memory.recall({ threadId: session, resourceId: RESOURCE, perPage: false });
      return messages.length;
    },
    close: async () => storage.close?.(),
  };
}

async function openStorage(path: string | undefined) {
  if (path === undefined) return new InMemoryStore();
  const { LibSQLStore } = await import("@mastra/libsql");
  const storage = new LibSQLStore({ id: "bench", url: `file:${path}` });
  await storage.init();
  return storage;
}

function toolsOf(arithmetic: Arithmetic | undefined): ToolsInput {
  if (!arithmetic) return {};
  const { name, description, schema, execute } = arithmetic;
  return { [name]: createTool({ id: name, description, inputSchema: schema, execute: async (input) => execute(input) }) };
}
