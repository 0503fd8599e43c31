import { FlowerError } from "../core/errors.ts";
import { labelOf, PROVIDERS, type ProviderName } from "./provider-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where an engine's requests go and with which key. */
export interface Connection {
  readonly baseURL: string;
  /** The address is the provider's own. */
  readonly own: boolean;
  /** `null`: go without. Undefined: one is needed and there is none. */
  readonly apiKey: string | null | undefined;
}

export interface ConnectionOptions {
  /** Default: from the environment. `null`: no key. */
  readonly apiKey?: string | null;
  /** With or without the version path (`/v1`). A custom one needs `apiKey`, be it `null`. */
  readonly baseURL?: string;
}

/**
 * Settles address and key together, so that a key goes only where it belongs: one from the environment goes to the provider's
 * own host or to the address set in the same environment. Throws `bad-config` for a custom address without a word about the key.
 */
export function connectionOf(provider: ProviderName, options: ConnectionOptions, env: Environment): Connection {
  const facts = PROVIDERS[provider];
  const fromEnv = env[facts.baseVariable]?.trim();
  const envBase = normalizeBase(provider, fromEnv ? fromEnv : facts.ownBase);
  const baseURL = options.baseURL === undefined ? envBase : normalizeBase(provider, options.baseURL);
  const own = new URL(baseURL).host === new URL(facts.ownBase).host;
  if (options.apiKey !== undefined) return { baseURL, own, apiKey: options.apiKey };
  if (facts.keyVariables.length === 0) return { baseURL, own, apiKey: null };
  if (!own && baseURL !== envBase) {
    throw new FlowerError(
      "bad-config",
      `${labelOf(provider)}: a custom base URL needs its own apiKey, or apiKey: null when it takes none. The key of the environment stays with ${new URL(facts.ownBase).host}.`,
    );
  }
  return { baseURL, own, apiKey: keyOf(provider, env) };
}

/** The provider's key in the environment. Blank ones count as none. */
export function keyOf(provider: ProviderName, env: Environment): string | undefined {
  return PROVIDERS[provider].keyVariables.map((name) => env[name]?.trim()).find((key) => key !== undefined && key !== "");
}

const VERSION_SEGMENT = /\/v\d+(alpha|beta)?\d*(\/|$)/;

function normalizeBase(provider: ProviderName, base: string): string {
  const { versionPath } = PROVIDERS[provider];
  const url = checkBase(labelOf(provider), base);
  // The packages add nothing to the address themselves.
  return VERSION_SEGMENT.test(new URL(url).pathname) ? url : url + versionPath;
}

/** An http(s) address without trailing slashes; one with a query, a fragment or a login in it is refused. */
export function checkBase(label: string, base: string): string {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new FlowerError("bad-config", `${label}: the base URL must begin with http:// or https://.`);
  }
  if (url.search || url.hash || url.username || url.password) {
    throw new FlowerError("bad-config", `${label}: the base URL must hold no query, fragment, user or password.`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}
