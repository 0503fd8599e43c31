import type { Agent } from "../agents/agent.ts";
import { sleep } from "../core/clock.ts";
import { type FlowerError, toFlowerError } from "../core/errors.ts";
import { makeEvent } from "../messages/event.ts";
import type { AttemptHost } from "./attempt-host.ts";
import { type AttemptEnd, type AttemptState, type Decision, decide } from "./decide.ts";
import { retryDelay } from "./resilience.ts";
import type { StepBooks } from "./step-books.ts";
import { CONTINUE_PROMPT } from "./words.ts";

type TryAgain = Extract<Decision, { readonly do: "retry" | "await-network" }>;

/** The step in which something failed. */
export interface FailedPlace {
  readonly host: AttemptHost;
  readonly books: StepBooks;
  /** The agent whose call failed: the step's own, or a subagent. */
  readonly agent: Agent;
}

/** What `decide` goes by, after `attempts` tries. */
export async function attemptState(end: AttemptEnd, attempts: number, { host, agent }: Omit<FailedPlace, "books">): Promise<AttemptState> {
  return {
    attempts,
    maxAttempts: host.resilience.maxAttempts,
    wordsWaiting: host.words.interrupted,
    unreachable: end.kind === "failed" && (await host.network.isOut(end.error, agent)),
    aborted: host.signal.aborted,
  };
}

/** Waits as decided and has the step's books ready for the next try; or says why there is none. */
export async function tryAgain(
  decision: TryAgain,
  error: FlowerError,
  place: FailedPlace,
): Promise<Extract<Decision, { readonly do: "stop" }> | undefined> {
  const { books, host } = place;
  try {
    await wait(decision, error, books.attemptsInRow, place);
  } catch (reason) {
    const { code, message } = toFlowerError(reason, host.signal.aborted ? "aborted" : "unknown");
    return { do: "stop", code, message };
  }
  if (decision.do === "retry") books.retry();
  else books.goOn(CONTINUE_PROMPT);
  return undefined;
}

/**
 * A failure below the step's own queries, by the same rules as its own: true, after the wait, when it is to be tried again;
 * "uncounted" when the try that failed was none. Rejects when the run is to park.
 */
export async function recover(error: FlowerError, attempts: number, place: FailedPlace): Promise<boolean | "uncounted"> {
  const { host } = place;
  const end: AttemptEnd = { kind: "failed", error };
  const decision = decide(end, { ...(await attemptState(end, attempts, place)), wordsWaiting: false });
  if (decision.do !== "retry" && decision.do !== "await-network") return false;
  try {
    await wait(decision, error, attempts, place);
  } catch (reason) {
    if (host.signal.aborted) return false;
    throw reason;
  }
  return decision.do === "retry" || "uncounted";
}

async function wait(decision: TryAgain, error: FlowerError, attempts: number, { host, books, agent }: FailedPlace): Promise<void> {
  if (decision.do === "await-network") return host.network.untilBack(error, agent, attempts);
  const delayMs = retryDelay(error, decision.attempt, host.resilience);
  books.errors.push(error.message);
  host.publish(makeEvent("retry", error.message, { step: books.label, attempt: decision.attempt, reason: error.code, delayMs }));
  await backOff(delayMs, host);
}

/** A person who speaks meanwhile ends it. */
async function backOff(ms: number, { clock, signal, words }: AttemptHost): Promise<void> {
  const early = new AbortController();
  const stopListening = words.onInterrupt(() => early.abort());
  try {
    await sleep(clock, ms, AbortSignal.any([signal, early.signal]));
  } catch (reason) {
    if (signal.aborted || !early.signal.aborted) throw reason;
  } finally {
    stopListening();
  }
}
