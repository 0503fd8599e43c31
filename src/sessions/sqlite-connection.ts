import { sleep, systemClock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { isBusy, type SqliteDatabase, toDatabaseError } from "./sqlite-database.ts";
import { prepareQueries, type SqliteQueries } from "./sqlite-queries.ts";

const LOCK_TIMEOUT_MS = 30_000;
const LONGEST_PAUSE_MS = 20;

/**
 * One database connection. Work given to it is synchronous, so that nothing comes between its statements. Writes run in the order in
 * which they were given, also when a lock of another process makes one of them wait; the waiting does not block the event loop.
 */
export class SqliteConnection {
  readonly queries: SqliteQueries;
  readonly #database: SqliteDatabase;
  readonly #path: string;
  #waiting = 0;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(database: SqliteDatabase, path: string) {
    this.#database = database;
    this.#path = path;
    this.queries = prepareQueries(database);
  }

  /** Runs `work` in a transaction of its own, and `follow` on its result at once when that is committed. */
  write<T, R = T>(work: () => T, follow?: (result: T) => R): Promise<R>;
  write<T>(work: () => T, follow: (result: T) => unknown = (result) => result): Promise<unknown> {
    return this.#inOrder(() => follow(this.#transaction("BEGIN IMMEDIATE", work)));
  }

  /** Runs reads that all see the same state. They wait for no write, of whomever. */
  read<T>(work: () => T): Promise<T> {
    return this.#retry(() => this.#transaction("BEGIN", work));
  }

  /** Waits for what is under way, and leaves everything in the database file proper. */
  async settle(): Promise<void> {
    await this.#tail;
    try {
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Another process is reading: the log stays, and is just as safe.
    }
  }

  close(): void {
    this.#database.close();
  }

  /**
   * The lock is taken by `BEGIN IMMEDIATE`, never by a prepared statement: one that finds the database locked stays active in libsql,
   * and stands in the way of every later commit.
   */
  #transaction<T>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => T): T {
    this.#database.exec(begin);
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.#database.exec("ROLLBACK");
      } catch {
        // SQLite has rolled back by itself; the error that made it do so is the one to report.
      }
      throw error;
    }
  }

  async #inOrder<T>(work: () => T): Promise<T> {
    if (this.#waiting === 0) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw toDatabaseError(error, this.#path);
      }
    }
    this.#waiting++;
    const result = this.#tail.then(() => this.#retry(work)).finally(() => this.#waiting--);
    this.#tail = result.catch(() => {});
    return result;
  }

  async #retry<T>(work: () => T): Promise<T> {
    const until = systemClock.now() + LOCK_TIMEOUT_MS;
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw toDatabaseError(error, this.#path);
        if (systemClock.now() > until) throw this.#locked(error);
      }
      await sleep(systemClock, pause * (0.5 + Math.random()));
    }
  }

  #locked(cause: unknown): FlowerError {
    const since = `${LOCK_TIMEOUT_MS / 1000} seconds`;
    return new FlowerError("session-busy", `The session database "${this.#path}" has been locked by another program for ${since}.`, {
      cause,
      retryable: true,
    });
  }
}
