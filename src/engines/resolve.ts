import { FlowerError } from "../core/errors.ts";
import { type Environment, keyOf } from "./connection.ts";
import type { Engine } from "./engine.ts";
import { processEnvironment } from "./environment.ts";
import { isProviderName, PROVIDER_NAMES, PROVIDERS, type ProviderName, providerOfKey, providerOfModel } from "./provider-table.ts";
import { providerEngine } from "./providers.ts";

export interface ResolveOptions {
  /** `provider/model`, or a bare id of a known family (`gpt-…`, `claude-…`, `gemini-…`). */
  readonly model?: string;
  /** A key for the provider that is found; goes before the environment's. */
  readonly apiKey?: string;
  /** Default: the process's environment. */
  readonly env?: Environment;
}

/**
 * The engine that `model` names; else the one that FLOWER_MODEL names; else the first provider with a key in the environment
 * (Gemini, Anthropic, OpenAI, then Ollama by OLLAMA_BASE_URL) with its default model. Throws `no-engine`, saying what to set,
 * and `bad-config` for a name that means no provider.
 */
export function resolveEngine(options: ResolveOptions = {}): Engine {
  const env = options.env ?? processEnvironment();
  const given = options.apiKey?.trim() ? { apiKey: options.apiKey.trim() } : {};
  const name = options.model?.trim() || env["FLOWER_MODEL"]?.trim();
  const chosen = name ? parseModel(name) : firstAvailable(env, given.apiKey);
  return providerEngine(chosen.provider, chosen.model, given, env);
}

interface Choice {
  readonly provider: ProviderName;
  readonly model: string;
}

function parseModel(name: string): Choice {
  const prefixed = splitPrefix(name);
  if (prefixed && isProviderName(prefixed.provider)) {
    const { provider, model } = prefixed;
    return { provider, model: model === "" ? PROVIDERS[provider].defaultModel : model };
  }
  const provider = providerOfModel(name);
  if (provider) return { provider, model: name };
  if (isProviderName(name)) return { provider: name, model: PROVIDERS[name].defaultModel };
  throw new FlowerError(
    "bad-config",
    `No provider is known for model "${name}". Write provider/model with one of: ${PROVIDER_NAMES.join(", ")}; ` +
      "for another server pass an engine made with openaiCompatible({ … }).",
  );
}

function firstAvailable(env: Environment, apiKey: string | undefined): Choice {
  const provider = apiKey === undefined ? PROVIDER_NAMES.find((name) => isAvailable(name, env)) : providerOfKey(apiKey);
  if (provider) return { provider, model: PROVIDERS[provider].defaultModel };
  if (apiKey !== undefined) {
    throw new FlowerError("bad-config", `The apiKey does not show whose it is: name the model too, e.g. model: "openai/gpt-5.2".`);
  }
  throw new FlowerError("no-engine", NO_ENGINE);
}

function isAvailable(provider: ProviderName, env: Environment): boolean {
  return PROVIDERS[provider].keyVariables.length > 0 ? keyOf(provider, env) !== undefined : !!env[PROVIDERS[provider].baseVariable]?.trim();
}

const NO_ENGINE = `No model provider is set up. Either
- set a key: GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY (and FLOWER_MODEL to choose the model);
- or use models on this machine: start Ollama and set OLLAMA_BASE_URL=http://localhost:11434;
- or pass an engine yourself, e.g. engine: openai("gpt-5.2", { apiKey }).`;

function splitPrefix(name: string): { readonly provider: string; readonly model: string } | undefined {
  const slash = name.indexOf("/");
  return slash > 0 ? { provider: name.slice(0, slash), model: name.slice(slash + 1) } : undefined;
}

/**
 * A given engine with an agent's `model`: the engine's own `provider/` prefix is taken off. Throws `bad-config` before any
 * request when the string names another provider. Engines of other servers (routers) get ids like `openai/gpt-4o` as they are.
 */
export function engineFor(engine: Engine, model: string | undefined): Engine {
  if (model === undefined) return engine;
  const prefixed = splitPrefix(model);
  const isOwn = prefixed?.provider === engine.provider;
  const id = isOwn ? prefixed.model : model;
  const named = isOwn ? undefined : namedProvider(engine, model);
  if (named !== undefined && named !== engine.provider) {
    throw new FlowerError(
      "bad-config",
      `Model "${model}" is of ${PROVIDERS[named].label}, but the engine is ${engine.provider} (${engine.model}). Give that agent its own engine.`,
    );
  }
  return id === engine.model ? engine : engine.withModel(id);
}

/** The provider that a string names for this engine. */
function namedProvider(engine: Engine, model: string): ProviderName | undefined {
  const isRouter = !isProviderName(engine.provider) && engine.endpoint !== undefined;
  if (isRouter) return undefined;
  const prefix = splitPrefix(model)?.provider;
  if (prefix !== undefined && isProviderName(prefix)) return prefix;
  return isOwnService(engine) ? providerOfModel(model) : undefined;
}

/** A bare id tells something only where one provider's models are all there is; other servers may serve any family. */
function isOwnService(engine: Engine): boolean {
  if (!isProviderName(engine.provider) || engine.provider === "ollama") return false;
  return engine.endpoint === undefined || new URL(engine.endpoint).host === new URL(PROVIDERS[engine.provider].ownBase).host;
}
