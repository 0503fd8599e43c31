import { FlowerError } from "../core/errors.ts";
import { isBusy, type SqliteDatabase } from "./sqlite-database.ts";

/**
 * The schema, as the steps that lead to it; a database's `user_version` counts the steps it has. Never change one that was released.
 *
 * A session's turns are numbered from 1, and so are a turn's entries: its journal. A commit names a range of them, and the messages
 * of all commits in order are the history: nothing is ever copied or rewritten. `sessions.expires_at` = 0: nobody holds the session;
 * `sessions.holder` is the mark of the process that took it last.
 * `turns.status` is null for the open turn and, so that a commit need not touch it, for a committed one: `sessions.open_turn` tells
 * them apart.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    fence INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL DEFAULT 0,
    commit_no INTEGER NOT NULL DEFAULT 0,
    active_agent TEXT,
    metadata TEXT NOT NULL DEFAULT '{}',
    turn_no INTEGER NOT NULL DEFAULT 0,
    open_turn INTEGER
  );
  CREATE TABLE turns (
    session INTEGER NOT NULL,
    id TEXT NOT NULL,
    no INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    status TEXT,
    reason TEXT,
    PRIMARY KEY (session, id)
  ) WITHOUT ROWID;
  CREATE TABLE entries (
    session INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    no INTEGER NOT NULL,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (session, turn, no)
  ) WITHOUT ROWID;
  CREATE TABLE commits (
    session INTEGER NOT NULL,
    no INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    after_entry INTEGER NOT NULL,
    last_entry INTEGER NOT NULL,
    active_agent TEXT,
    metadata TEXT,
    PRIMARY KEY (session, no)
  ) WITHOUT ROWID;
  CREATE TABLE waiters (
    session TEXT NOT NULL,
    ticket INTEGER NOT NULL,
    heartbeat INTEGER NOT NULL,
    PRIMARY KEY (session, ticket)
  ) WITHOUT ROWID;`,
  "ALTER TABLE sessions ADD COLUMN holder TEXT NOT NULL DEFAULT ''",
];

const SETUP_TIMEOUT_MS = 10_000;
const SETUP_PAUSE_MS = 10;

/** Brings a database to the present schema. Safe when several processes do it at once. Refuses what is not a session database. */
export function prepareSchema(database: SqliteDatabase, path: string): void {
  whenFree(() => assertOurs(database, path));
  whenFree(() => database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
  whenFree(() => migrate(database));
}

function assertOurs(database: SqliteDatabase, path: string): void {
  // In this order: another process may be making the schema, which sets both at once.
  const hasTables = database.prepare("SELECT name FROM sqlite_master LIMIT 1").all().length > 0;
  const version = versionOf(database);
  if (version > MIGRATIONS.length) {
    const detail = `its schema is version ${version}, this program knows ${MIGRATIONS.length}`;
    throw new FlowerError("bad-config", `The session database "${path}" was written by a newer flower-agents: ${detail}. Upgrade it.`);
  }
  if (hasTables && version === 0) {
    throw new FlowerError("bad-config", `"${path}" already holds other tables. Give the session store a database of its own.`);
  }
}

function migrate(database: SqliteDatabase): void {
  if (versionOf(database) === MIGRATIONS.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const step of MIGRATIONS.slice(versionOf(database))) database.exec(step);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function versionOf(database: SqliteDatabase): number {
  const [row] = database.prepare("PRAGMA user_version").all() as { user_version: number }[];
  return row?.user_version ?? 0;
}

/** Once per store, in its constructor: here alone a lock is waited for by blocking. */
function whenFree(work: () => void): void {
  const until = Date.now() + SETUP_TIMEOUT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETUP_PAUSE_MS);
    }
  }
}
