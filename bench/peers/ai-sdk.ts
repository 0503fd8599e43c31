import { generateText, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import type { Arithmetic } from "../arithmetic.ts";
import { type Bot, INSTRUCTIONS, MAX_ITERATIONS, type Setup } from "../bot.ts";
import { languageModel } from "./language-model.ts";

/** The AI SDK keeps no conversations: its users do, in a list to which each turn's messages are added. */
export async function makeBot(setup: Setup): Promise<Bot | undefined> {
  if (setup.handoff || setup.database !== undefined) return undefined;
  const conversations = new Map<string, ModelMessage[]>();
  const shared = {
    model: languageModel(setup.script),
    system: INSTRUCTIONS,
    tools: toolsOf(setup.tool),
    stopWhen: stepCountIs(MAX_ITERATIONS),
    maxRetries: 0,
  };
  return {
    async say(session, text, { onDelta, signal } = {}) {
      const messages = conversations.get(session) ?? [];
      const request = { ...shared, messages: [...messages, { role: "user" as const, content: text }], abortSignal: signal };
      const { answer, added } = onDelta ? await stream(request, onDelta) : await generate(request);
      messages.push({ role: "user", content: text }, ...added);
      conversations.set(session, messages);
      return answer;
    },
    count: async (session) => conversations.get(session)?.length ?? 0,
  };
}

function toolsOf(arithmetic: Arithmetic | undefined) {
  if (!arithmetic) return undefined;
  const { name, description, schema, execute } = arithmetic;
  return { [name]: tool({ description, inputSchema: schema, execute }) };
}

type Request = Parameters<typeof generateText>[0];

async function generate(request: Request) {
  const result = await generateText(request);
  return { answer: result.text, added: result.response.messages };
}

async function stream(request: Request, onDelta: (text: string) => void) {
  const result = streamText(request);
  for await (const part of result.textStream) onDelta(part);
  return { answer: await result.text, added: (await result.response).messages };
}
