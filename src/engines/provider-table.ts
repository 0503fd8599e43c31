/** The providers that are known by name. */
export type ProviderName = "gemini" | "anthropic" | "openai" | "ollama";

export interface ProviderFacts {
  /** How people write it. */
  readonly label: string;
  /** Environment variables that may hold the key, the first one being the one we name to people. Empty: it needs none. */
  readonly keyVariables: readonly string[];
  readonly baseVariable: string;
  /** The provider's own address; a key from the environment goes nowhere else by itself. */
  readonly ownBase: string;
  /** The path of the API's version, added to base URLs that have none. */
  readonly versionPath: string;
  /** What is used when a key is all that was given. */
  readonly defaultModel: string;
  /** Bare model ids of this provider. */
  readonly modelPattern?: RegExp;
  /** Keys of this provider. Tried in the table's order. */
  readonly keyPattern?: RegExp;
}

/** In the order in which the environment is searched. */
export const PROVIDERS: Readonly<Record<ProviderName, ProviderFacts>> = {
  gemini: {
    label: "Gemini",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    baseVariable: "GEMINI_BASE_URL",
    ownBase: "https://generativelanguage.googleapis.com/v1beta",
    versionPath: "/v1beta",
    defaultModel: "gemini-2.5-flash",
    modelPattern: /^(models\/)?gemini-/,
    keyPattern: /^AIza/,
  },
  anthropic: {
    label: "Anthropic",
    keyVariables: ["ANTHROPIC_API_KEY"],
    baseVariable: "ANTHROPIC_BASE_URL",
    ownBase: "https://api.anthropic.com/v1",
    versionPath: "/v1",
    defaultModel: "claude-sonnet-4-6",
    modelPattern: /^claude-/,
    keyPattern: /^sk-ant-/,
  },
  openai: {
    label: "OpenAI",
    keyVariables: ["OPENAI_API_KEY"],
    baseVariable: "OPENAI_BASE_URL",
    ownBase: "https://api.openai.com/v1",
    versionPath: "/v1",
    defaultModel: "gpt-5.2",
    modelPattern: /^(gpt-|chatgpt-|codex-|ft:gpt-|o[1-9](-|$))/,
    keyPattern: /^sk-/,
  },
  ollama: {
    label: "Ollama",
    keyVariables: [],
    baseVariable: "OLLAMA_BASE_URL",
    ownBase: "http://localhost:11434/v1",
    versionPath: "/v1",
    defaultModel: "qwen3",
  },
};

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as readonly ProviderName[];

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name);
}

/** How people write a provider's name; the name itself for those we do not know. */
export function labelOf(provider: string): string {
  return isProviderName(provider) ? PROVIDERS[provider].label : provider;
}

/** The provider whose ids look like this bare model id. */
export function providerOfModel(model: string): ProviderName | undefined {
  return PROVIDER_NAMES.find((name) => PROVIDERS[name].modelPattern?.test(model));
}

/** The provider whose keys look like this. */
export function providerOfKey(key: string): ProviderName | undefined {
  return PROVIDER_NAMES.find((name) => PROVIDERS[name].keyPattern?.test(key));
}
