import { type Clock, systemClock, toInstant } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { Unsettled } from "../core/unsettled.ts";
import type { FaultHook } from "./fault.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { pageLimit, toPage } from "./page.ts";
import { storeClosed } from "./refusals.ts";
import { SqliteAdmission } from "./sqlite-admission.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { makePrivate, openDatabaseFile, type SqliteDatabase, toDatabaseError, toPlaceError } from "./sqlite-database.ts";
import { toEntry } from "./sqlite-entries.ts";
import { forkSession } from "./sqlite-fork.ts";
import { SqliteLease } from "./sqlite-lease.ts";
import { SqliteLoader } from "./sqlite-loader.ts";
import type { EntryRow, SessionRow, TurnRow } from "./sqlite-queries.ts";
import { prepareSchema } from "./sqlite-schema.ts";
import type { JournalEntry, ListOptions, OpenOptions, SessionLease, SessionPage, SessionState, SessionStore, TurnRecord } from "./store.ts";
import { Turnstile } from "./turnstile.ts";

export type { SqliteDatabase, SqliteStatement, SqliteValue } from "./sqlite-database.ts";

export interface SqliteSessionStoreOptions {
  /** How long a session stays taken after its holder died. Default 30,000. */
  readonly leaseMs?: number;
  /** How many sessions' histories stay in memory between turns, the ones used last. Default 1,000. */
  readonly cachedSessions?: number;
  readonly clock?: Clock;
  /** @internal */
  readonly fault?: FaultHook;
}

const DEFAULT_LEASE_MS = 30_000;
const DEFAULT_CACHED_SESSIONS = 1_000;
const RENEWALS_PER_LEASE = 3;
const LAST_CHARACTER = "\u{10FFFF}";

/**
 * Sessions in a SQLite file: one machine, any number of processes. What a call wrote is in the file when it resolves and survives
 * the death of the process. The file and its side files can be read by their owner only.
 *
 * Takes a path (made when missing), or an open connection of libsql, better-sqlite3 or node:sqlite to a database of the store's own,
 * which stays the caller's to close. Ids are listed in the order of their UTF-8 bytes.
 */
export class SqliteSessionStore implements SessionStore {
  readonly #connection: SqliteConnection;
  readonly #isOwner: boolean;
  readonly #loader: SqliteLoader;
  readonly #admission: SqliteAdmission;
  readonly #keeper: LeaseKeeper;
  readonly #turnstile = new Turnstile();
  readonly #leases = new Set<SqliteLease>();
  /** Under way; closing waits for them, so that none leaves its session taken. */
  readonly #opening = new Unsettled();
  readonly #closing = new AbortController();
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #fault: FaultHook | undefined;

  constructor(database: string | SqliteDatabase, options: SqliteSessionStoreOptions = {}) {
    const { leaseMs = DEFAULT_LEASE_MS, clock = systemClock, fault } = options;
    this.#isOwner = typeof database === "string";
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#fault = fault;
    this.#connection = connect(database);
    this.#loader = new SqliteLoader(this.#connection.queries, options.cachedSessions ?? DEFAULT_CACHED_SESSIONS);
    this.#admission = new SqliteAdmission({ connection: this.#connection, clock, leaseMs, closing: this.#closing.signal, fault });
    this.#keeper = new LeaseKeeper(clock, leaseMs / RENEWALS_PER_LEASE, (work) => this.#connection.write(work));
  }

  async open(sessionId: string, options: OpenOptions = {}): Promise<SessionLease> {
    return this.#acquire(sessionId, options);
  }

