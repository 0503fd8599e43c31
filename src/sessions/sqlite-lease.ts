import type { Clock } from "../core/clock.ts";
import { type FlowerError, isFlowerError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { FaultHook } from "./fault.ts";
import type { KeptLease } from "./lease-keeper.ts";
import { type LiveState, LiveTurn } from "./live-state.ts";
import { leaseLost, turnIsOpen } from "./refusals.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { LoadedTurn } from "./sqlite-loader.ts";
import type { SessionRow } from "./sqlite-queries.ts";
import { EXPIRED, type Follow, SqliteWriter } from "./sqlite-writer.ts";
import type { CommitOptions, JournalEntry, SessionLease, SessionState } from "./store.ts";

const NOT_ENDED = "The turn was neither committed nor paused when its session was released.";

export interface SqliteLeaseOptions {
  readonly row: SessionRow;
  readonly state: LiveState;
  readonly loaded: LoadedTurn | undefined;
  readonly connection: SqliteConnection;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly fault: FaultHook | undefined;
  /** Called once, when the lease is over. */
  readonly onEnd: (lease: SqliteLease) => void;
}

type WriteName = "begin" | "append" | "commit" | "rollback" | "pause";

/**
 * The right to write one session of a database. A write is one transaction that also checks that the lease is still held; the state
 * in memory follows once it is committed.
 */
export class SqliteLease implements SessionLease, KeptLease {
  readonly fence: number;
  readonly #live: LiveState;
  readonly #writer: SqliteWriter;
  readonly #options: SqliteLeaseOptions;
  readonly #lost = new AbortController();
  #ended = false;

  constructor(options: SqliteLeaseOptions) {
    const { row, state, loaded, connection, clock } = options;
    this.#options = options;
    this.#live = state;
    this.#live.open = loaded?.turn;
    this.#writer = new SqliteWriter(state.id, row, loaded, { queries: connection.queries, clock });
    this.fence = row.fence;
  }

  get sessionId(): string {
    return this.#live.id;
  }

  get state(): SessionState {
    return this.#live;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  begin(turnId: string, entries: readonly JournalEntry[] = []): Promise<void> {
    return this.#write("begin", () => {
      const { open } = this.#live;
      if (open && open.turnId !== turnId) throw turnIsOpen(this.sessionId, open.turnId, turnId);
      return open ? this.#continue(open, entries) : this.#begin(turnId, entries);
    });
  }

  append(...entries: readonly JournalEntry[]): Promise<void> {
    return this.#write("append", () => this.#append(this.#live.turnTo("append to"), entries));
  }

  async commit(options: CommitOptions): Promise<number> {
    let number = 0;
    await this.#write("commit", () => {
      number = this.#live.commit + 1;
      return this.#commit(number, options);
    });
    return number;
  }

  rollback(reason: string): Promise<void> {
    return this.#write("rollback", () => {
      this.#live.turnTo("roll back");
      return this.#rollBack(reason);
    });
  }

  pause(): Promise<void> {
    return this.#write("pause", () => {
      const turn = this.#live.turnTo("pause");
      const follow = this.#writer.pause();
      return () => {
        follow();
        turn.paused = true;
      };
    });
  }

  async release(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const { connection, fault } = this.#options;
    try {
      fault?.("release:before");
      await connection.write(
        () => this.#free(),
        (follow) => follow?.(),
      );
      fault?.("release:after");
    } finally {
      this.#options.onEnd(this);
    }
  }

  /** The session's row as this lease left it; undefined when it left a turn open. */
  get left(): SessionRow | undefined {
    return this.#live.open ? undefined : this.#writer.rowAfter(this.#live.commit);
  }

  renew(): boolean {
    return this.#ended || this.#writer.renew(this.#options.leaseMs);
  }

  lose(): void {
    if (!this.#ended) this.#lost.abort(this.#gone(EXPIRED));
  }

  /** Releases the lease because the store closes; whoever still works with it learns that it is lost. */
  async revoke(): Promise<void> {
    try {
      await this.release();
    } finally {
      this.#lost.abort(this.#gone("its store was closed"));
    }
  }

  /** Runs `work` in a transaction; what it returns then brings the state in memory up to date. */
  async #write(name: WriteName, work: () => Follow): Promise<void> {
    if (this.#ended) throw this.#gone("it was released");
    if (this.lost.aborted) throw this.#gone(EXPIRED);
    const { connection, fault } = this.#options;
    const whole = () => {
      const follow = work();
      fault?.(`${name}:inside`);
      return follow;
    };
    fault?.(`${name}:before`);
    try {
      await connection.write(whole, (follow) => follow());
    } catch (error) {
      // Only here, outside the transaction: the listeners of a lost lease may use the store.
      if (isFlowerError(error, "lease-lost")) this.lose();
      throw error;
    }
    fault?.(`${name}:after`);
  }

  #begin(turnId: string, entries: readonly JournalEntry[]): Follow {
    const follow = this.#writer.begin(turnId, entries);
    return () => {
      follow();
      this.#live.open = new LiveTurn(turnId, false, [...entries]);
    };
  }

  #append(turn: LiveTurn, entries: readonly JournalEntry[]): Follow {
    const follow = this.#writer.append(entries);
    return () => {
      follow();
      turn.paused = false;
      turn.entries.push(...entries);
    };
  }

  /** Without entries this only looks: the turn's row says that it goes on from the next write on. */
  #continue(turn: LiveTurn, entries: readonly JournalEntry[]): Follow {
    if (entries.length > 0) return this.#append(turn, entries);
    this.#writer.assertHeld();
    return () => {
      turn.paused = false;
    };
  }

  #commit(number: number, options: CommitOptions): Follow {
    const { end, entries } = options;
    const messages = this.#live.committable(entries);
    const free = end && options.release === true;
    const follow = this.#writer.commit({
      number,
      end,
      entries,
      free,
      activeAgent: options.activeAgent === this.#live.activeAgent ? undefined : options.activeAgent,
      metadata: options.metadata && changedJson(options.metadata, this.#live.metadata),
    });
    return () => {
      follow();
      this.#live.committed(messages, options);
      if (free) this.#end();
    };
  }

  #rollBack(reason: string): Follow {
    const follow = this.#writer.rollBack(reason);
    return () => {
      follow();
      this.#live.open = undefined;
    };
  }

  /** The session has been given back. */
  #end(): void {
    this.#ended = true;
    this.#options.onEnd(this);
  }

  /** Frees the session, with an open turn's rollback. A lease that is lost has nothing to free. */
  #free(): Follow | undefined {
    const { open } = this.#live;
    const rolledBack = open && !open.paused && this.#writer.isHeld() ? this.#rollBack(NOT_ENDED) : undefined;
    this.#writer.free();
    return rolledBack;
  }

  #gone(why: string): FlowerError {
    return leaseLost(this.sessionId, why);
  }
}

function changedJson(now: JsonObject, before: JsonObject): string | undefined {
  const json = JSON.stringify(now);
  return json === JSON.stringify(before) ? undefined : json;
}
