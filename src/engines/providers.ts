import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import { FlowerError } from "../core/errors.ts";
import { type AiSdkModel, aiSdkEngine } from "./ai-sdk.ts";
import { type Connection, type ConnectionOptions, checkBase, connectionOf, type Environment } from "./connection.ts";
import type { Engine } from "./engine.ts";
import { processEnvironment } from "./environment.ts";
import { labelOf, PROVIDERS, type ProviderName } from "./provider-table.ts";

export interface ProviderOptions extends ConnectionOptions {
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CompatibleOptions extends ProviderOptions {
  /** The provider's name on messages, e.g. `groq`. */
  readonly name: string;
  readonly model: string;
  /** The address below which `/chat/completions` lies; `/v1` is added when it has no path at all. */
  readonly baseURL: string;
  /** `null`: the server takes none. */
  readonly apiKey: string | null;
}

/** OpenAI, by its Responses API with nothing stored there; by Chat Completions when `baseURL` is another host. */
export function openai(model: string, options: ProviderOptions = {}): Engine {
  return providerEngine("openai", model, options, processEnvironment());
}

/** Anthropic. What the requests have in common is cached at Anthropic for some minutes, which makes long sessions cheap. */
export function anthropic(model: string, options: ProviderOptions = {}): Engine {
  return providerEngine("anthropic", model, options, processEnvironment());
}

/** Google's Gemini. */
export function gemini(model: string, options: ProviderOptions = {}): Engine {
  return providerEngine("gemini", model, options, processEnvironment());
}

/** Models on this machine (http://localhost:11434) or on another Ollama server. */
export function ollama(model: string, options: ProviderOptions = {}): Engine {
  return providerEngine("ollama", model, options, processEnvironment());
}

/** Any server that speaks OpenAI's Chat Completions: Groq, xAI, DeepSeek, vLLM, LM Studio …. */
export function openaiCompatible(options: CompatibleOptions): Engine {
  if (options.apiKey === undefined) {
    throw new FlowerError("bad-config", `${options.name}: pass apiKey, or apiKey: null when the server takes none.`);
  }
  const base = checkBase(options.name, options.baseURL);
  const baseURL = new URL(base).pathname === "/" ? `${base}/v1` : base;
  const connection = { baseURL, own: false, apiKey: options.apiKey };
  return lazyEngine({ provider: options.name, options, connection, connect: connectCompatible }, options.model);
}

/** One of the named providers with the address and key that options and environment give. Nothing is imported or sent yet. */
export function providerEngine(provider: ProviderName, model: string, options: ProviderOptions, env: Environment): Engine {
  const connection = connectionOf(provider, options, env);
  return lazyEngine({ provider, options, connection, connect: CONNECTORS[provider] }, model);
}

type Models = (model: string) => AiSdkModel;

interface Link {
  readonly provider: string;
  readonly connection: Connection;
  readonly options: ProviderOptions;
}

/** Imports the provider's package and makes its connection. */
type Connector = (link: Link) => Promise<Models>;

function lazyEngine(link: Link & { readonly connect: Connector }, model: string): Engine {
  const { provider, connection } = link;
  let models: Promise<Models> | undefined;
  return aiSdkEngine({
    provider,
    model,
    endpoint: connection.baseURL,
    secrets: secretsOf(link),
    defaults: connection.own ? (OWN_HOST_DEFAULTS[provider] ?? {}) : {},
    async connect(id) {
      if (connection.apiKey === undefined) throw missingKey(provider as ProviderName);
      models ??= link.connect(link);
      try {
        return (await models)(id);
      } catch (error) {
        models = undefined;
        throw error;
      }
    },
  });
}

function secretsOf({ connection, options }: Link): readonly string[] {
  const headers = Object.entries(options.headers ?? {}).filter(([name]) => /auth|key|token|secret|cookie/i.test(name));
  return [...(connection.apiKey ? [connection.apiKey] : []), ...headers.map(([, value]) => value)];
}

/** What is asked of a provider's own service; other servers may not know these. */
const OWN_HOST_DEFAULTS: Readonly<Record<string, SharedV3ProviderOptions>> = {
  openai: { openai: { store: false } },
  anthropic: { anthropic: { cacheControl: { type: "ephemeral" } } },
};

function missingKey(provider: ProviderName): FlowerError {
  const variable = PROVIDERS[provider].keyVariables[0];
  return new FlowerError("auth", `${labelOf(provider)} needs a key. Set ${variable} or pass apiKey.`, { details: { provider } });
}

const CONNECTORS: Readonly<Record<ProviderName, Connector>> = {
  async openai(link) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const provider = createOpenAI(settings(link, "Authorization"));
    return link.connection.own ? provider.responses : provider.chat;
  },
  async anthropic(link) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic(settings(link, "x-api-key")).messages;
  },
  async gemini(link) {
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    return createGoogleGenerativeAI(settings(link, "x-goog-api-key")).chat;
  },
  ollama: connectCompatible,
};

async function connectCompatible(link: Link): Promise<Models> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({ ...settings(link, "Authorization"), name: link.provider, includeUsage: true }).chatModel;
}

/** Address and key always go explicitly: the packages would look into the environment for what they are not given. */
function settings({ connection, options }: Link, keyHeader: string) {
  // An undefined header is left out of the request.
  const withoutKey = connection.apiKey ? {} : ({ [keyHeader]: undefined } as unknown as Record<string, string>);
  return { baseURL: connection.baseURL, apiKey: connection.apiKey ?? "", headers: { ...withoutKey, ...options.headers } };
}