  async read(sessionId: string): Promise<SessionState | undefined> {
    return this.#reading(() => {
      const row = this.#row(sessionId);
      if (!row || row.commit_no === 0) return undefined;
      return this.#loader.load(sessionId, row).snapshot();
    });
  }

  async journal(sessionId: string, turnId: string): Promise<readonly JournalEntry[]> {
    const rows = await this.#reading(() => this.#connection.queries.journal.all(sessionId, turnId) as EntryRow[]);
    return rows.map((row) => toEntry(row, sessionId));
  }

  async turns(sessionId: string): Promise<readonly TurnRecord[]> {
    const rows = await this.#reading(() => this.#connection.queries.turns.all(sessionId) as TurnRow[]);
    return rows.map((row) => ({
      turnId: row.id,
      status: row.status,
      startedAt: toInstant(row.started_at),
      reason: row.reason ?? undefined,
    }));
  }

  async list(options: ListOptions = {}): Promise<SessionPage> {
    const { prefix = "", cursor = "" } = options;
    const limit = pageLimit(options);
    const { list } = this.#connection.queries;
    const rows = await this.#reading(() => list.all(cursor, prefix, prefix + LAST_CHARACTER, limit + 1) as { id: string }[]);
    return toPage(
      rows.map((row) => row.id),
      limit,
    );
  }

  async delete(sessionId: string): Promise<boolean> {
    const row = await this.#reading(() => this.#row(sessionId));
    if (!row) return false;
    const lease = await this.#acquire(sessionId, {});
    try {
      this.#fault?.("delete:before");
      const existed = await this.#connection.write(() => this.#drop(sessionId, lease.fence));
      this.#fault?.("delete:after");
      return existed;
    } finally {
      await lease.release();
    }
  }

  async fork(from: string, to: string, options: { readonly at?: number } = {}): Promise<void> {
    this.#assertOpen();
    this.#fault?.("fork:before");
    const { queries } = this.#connection;
    await this.#connection.write(() => {
      forkSession(queries, { from, to, at: options.at, now: this.#clock.now() });
      this.#fault?.("fork:inside");
    });
    this.#fault?.("fork:after");
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const closed = storeClosed();
    this.#closing.abort(closed);
    this.#turnstile.refuseAll(closed);
    await this.#opening.settled();
    await Promise.allSettled([...this.#leases].map((lease) => lease.revoke()));
    this.#keeper.stop();
    await this.#connection.settle();
    if (this.#isOwner) this.#connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #acquire(sessionId: string, options: OpenOptions): Promise<SqliteLease> {
    this.#assertOpen();
    return this.#opening.add(this.#enter(sessionId, options));
  }

  async #enter(sessionId: string, options: OpenOptions): Promise<SqliteLease> {
    if (options.signal?.aborted || !this.#turnstile.tryEnter(sessionId)) await this.#turnstile.enter(sessionId, options);
    try {
      const row = await this.#admission.take(sessionId, options, this.#loader.left(sessionId));
      return await this.#lease(sessionId, row);
    } catch (error) {
      this.#turnstile.leave(sessionId);
      throw error;
    }
  }

  async #lease(sessionId: string, row: SessionRow): Promise<SqliteLease> {
    try {
      this.#assertOpen();
      const lease = new SqliteLease({
        row,
        state: this.#loader.load(sessionId, row),
        loaded: this.#loader.loadTurn(sessionId, row),
        connection: this.#connection,
        clock: this.#clock,
        leaseMs: this.#leaseMs,
        fault: this.#fault,
        onEnd: (ended) => this.#forget(ended),
      });
      this.#leases.add(lease);
      this.#keeper.add(lease);
      return lease;
    } catch (error) {
      // A session that cannot be loaded must not stay taken.
      await this.#connection.write(() => this.#connection.queries.free.run(row.key, row.fence));
      throw error;
    }
  }

  #forget(lease: SqliteLease): void {
    this.#leases.delete(lease);
    this.#keeper.remove(lease);
    this.#loader.keepLeft(lease.sessionId, lease.left);
    this.#turnstile.leave(lease.sessionId);
  }

  #row(sessionId: string): SessionRow | undefined {
    return this.#connection.queries.session.get(sessionId) as SessionRow | undefined;
  }

  #drop(sessionId: string, fence: number): boolean {
    const { queries } = this.#connection;
    const row = this.#row(sessionId);
    if (row?.fence !== fence) throw new FlowerError("lease-lost", `Session "${sessionId}" was taken over before it could be deleted.`);
    const existed = queries.isUsed.get(row.key) !== undefined;
    queries.dropEntries.run(row.key, row.key);
    queries.dropTurns.run(row.key);
    this.#fault?.("delete:inside");
    queries.dropCommits.run(row.key);
    queries.dropSession.run(row.key);
    this.#loader.forget(sessionId);
    return existed;
  }

  async #reading<T>(work: () => T): Promise<T> {
    this.#assertOpen();
    return this.#connection.read(work);
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw storeClosed();
  }
}

function connect(database: string | SqliteDatabase): SqliteConnection {
  const path = typeof database === "string" ? database : "the given database";
  try {
    const handle = typeof database === "string" ? openFile(database) : database;
    prepareSchema(handle, path);
    if (typeof database === "string" && database !== ":memory:") makePrivate(database);
    return new SqliteConnection(handle, path);
  } catch (error) {
    throw toDatabaseError(error, path);
  }
}

/** Throws `bad-config` for a place where no database can be. */
function openFile(path: string): SqliteDatabase {
  try {
    return openDatabaseFile(path);
  } catch (error) {
    throw toPlaceError(error, path);
  }
}
