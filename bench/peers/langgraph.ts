import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { Annotation, Command, getCurrentTaskInput, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createReactAgent, ToolNode } from "@langchain/langgraph/prebuilt";
import type { Arithmetic } from "../arithmetic.ts";
import { type Bot, INSTRUCTIONS, MAX_ITERATIONS, type Setup } from "../bot.ts";
import { fragmentsOf, nextCallId, type Reply, type Script } from "../script.ts";

/** A conversation is a thread of the checkpointer. */
export async function makeBot(setup: Setup): Promise<Bot> {
  const { saver, close } = await openSaver(setup.database);
  const graph = setup.handoff ? pair(setup.script, saver) : single(setup, saver);
  const configOf = (session: string) => ({ configurable: { thread_id: session }, recursionLimit: MAX_ITERATIONS });
  return {
    async say(session, text, { onDelta, signal } = {}) {
      const config = { ...configOf(session), signal };
      const input = { messages: [{ role: "user", content: text }] };
      if (!onDelta) return answerOf((await graph.invoke(input, config)).messages);
      for await (const [chunk] of await graph.stream(input, { ...config, streamMode: "messages" })) {
        if (chunk instanceof AIMessageChunk && chunk.content !== "") onDelta(chunk.text);
      }
      return answerOf((await graph.getState(configOf(session))).values.messages);
    },
    count: async (session) => (await graph.getState(configOf(session))).values.messages?.length ?? 0,
    close,
  };
}

async function openSaver(path: string | undefined) {
  if (path === undefined) return { saver: new MemorySaver(), close: async () => {} };
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const saver = SqliteSaver.fromConnString(path);
  return { saver, close: async () => void saver.db.close() };
}

type Saver = Awaited<ReturnType<typeof openSaver>>["saver"];

function answerOf(messages: readonly BaseMessage[]): string {
  return messages.at(-1)?.text ?? "";
}

function single(setup: Setup, checkpointer: Saver) {
  const llm = new ScriptModel(setup.script);
  return createReactAgent({ llm, tools: toolsOf(setup.tool), prompt: INSTRUCTIONS, checkpointer });
}

function toolsOf(arithmetic: Arithmetic | undefined) {
  if (!arithmetic) return [];
  const { name, description, schema, execute } = arithmetic;
  return [tool(execute, { name, description, schema })];
}

/** Two agents in one graph; the active one is a part of its state, so that the next turn begins with it. */
function pair(script: Script, checkpointer: Saver) {
  const State = Annotation.Root({ ...MessagesAnnotation.spec, active: Annotation<string>() });
  const llm = new ScriptModel(script);
  const agent = (target: string) =>
    createReactAgent({ llm, tools: new ToolNode([transferTo(target)]), prompt: INSTRUCTIONS, stateSchema: State });
  return new StateGraph(State)
    .addNode("first", agent("second"), { ends: ["second"] })
    .addNode("second", agent("first"), { ends: ["first"] })
    .addConditionalEdges(START, (state) => state.active ?? "first", ["first", "second"])
    .compile({ checkpointer });
}

function transferTo(target: string) {
  const name = `transfer_to_${target}`;
  return tool(
    (_args, config) => {
      const content = `The conversation is now with ${target}.`;
      const result = new ToolMessage({ content, name, tool_call_id: config.toolCall.id });
      const { messages: before } = getCurrentTaskInput<typeof MessagesAnnotation.State>(config);
      const messages = [...before, result];
      return new Command({ goto: target, graph: Command.PARENT, update: { messages, active: target } });
    },
    { name, description: `Hands the conversation over to ${target}.`, schema: { type: "object", properties: {} } },
  );
}

class ScriptModel extends BaseChatModel {
  readonly #script: Script;

  constructor(script: Script) {
    super({});
    this.#script = script;
  }

  _llmType(): string {
    return "script";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const message = messageOf(await this.#script.reply(messages.length, options.signal));
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const reply = await this.#script.reply(messages.length, options.signal);
    if (!("text" in reply)) throw new Error("Only texts are streamed here.");
    const id = nextCallId();
    for (const text of fragmentsOf(reply)) {
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text, id }) });
      yield chunk;
      await manager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function messageOf(reply: Reply): AIMessage {
  if ("text" in reply) return new AIMessage({ content: reply.text, id: nextCallId() });
  const call = { id: nextCallId(), name: reply.call, args: { ...reply.args }, type: "tool_call" as const };
  return new AIMessage({ content: "", id: nextCallId(), tool_calls: [call] });
}
