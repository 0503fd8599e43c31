export { type AiSdkModel, type FromAiSdkOptions, fromAiSdk } from "./ai-sdk.ts";
export type { Environment } from "./connection.ts";
export {
  DEFAULT_MAX_OUTPUT_TOKENS,
  type Engine,
  type EngineCallOptions,
  type EngineFinish,
  type EnginePart,
  type EngineRequest,
  type EngineSettings,
  type ToolSpec,
} from "./engine.ts";
export { fallback } from "./fallback.ts";
export { costOf, windowOf } from "./prices.ts";
export { anthropic, type CompatibleOptions, gemini, ollama, openai, openaiCompatible, type ProviderOptions } from "./providers.ts";
export { engineFor, type ResolveOptions, resolveEngine } from "./resolve.ts";
