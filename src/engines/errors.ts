import { type ErrorCode, FlowerError, isFlowerError } from "../core/errors.ts";
import { type ErrorFacts, factsOf, retryAfterMs } from "./error-facts.ts";
import { codeOf } from "./error-rules.ts";
import { isProviderName, labelOf, PROVIDERS } from "./provider-table.ts";

/** Where a failure arose. */
export interface ErrorContext {
  readonly provider: string;
  readonly model: string;
  readonly endpoint?: string;
  /** The reply had begun: a broken connection then is a cut stream, not a missing network. */
  readonly streaming: boolean;
  /** Keys in use; they are struck from every text. */
  readonly secrets?: readonly string[];
  /** Milliseconds since the epoch, for Retry-After dates. Default: now. */
  readonly now?: number;
}

/**
 * Any failure of a provider, classified, in words that say what to do. The result holds no key, header, URL query or request
 * body, its cause included: that is a copy of the original's name, message and stack.
 */
export function toEngineError(error: unknown, context: ErrorContext): FlowerError {
  if (isFlowerError(error)) return error;
  const facts = factsOf(error);
  const code = isAbortError(error) ? "aborted" : codeOf(facts, context.streaming);
  const wait = code === "rate-limited" || code === "overloaded" ? retryAfterMs(facts, context.now ?? Date.now()) : undefined;
  const words = redact(facts.message, context.secrets).slice(0, 500) || "no reason given";
  return new FlowerError(code, messageFor(code, { facts, context, words, wait }), {
    cause: bareCopy(error, facts, context.secrets),
    details: {
      provider: context.provider,
      model: context.model,
      ...(facts.status === undefined ? {} : { status: facts.status }),
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    },
  });
}

/** A reply that ended without saying why. */
export function streamCut(context: Pick<ErrorContext, "provider" | "model">, raw?: string): FlowerError {
  const how = raw === undefined ? "without saying that it was complete" : `with an unexplained reason (${raw})`;
  return new FlowerError("stream-cut", `The reply of ${labelOf(context.provider)} ended ${how}.`, {
    details: { provider: context.provider, model: context.model, ...(raw === undefined ? {} : { raw }) },
  });
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

interface Telling {
  readonly facts: ErrorFacts;
  readonly context: ErrorContext;
  /** The provider's words, redacted. */
  readonly words: string;
  readonly wait: number | undefined;
}

function messageFor(code: ErrorCode, told: Telling): string {
  const { context, words, wait } = told;
  const who = labelOf(context.provider);
  const status = told.facts.status === undefined ? "" : ` (${told.facts.status})`;
  switch (code) {
    case "offline":
      return `${who} could not be reached${placeOf(context.endpoint)}: ${words}. ${adviceOffline(context.provider)}`;
    case "overloaded":
      return `${who} cannot serve right now${status}: ${words}`;
    case "rate-limited":
      return `${who} limits the rate of requests${status}${wait === undefined ? "" : `; it asks to wait ${Math.ceil(wait / 1000)} s`}.`;
    case "quota":
      return `The credit or quota of the ${who} account is used up${status}. Check its billing page.`;
    case "auth":
      return `${who} refused the key${status}. ${adviceKey(context.provider)}`;
    case "context-overflow":
      return `The input is too long for ${context.model}${status}: ${words}`;
    case "content-filter":
      return `${who} withheld the answer${status}: ${words}`;
    case "stream-cut":
      return `The reply of ${who} broke off: ${words}`;
    case "aborted":
      return "The call was aborted.";
    case "bad-request":
      return told.facts.status === 404
        ? `${who} knows no model "${context.model}"${placeOf(context.endpoint)} (404): ${words}`
        : `${who} refused the request${status}: ${words}`;
    default:
      return `${who} failed${status}: ${words}`;
  }
}

function adviceKey(provider: string): string {
  const variable = isProviderName(provider) ? PROVIDERS[provider].keyVariables[0] : undefined;
  return variable ? `Check ${variable}.` : "Check the apiKey it was given.";
}

function adviceOffline(provider: string): string {
  return provider === "ollama" ? "Start it with `ollama serve`, or set OLLAMA_BASE_URL." : "Check the network and the address.";
}

function placeOf(endpoint: string | undefined): string {
  return endpoint !== undefined && URL.canParse(endpoint) ? ` at ${new URL(endpoint).host}` : "";
}

/** Strikes keys and the queries of URLs from a text. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, "[key]");
  return clean
    .replace(/(https?:\/\/)[^\s/@"']+@/gi, "$1")
    .replace(/(https?:\/\/[^\s?#"'<>]+)\?[^\s"'<>]*/gi, "$1")
    .replace(/\b(sk|gsk|xai|pk|rk)-[\w*-]{4,}/g, "[key]")
    .replace(/\bAIza[\w*-]{8,}/g, "[key]")
    .replace(/\b(bearer)\s+\S+/gi, "$1 [key]");
}

/** Exceptions of provider packages hold the request body and response headers; loggers print them. The copy does not. */
function bareCopy(error: unknown, facts: ErrorFacts, secrets: readonly string[] | undefined): Error {
  const copy = new Error(redact(facts.message, secrets));
  if (error instanceof Error) {
    copy.name = error.name;
    if (error.stack) copy.stack = redact(error.stack, secrets);
  }
  return facts.codes.length > 0 ? Object.assign(copy, { codes: facts.codes.map((code) => redact(code, secrets)) }) : copy;
}
