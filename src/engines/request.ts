import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3ToolChoice,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import { callsOf } from "../messages/message.ts";
import { DEFAULT_MAX_OUTPUT_TOKENS, type EngineRequest, type EngineSettings, type ToolSpec } from "./engine.ts";
import { safeName, toPrompt } from "./prompt.ts";

interface Target {
  readonly provider: string;
  readonly defaults?: SharedV3ProviderOptions;
}

/** Our request in the terms of the AI SDK specification, for one model. */
export function toCallOptions(
  request: EngineRequest,
  model: { readonly provider: string; readonly specificationVersion: string },
  target: Target,
): LanguageModelV3CallOptions {
  const { settings } = request;
  const { tools, choice } = offer(request, NEEDS_DEFINITIONS.test(model.provider));
  const imagesInResults = IMAGES_IN_RESULTS.test(model.provider);
  const cap = settings.maxOutputTokens ?? (NEEDS_CAP.test(model.provider) ? DEFAULT_MAX_OUTPUT_TOKENS : undefined);
  return {
    prompt: toPrompt(request.instructions, request.messages, {
      provider: target.provider,
      version: model.specificationVersion,
      imagesInResults,
    }),
    includeRawChunks: true,
    ...(cap === undefined ? {} : { maxOutputTokens: cap }),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.topP === undefined ? {} : { topP: settings.topP }),
    ...(settings.stopSequences === undefined ? {} : { stopSequences: [...settings.stopSequences] }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toFunctionTool), toolChoice: toToolChoice(choice) }),
    providerOptions: mergeOptions(target.defaults, settings.providerOptions),
  };
}

/** Model families whose wire format can hold an image in a tool result; chat completions cannot. */
const IMAGES_IN_RESULTS = /^(anthropic|google|vertex|amazon-bedrock|openai\.responses|azure\.responses)\b/;

const NEEDS_CAP = /anthropic/;

/** Providers that refuse a history with calls when no tools are defined. */
const NEEDS_DEFINITIONS = /anthropic|bedrock/;

/** The tools on offer. Where definitions are demanded and none is on offer, the history's own tools are defined and withheld. */
function offer({ tools, messages, settings }: EngineRequest, needsDefinitions: boolean) {
  if (tools.length > 0 || !needsDefinitions) return { tools, choice: settings.toolChoice };
  const called = new Set(messages.flatMap((message) => callsOf(message).map((call) => safeName(call.name))));
  const gone = [...called].map((name) => ({ name, description: "Not available any more.", parameters: { type: "object" } as const }));
  return { tools: gone, choice: "none" as const };
}

function toFunctionTool(tool: ToolSpec): LanguageModelV3FunctionTool {
  // OpenAI refuses an object schema that says nothing about properties.
  const schema = tool.parameters["type"] === "object" ? { properties: {}, ...tool.parameters } : tool.parameters;
  return {
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: schema as LanguageModelV3FunctionTool["inputSchema"],
  };
}

function toToolChoice(choice: EngineSettings["toolChoice"]): LanguageModelV3ToolChoice {
  return typeof choice === "object" ? { type: "tool", toolName: choice.tool } : { type: choice ?? "auto" };
}

/** The caller's options over the engine's own. Our `gemini` is `google` there. */
function mergeOptions(defaults: SharedV3ProviderOptions | undefined, given: EngineSettings["providerOptions"]): SharedV3ProviderOptions {
  const merged: SharedV3ProviderOptions = { ...defaults };
  for (const [name, options] of Object.entries(given ?? {})) {
    const key = name === "gemini" ? "google" : name;
    merged[key] = { ...merged[key], ...options } as SharedV3ProviderOptions[string];
  }
  return merged;
}
