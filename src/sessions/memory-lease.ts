import type { Clock } from "../core/clock.ts";
import type { FaultHook } from "./fault.ts";
import { LiveTurn } from "./live-state.ts";
import type { MemorySession } from "./memory-session.ts";
import { leaseLost, turnExists, turnIsOpen } from "./refusals.ts";
import type { CommitOptions, JournalEntry, SessionLease, SessionState } from "./store.ts";

/** The right to write one session of the memory store. Every write is whole when its call returns, so no step can be seen half done. */
export class MemoryLease implements SessionLease {
  readonly fence: number;
  readonly #session: MemorySession;
  readonly #clock: Clock;
  readonly #fault: FaultHook | undefined;
  readonly #onEnd: (lease: MemoryLease) => void;
  readonly lost = undefined;
  #ended = false;

  constructor(session: MemorySession, clock: Clock, fault: FaultHook | undefined, onEnd: (lease: MemoryLease) => void) {
    this.#session = session;
    this.#clock = clock;
    this.#fault = fault;
    this.#onEnd = onEnd;
    this.fence = ++session.fence;
  }

  get sessionId(): string {
    return this.#session.state.id;
  }

  get state(): SessionState {
    return this.#session.state;
  }

  async begin(turnId: string, entries: readonly JournalEntry[] = []): Promise<void> {
    this.#assertHeld();
    const { state } = this.#session;
    this.#fault?.("begin:before");
    if (state.open) {
      if (state.open.turnId !== turnId) throw turnIsOpen(state.id, state.open.turnId, turnId);
      this.#add(state.open, entries);
      return;
    }
    if (this.#session.hasTurn(turnId)) throw turnExists(state.id, turnId);
    this.#fault?.("begin:inside");
    this.#session.addTurn({ turnId, status: "open", startedAt: this.#clock.now(), reason: undefined, journal: [] });
    state.open = new LiveTurn(turnId, false, [...entries]);
    this.#fault?.("begin:after");
  }

  async append(...entries: readonly JournalEntry[]): Promise<void> {
    this.#assertHeld();
    const turn = this.#session.state.turnTo("append to");
    this.#fault?.("append:before");
    this.#fault?.("append:inside");
    this.#add(turn, entries);
    this.#fault?.("append:after");
  }

  async commit(options: CommitOptions): Promise<number> {
    this.#assertHeld();
    const { state } = this.#session;
    const { end, entries = [], release } = options;
    const messages = state.committable(entries);
    this.#fault?.("commit:before");
    this.#fault?.("commit:inside");
    state.open?.entries.push(...entries);
    this.#session.keepJournal();
    state.committed(messages, options);
    this.#session.newest.status = end ? "committed" : "open";
    this.#session.markCommit();
    const number = state.commit;
    if (end && release) this.#end();
    this.#fault?.("commit:after");
    return number;
  }

  async rollback(reason: string): Promise<void> {
    this.#assertHeld();
    this.#session.state.turnTo("roll back");
    this.#fault?.("rollback:before");
    this.#fault?.("rollback:inside");
    this.#rollBack(reason);
    this.#fault?.("rollback:after");
  }

  async pause(): Promise<void> {
    this.#assertHeld();
    const turn = this.#session.state.turnTo("pause");
    this.#fault?.("pause:before");
    this.#fault?.("pause:inside");
    turn.paused = true;
    this.#session.newest.status = "paused";
    this.#fault?.("pause:after");
  }

  async release(): Promise<void> {
    if (this.#ended) return;
    this.#fault?.("release:before");
    this.#end();
    this.#fault?.("release:after");
  }

  /** Takes the lease away, as `release` does, because the store closes. */
  revoke(): void {
    if (this.#ended) return;
    this.#end();
  }

  /** Gives the session back, rolling an open turn back unless it is paused. */
  #end(): void {
    const { open } = this.#session.state;
    if (open && !open.paused) this.#rollBack("The turn was neither committed nor paused when its session was released.");
    this.#ended = true;
    this.#onEnd(this);
  }

  #add(turn: LiveTurn, entries: readonly JournalEntry[]): void {
    turn.entries.push(...entries);
    if (!turn.paused) return;
    turn.paused = false;
    this.#session.newest.status = "open";
  }

  #rollBack(reason: string): void {
    const turn = this.#session.newest;
    this.#session.keepJournal();
    turn.status = "rolled-back";
    turn.reason = reason;
    this.#session.state.open = undefined;
  }

  #assertHeld(): void {
    if (this.#ended) throw this.#gone();
  }

  #gone() {
    return leaseLost(this.sessionId, "it was released");
  }
}
