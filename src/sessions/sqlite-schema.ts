import { FlowerError } from "../core/errors.ts";
import { isBusy, type SqliteDatabase } from "./sqlite-database.ts";

/** A database's `user_version`. Those below 3 were never released. Once this one is, what changes it is a step from it, not an edit. */
const VERSION = 3;

/**
 * A session's turns are numbered from 1, and so are its entries; a turn's journal are the entries after `turns.after_entry` up to the
 * next turn's. A commit names a range of them, and the messages of all commits in order are the history: nothing is ever copied or
 * rewritten.
 *
 * `entries.place` is the session's key in the upper 32 bits and the entry's number in the lower: a session stands together, no index
 * is needed, and pages are filled. A message has its role for its type, or `person`.
 * `sessions.key` is never used twice: else the lease of a deleted session could write its successor.
 * `sessions.expires_at` = 0: nobody holds the session; `sessions.holder` is the mark of the process that took it last.
 * `turns.status` is null for the open turn and, so that a commit need not touch it, for a committed one: `sessions.open_turn` tells
 * them apart.
 */
const SCHEMA = `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    fence INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL DEFAULT 0,
    holder TEXT NOT NULL DEFAULT '',
    commit_no INTEGER NOT NULL DEFAULT 0,
    active_agent TEXT,
    metadata TEXT NOT NULL DEFAULT '{}',
    turn_no INTEGER NOT NULL DEFAULT 0,
    open_turn INTEGER,
    last_entry INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE turns (
    session INTEGER NOT NULL,
    id TEXT NOT NULL,
    no INTEGER NOT NULL,
    after_entry INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    status TEXT,
    reason TEXT,
    PRIMARY KEY (session, id)
  ) WITHOUT ROWID;
  CREATE TABLE entries (
    place INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    id TEXT,
    at INTEGER,
    payload TEXT NOT NULL
  );
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
  ) WITHOUT ROWID;
  PRAGMA user_version = ${VERSION}`;

const SETUP_TIMEOUT_MS = 10_000;
const SETUP_PAUSE_MS = 10;

/** Brings a database to the present schema. Safe when several processes do it at once. Refuses what is not a session database. */
export function prepareSchema(database: SqliteDatabase, path: string): void {
  whenFree(() => assertOurs(database, path));
  whenFree(() => database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
  whenFree(() => makeTables(database));
}

function assertOurs(database: SqliteDatabase, path: string): void {
  // In this order: another process may be making the schema, which sets both at once.
  const hasTables = database.prepare("SELECT name FROM sqlite_master LIMIT 1").all().length > 0;
  const version = versionOf(database);
  if (version > VERSION) {
    const detail = `its schema is version ${version}, this program knows ${VERSION}`;
    throw new FlowerError("bad-config", `The session database "${path}" was written by a newer flower-agents: ${detail}. Upgrade it.`);
  }
  if (version > 0 && version < VERSION) {
    const advice = "Nothing was changed. Move it away to start with an empty one";
    const what = `The session database "${path}" was written by a flower-agents before 0.1.0 (schema version ${version})`;
    throw new FlowerError("bad-config", `${what}, which this one cannot read. ${advice}.`);
  }
  if (hasTables && version === 0) {
    throw new FlowerError("bad-config", `"${path}" already holds other tables. Give the session store a database of its own.`);
  }
}

function makeTables(database: SqliteDatabase): void {
  if (versionOf(database) === VERSION) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    if (versionOf(database) === 0) database.exec(SCHEMA); // else another process was faster
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
