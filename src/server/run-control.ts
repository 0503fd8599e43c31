import type { ErrorCode } from "../core/errors.ts";
import type { AskPurpose } from "../human/ask.ts";
import type { AmendReceipt } from "../human/mail.ts";
import type { AskState, CheckEvidence, LoggedEvent, RunOutcome, VerdictState } from "../messages/event.ts";

/** A question as other processes see it. */
export interface AskView {
  readonly id: string;
  readonly question: string;
  readonly options: readonly string[];
  /** ISO instant. */
  readonly askedAt: string;
  readonly waitedMs: number;
  readonly state: AskState;
  readonly answer: string;
  /** Names of the agents from the main one down to the one that asks. */
  readonly path: readonly string[];
  readonly purpose: AskPurpose;
}

/** What became of words that a person sent unasked. */
export interface MailReceipt extends AmendReceipt {
  readonly id: string;
  readonly state: "queued" | "delivered";
}

/** What came of a side question. */
export interface OracleReply {
  readonly ok: boolean;
  /** The answer; of one that was stopped at its limit, what it had so far. */
  readonly text: string;
  /** US dollars, no part of the run's; undefined when a price is unknown. */
  readonly costUsd?: number;
  /** Why there is none, when not ok. */
  readonly errorKind?: ErrorCode;
}

/** Where a run is. */
export interface RunState {
  readonly run: string;
  /** The runs of the chain, oldest first, this one last. */
  readonly chain: readonly string[];
  /** `gone`: its process ended without a word. */
  readonly state: "running" | "ended" | "gone";
  /** ISO instants of the first event and of the end. */
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** `index` counts from 1. */
  readonly step?: { readonly name: string; readonly index: number; readonly total: number };
  /** The work-judge round, from 1. */
  readonly round: number;
  /** Context level of the main thread, in tokens, and the level at which a context handoff begins. */
  readonly context?: number;
  readonly handoffAt?: number;
  /** US dollars of this run; undefined while nothing with a price was used. */
  readonly costUsd?: number;
  /** False when something was used whose price is unknown: then `costUsd` is a lower bound. */
  readonly costComplete: boolean;
  /** What it does now: `idle`, `model`, `tool`, `question`, `retry`, `handoff`. */
  readonly activity: string;
  /** The questions that wait. */
  readonly asks: readonly AskView[];
  readonly verdict?: {
    readonly step: string;
    readonly round: number;
    readonly state: VerdictState;
    readonly reason: string;
    /** The checklist as judged, in its order. */
    readonly checks: readonly CheckEvidence[];
  };
  readonly outcome?: RunOutcome;
  readonly exitCode?: number;
  readonly failedAt?: string;
  readonly reason?: string;
  /** The number of the last event. */
  readonly lastSeq: number;
}

/**
 * What one can do to a run, from wherever: its own process, a socket, the HTTP service.
 *
 * 1. Of several answers to one question exactly one wins; the others get false.
 * 2. When a call resolves, what the person said is on disk, or the receipt says why it is not.
 */
export interface RunControl {
  readonly id: string;
  state(): Promise<RunState>;
  /** Every question of the run, oldest first. */
  asks(): Promise<readonly AskView[]>;
  /**
   * False when the question does not exist or waits no longer. Options are meant by their words or their number. Throws
   * `bad-input`, and the question stays open, for words on a permission that are neither a clear yes nor a clear no, and for the
   * number of an option that is not there.
   */
  answer(askId: string, text: string): Promise<boolean>;
  decline(askId: string, reason?: string): Promise<boolean>;
  send(text: string): Promise<MailReceipt>;
  /** Stops the work at its next boundary and gives it these words; without words it just goes on. */
  interrupt(text?: string): Promise<AmendReceipt>;
  /** Asks about the run on the side; the run does not notice. */
  oracle(question: string, signal?: AbortSignal): Promise<OracleReply>;
  /** Ends the run. Resolves when it has been told, not when it has ended. */
  abort(reason?: string): Promise<void>;
}

export interface EventQuery {
  /** A cursor: `runId:seq`, or a sequence number of this run. */
  readonly after?: string;
}

/** A run with its log. */
export interface ServedRun extends RunControl {
  /** At most `limit` events that are on disk, in order, over the whole chain. */
  page(query: EventQuery & { readonly limit: number }): Promise<readonly LoggedEvent[]>;
  /** The log behind the cursor, then live, to its end. */
  follow(query: EventQuery & { readonly signal: AbortSignal }): AsyncIterable<LoggedEvent>;
}

/** The runs that a service knows. */
export interface RunDirectory {
  list(): Promise<readonly ServedRun[]>;
  get(id: string): Promise<ServedRun | undefined>;
}
