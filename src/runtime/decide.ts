import type { BackendOutcome } from "../backends/backend.ts";
import type { ErrorCode, FlowerError } from "../core/errors.ts";

/** How one attempt ended. */
export type AttemptEnd =
  | { readonly kind: "outcome"; readonly outcome: BackendOutcome }
  | { readonly kind: "failed"; readonly error: FlowerError };

export interface AttemptState {
  /** Attempts in a row, without a reply between them, this one included. Interrupts and context handoffs are not attempts. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** A person spoke and the words have not been given to the model yet. */
  readonly wordsWaiting: boolean;
  /** The provider cannot be reached from here: a probe of its address, without a request, says so. */
  readonly unreachable: boolean;
  /** The caller has aborted. */
  readonly aborted: boolean;
  /** An answer of this step that was cut has been asked for again. */
  readonly saidAgain?: boolean;
}

export type Decision =
  | { readonly do: "finish" }
  /** The person's words are the next prompt; same session, not an attempt. */
  | { readonly do: "speak" }
  /** The answer was cut at the output limit, and is asked for once more; same session, not an attempt. */
  | { readonly do: "say-again" }
  /** The context is full; not an attempt. */
  | { readonly do: "hand-over" }
  | { readonly do: "stop"; readonly code: ErrorCode; readonly message: string }
  /** Nothing can be tried before the network is back; not an attempt. */
  | { readonly do: "await-network" }
  | { readonly do: "retry"; readonly attempt: number };

/** What follows after an attempt, in this order: abort, done or cut, a person's words, limits, full context, no network, retry, stop. Pure. */
export function decide(end: AttemptEnd, state: AttemptState): Decision {
  if (end.kind === "failed") return decideFailure(end.error, state);
  const { outcome } = end;
  switch (outcome.kind) {
    case "done":
      if (state.wordsWaiting) return { do: "speak" };
      return outcome.cut && !state.saidAgain ? { do: "say-again" } : { do: "finish" };
    case "interrupted":
      return { do: "speak" };
    case "context-full":
      return { do: "hand-over" };
    case "budget":
      return { do: "stop", code: "budget", message: outcome.reason ?? "The budget is used up." };
    case "iteration-limit":
      return { do: "stop", code: "iteration-limit", message: "The agent used up its iterations before it was done." };
    default:
      return outcome.kind satisfies never;
  }
}

function decideFailure(error: FlowerError, state: AttemptState): Decision {
  if (error.code === "step-timeout") return { do: "stop", code: error.code, message: error.message };
  if (state.aborted || error.code === "aborted") return { do: "stop", code: "aborted", message: error.message };
  if (error.code === "context-overflow") return { do: "hand-over" };
  if (!error.retryable) return { do: "stop", code: error.code, message: error.message };
  if (error.code === "offline" && state.unreachable) return { do: "await-network" };
  if (state.attempts >= state.maxAttempts) {
    return { do: "stop", code: error.code, message: `${error.message} Gave up after ${state.attempts} attempts.` };
  }
  return { do: "retry", attempt: state.attempts + 1 };
}
