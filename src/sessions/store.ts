import type { JsonObject } from "../core/json.ts";
import type { Message, ResultPart } from "../messages/message.ts";

/**
 * Where sessions live. Every store guarantees, and `testSessionStore` checks by these numbers:
 *
 * 1. **One writer.** `open` gives the session's only lease. Another `open` waits its turn (first come, first served within a
 *    process, fairly across processes) or rejects with `session-busy`. Different sessions never wait for each other.
 * 2. **Fencing.** Each lease has a number larger than every earlier one of that session. A holder whose lease expired or was
 *    taken over cannot write: its next call rejects with `lease-lost`.
 * 3. **A crashed holder's lease expires** after `leaseMs` without renewal; live holders renew by themselves.
 * 4. **The journal comes first.** `append` is durable when it resolves (in durable stores). Journal entries are not history.
 * 5. **Only `commit` makes history**, all of it or nothing: the `message` entries since the last commit, in order, the active
 *    agent and metadata, under one commit number, counted from 1.
 * 6. **`rollback` leaves history, active agent and metadata as of the last commit.** The journal of the abandoned turn stays readable.
 * 7. **A turn that a death left open is found** as `state.open` by the next `open`; nothing of it is history until committed.
 * 8. **Appending costs the same however long the session is**; nothing in memory is read again.
 * 9. **History is valid** (`checkHistory`) whenever it is read; `open` and `read` verify it when loading from disk.
 * 10. `read` and `list` need no lease and see committed state only.
 */
export interface SessionStore {
  open(sessionId: string, options?: OpenOptions): Promise<SessionLease>;
  /** Committed state, or undefined when the session has none. */
  read(sessionId: string): Promise<SessionState | undefined>;
  /** The journal entries of one turn, in order, whatever became of it. */
  journal(sessionId: string, turnId: string): Promise<readonly JournalEntry[]>;
  /** Every turn of the session, oldest first. */
  turns(sessionId: string): Promise<readonly TurnRecord[]>;
  list(options?: ListOptions): Promise<SessionPage>;
  /** Removes a session with its journal. False when there was none. Waits for its lease like `open`. */
  delete(sessionId: string): Promise<boolean>;
  /** Copies committed history up to and including commit `at` (default: the last) into a new session `to`; it must not exist. */
  fork(from: string, to: string, options?: { readonly at?: number }): Promise<void>;
  /** Releases what the store holds. Afterwards every call rejects. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface OpenOptions {
  /** What to do while another turn holds the session. Default "queue". */
  readonly onBusy?: "queue" | "reject";
  /** Ends the waiting; the promise rejects with its reason. */
  readonly signal?: AbortSignal;
}

export interface ListOptions {
  /** Only ids that begin with this. */
  readonly prefix?: string;
  /** The last id of the page before. */
  readonly cursor?: string;
  /** At most this many ids, default 100. */
  readonly limit?: number;
}

export interface SessionPage {
  /** In ascending order by code unit. */
  readonly ids: readonly string[];
  /** Pass it on to get the next page; undefined on the last. */
  readonly cursor?: string;
}

export interface SessionState {
  readonly id: string;
  /** Committed messages. A live, read-only view while a lease is held: copy what you keep. */
  readonly history: readonly Message[];
  readonly activeAgent?: string;
  readonly metadata: JsonObject;
  /** Number of the last commit; 0 = none yet. */
  readonly commit: number;
  /** A turn that was begun and neither ended nor rolled back: left by a death, or paused on purpose. */
  readonly open?: OpenTurnState;
}

export interface OpenTurnState {
  readonly turnId: string;
  /** Paused on purpose (see `SessionLease.pause`), not left by a death. */
  readonly paused: boolean;
  /** Entries since the last commit, in order. */
  readonly entries: readonly JournalEntry[];
}

export interface TurnRecord {
  readonly turnId: string;
  readonly status: "open" | "paused" | "committed" | "rolled-back";
  /** ISO instant. */
  readonly startedAt: string;
  /** Why it was rolled back. */
  readonly reason?: string;
}

/** One thing that happened in an open turn. */
export type JournalEntry =
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "call-started"; readonly callId: string; readonly name: string; readonly idempotent: boolean }
  | { readonly type: "call-result"; readonly result: ResultPart }
  /** Text that was shown to the person before the turn was aborted. */
  | { readonly type: "aborted"; readonly text: string; readonly reason: string };

/** The right to write one session, until released. */
export interface SessionLease {
  readonly sessionId: string;
  /** The fencing number, see guarantee 2. */
  readonly fence: number;
  /** Current committed state. */
  readonly state: SessionState;
  /**
   * Aborts, with a `lease-lost` error, as soon as the lease is known to be lost. Undefined when it cannot be lost while its holder
   * and the store live (in memory).
   */
  readonly lost: AbortSignal | undefined;
  /**
   * Begins a turn, with its first entries in the same write. A turn left open must be ended (`commit` with `end`, or `rollback`) or
   * continued (by its own id) first.
   */
  begin(turnId: string, entries?: readonly JournalEntry[]): Promise<void>;
  /** Adds to the open turn's journal, all of it or nothing. */
  append(...entries: readonly JournalEntry[]): Promise<void>;
  /** Makes the journalled messages history; returns the commit number. With `end` the turn is over. */
  commit(options: CommitOptions): Promise<number>;
  /** Abandons what the open turn journalled since the last commit, and ends the turn. */
  rollback(reason: string): Promise<void>;
  /** Leaves the turn open on purpose, to be continued by a later lease. */
  pause(): Promise<void>;
  /** Gives the session to the next in line. An open turn that was not paused is rolled back. Safe to call twice. */
  release(): Promise<void>;
}

export interface CommitOptions {
  /** Whether the turn is over. */
  readonly end: boolean;
  /** Journalled before, in the same write: all of it is done, or nothing. */
  readonly entries?: readonly JournalEntry[];
  /** With `end`: what `release` does, in the same write. */
  readonly release?: boolean;
  readonly activeAgent?: string;
  /** Replaces the session's metadata. */
  readonly metadata?: JsonObject;
}
