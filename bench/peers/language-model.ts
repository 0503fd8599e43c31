import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import { fragmentsOf, nextCallId, type Reply, type Script } from "../script.ts";

/** The script as a model of the AI SDK's provider interface, which Mastra takes too. */
export function languageModel(script: Script): LanguageModelV3 {
  const ask = (options: LanguageModelV3CallOptions) => script.reply(options.prompt.length, options.abortSignal);
  return {
    specificationVersion: "v3",
    provider: "script",
    modelId: "script-1",
    supportedUrls: {},
    async doGenerate(options) {
      const reply = await ask(options);
      return { content: [contentOf(reply)], finishReason: finishOf(reply), usage: USAGE, warnings: [] };
    },
    async doStream(options) {
      return { stream: streamOf(await ask(options)) };
    },
  };
}

const USAGE: LanguageModelV3Usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function contentOf(reply: Reply) {
  if ("text" in reply) return { type: "text", text: reply.text } as const;
  return { type: "tool-call", toolCallId: nextCallId(), toolName: reply.call, input: JSON.stringify(reply.args) } as const;
}

function finishOf(reply: Reply) {
  return "text" in reply ? ({ unified: "stop", raw: "stop" } as const) : ({ unified: "tool-calls", raw: "tool_calls" } as const);
}

function streamOf(reply: Reply): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "stream-start", warnings: [] });
      if ("text" in reply) {
        controller.enqueue({ type: "text-start", id: "1" });
        for (const delta of fragmentsOf(reply)) controller.enqueue({ type: "text-delta", id: "1", delta });
        controller.enqueue({ type: "text-end", id: "1" });
      } else controller.enqueue(contentOf(reply) as LanguageModelV3StreamPart);
      controller.enqueue({ type: "finish", finishReason: finishOf(reply), usage: USAGE });
      controller.close();
    },
  });
}
