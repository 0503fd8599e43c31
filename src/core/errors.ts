/** Every code a {@link FlowerError} can carry. A closed union: code that decides on errors can be exhaustive. */
export const ERROR_CODES = [
  "offline", // the provider could not be reached
  "overloaded", // the provider is up but cannot serve now (5xx, 529)
  "rate-limited", // 429; details.retryAfterMs when the provider said when
  "quota", // credit or quota is used up
  "auth", // key missing, wrong, or not allowed
  "bad-request", // the provider refuses the request as such
  "context-overflow", // the provider says that the input is too long
  "context-floor-exceeded", // even a fresh session does not fit the window
  "content-filter", // the provider withheld the answer
  "stream-cut", // the reply ended without a finish, or with an unexplained one
  "engine-idle", // nothing came from the provider for the idle timeout
  "tool-timeout",
  "turn-timeout",
  "step-timeout",
  "aborted", // the caller's signal, or abort()
  "session-busy", // another turn holds the session and onBusy is "reject"
  "run-busy", // another live run holds this workflow and run directory
  "reentrant-turn", // a turn was started from inside a tool of the same session's turn
  "lease-lost", // the session's single-writer lease expired or was taken over
  "history-invalid", // a stored history breaks the rules of checkHistory
  "fatal-tool-error", // a tool asked for the whole turn to fail
  "iteration-limit",
  "repetition", // the same call with the same result again and again, in jobs
  "budget", // a money, token or time limit was reached
  "output-invalid", // the structured answer does not match the agent's outputSchema
  "no-engine", // no provider could be resolved
  "bad-config", // the program is wired wrongly
  "bad-input", // what the caller passed cannot be used
  "not-found",
  "step-aborted", // a gate found that another round is no use
  "parked", // a decision that only a person can make is put off until the next start
  "unknown",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

const RETRYABLE: ReadonlySet<ErrorCode> = new Set(["offline", "overloaded", "rate-limited", "stream-cut", "engine-idle"]);

export interface FlowerErrorOptions {
  readonly cause?: unknown;
  /** JSON-safe facts for whoever shows or decides on the error, e.g. `{ retryAfterMs: 1500 }`. Never secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether trying the same thing again may help. Default: decided by the code. */
  readonly retryable?: boolean;
}

const BRAND = Symbol.for("flower.error");

/** The one error class. `message` is English and says what to do; people-facing texts are looked up by `code`. */
export class FlowerError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: FlowerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "FlowerError";
    this.code = code;
    this.retryable = options.retryable ?? RETRYABLE.has(code);
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** True for a FlowerError (of this or another loaded copy of the package), optionally of one code. */
export function isFlowerError(error: unknown, code?: ErrorCode): error is FlowerError {
  return typeof error === "object" && error !== null && BRAND in error && (code === undefined || ("code" in error && error.code === code));
}

/** Any thrown value as a FlowerError; what is not one yet becomes `unknown`, not retryable, with the original as cause. */
export function toFlowerError(error: unknown, code: ErrorCode = "unknown"): FlowerError {
  if (isFlowerError(error)) return error;
  return new FlowerError(code, messageOf(error), { cause: error });
}

/** The message of any thrown value, for logs. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Whether a failure ends for good what was under way. An abort, a lost lease and parking only put it off: whoever goes on in the
 * session later goes on with it.
 */
export function isForGood(error: unknown): boolean {
  return isFlowerError(error) && !["aborted", "parked", "lease-lost"].includes(error.code);
}
