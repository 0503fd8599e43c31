import { type Clock, systemClock, toInstant } from "../core/clock.ts";
import type { FaultHook } from "./fault.ts";
import { MemoryLease } from "./memory-lease.ts";
import { MemorySession } from "./memory-session.ts";
import { pageLimit, toPage } from "./page.ts";
import { sessionExists, sessionMissing, storeClosed } from "./refusals.ts";
import type { JournalEntry, ListOptions, OpenOptions, SessionLease, SessionPage, SessionState, SessionStore, TurnRecord } from "./store.ts";
import { Turnstile } from "./turnstile.ts";

export interface MemorySessionStoreOptions {
  readonly clock?: Clock;
  /** @internal */
  readonly fault?: FaultHook;
}

/**
 * Sessions in this process's memory: the default store, and the fastest. Nothing survives the process, and no lease expires.
 * The journals of a session's last 100 turns are kept; of older turns only the record.
 */
export class MemorySessionStore implements SessionStore {
  readonly #sessions = new Map<string, MemorySession>();
  readonly #turnstile = new Turnstile();
  readonly #leases = new Set<MemoryLease>();
  readonly #clock: Clock;
  readonly #fault: FaultHook | undefined;
  #closed = false;

  constructor(options: MemorySessionStoreOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#fault = options.fault;
  }

  async open(sessionId: string, options?: OpenOptions): Promise<SessionLease> {
    this.#assertOpen();
    if (options?.signal?.aborted || !this.#turnstile.tryEnter(sessionId)) await this.#turnstile.enter(sessionId, options);
    try {
      return this.#lease(sessionId);
    } catch (error) {
      this.#turnstile.leave(sessionId);
      throw error;
    }
  }

  async read(sessionId: string): Promise<SessionState | undefined> {
    this.#assertOpen();
    return this.#committed(sessionId)?.state.snapshot();
  }

  async journal(sessionId: string, turnId: string): Promise<readonly JournalEntry[]> {
    this.#assertOpen();
    return this.#sessions.get(sessionId)?.journal(turnId) ?? [];
  }

  async turns(sessionId: string): Promise<readonly TurnRecord[]> {
    this.#assertOpen();
    const turns = this.#sessions.get(sessionId)?.turns ?? [];
    return turns.map(({ turnId, status, startedAt, reason }) => ({ turnId, status, startedAt: toInstant(startedAt), reason }));
  }

  async list(options: ListOptions = {}): Promise<SessionPage> {
    this.#assertOpen();
    const { prefix = "", cursor } = options;
    const limit = pageLimit(options);
    const fits = (id: string) => id.startsWith(prefix) && (cursor === undefined || id > cursor) && this.#committed(id) !== undefined;
    return toPage(
      [...this.#sessions.keys()]
        .filter(fits)
        .sort()
        .slice(0, limit + 1),
      limit,
    );
  }

  async delete(sessionId: string): Promise<boolean> {
    this.#assertOpen();
    await this.#turnstile.enter(sessionId);
    try {
      this.#assertOpen();
      this.#fault?.("delete:before");
      const existed = this.#sessions.get(sessionId)?.isEmpty === false;
      this.#fault?.("delete:inside");
      this.#sessions.delete(sessionId);
      this.#fault?.("delete:after");
      return existed;
    } finally {
      this.#turnstile.leave(sessionId);
    }
  }

  async fork(from: string, to: string, options: { readonly at?: number } = {}): Promise<void> {
    this.#assertOpen();
    const source = this.#committed(from);
    if (!source) throw sessionMissing(from);
    await this.#turnstile.enter(to, { onBusy: "reject" }).catch(() => Promise.reject(sessionExists(to)));
    try {
      if (this.#sessions.get(to)?.isEmpty === false) throw sessionExists(to);
      this.#fault?.("fork:before");
      const copy = source.copy(to, options.at ?? source.state.commit);
      this.#fault?.("fork:inside");
      this.#sessions.set(to, copy);
      this.#fault?.("fork:after");
    } finally {
      this.#turnstile.leave(to);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#turnstile.refuseAll(storeClosed());
    for (const lease of this.#leases) lease.revoke();
    this.#sessions.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #lease(sessionId: string): SessionLease {
    this.#assertOpen();
    this.#fault?.("open:before");
    let session = this.#sessions.get(sessionId);
    if (!session) {
      session = new MemorySession(sessionId);
      this.#sessions.set(sessionId, session);
    }
    const lease = new MemoryLease(session, this.#clock, this.#fault, (ended) => {
      this.#leases.delete(ended);
      this.#turnstile.leave(sessionId);
    });
    this.#fault?.("open:after");
    this.#leases.add(lease);
    return lease;
  }

  #committed(sessionId: string): MemorySession | undefined {
    const session = this.#sessions.get(sessionId);
    return session && session.state.commit > 0 ? session : undefined;
  }

  #assertOpen(): void {
    if (this.#closed) throw storeClosed();
  }
}
