import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { FlowerError, messageOf } from "../core/errors.ts";
import { makeFolder } from "../core/files.ts";
import { isRecord } from "../core/json.ts";

export type SqliteValue = string | number | null;

/** The part of a prepared statement that is used here; libsql, better-sqlite3 and node:sqlite have it. */
export interface SqliteStatement {
  run(...parameters: SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  /** The first row, or undefined. Much cheaper than `all` for one. */
  get(...parameters: SqliteValue[]): unknown;
  all(...parameters: SqliteValue[]): unknown[];
}

/** The part of a database connection that is used here. A synchronous one: libsql, better-sqlite3 and node:sqlite fit. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  close(): unknown;
}

type DatabaseConstructor = new (path: string) => SqliteDatabase;

/** How long SQLite itself may wait for a lock: it blocks the event loop, so only for a moment. The rest is waited for asynchronously. */
const BUSY_TIMEOUT_MS = 5;
const OWNER_ONLY = 0o600;

/** Opens a database file, making it and its folder when missing. Its files can be read by their owner only. */
export function openDatabaseFile(path: string): SqliteDatabase {
  // Loaded here, not at import: who passes a database of another library needs no libsql.
  const Database = createRequire(import.meta.url)("libsql") as DatabaseConstructor;
  if (path === ":memory:") return new Database(path);
  makeFolder(dirname(path));
  // SQLite gives its side files the mode of the database: made here first, none of them is ever readable by others.
  if (!existsSync(path)) closeSync(openSync(path, "a", OWNER_ONLY));
  const database = new Database(path);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return database;
}

/** Makes the files of a database private, also those that an older program made. */
export function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, OWNER_ONLY);
}

/** True when a lock of another connection is in the way and the same call may succeed later. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error)) || (isRecord(error) && Number(error["errcode"]) % 256 === 5);
}

/** Why no database can be opened or made there; other errors stay as they are. */
export function toPlaceError(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (!/^(?:E[A-Z]+|SQLITE_CANTOPEN.*)$/.test(code) && !/^ConnectionFailed.*\b14\b/s.test(messageOf(error))) return error;
  const why = existsSync(path) && statSync(path).isDirectory() ? "it is a folder" : messageOf(error);
  const advice = "Give the path of a file that can be read and written, or of one to be made";
  return new FlowerError("bad-config", `The session database "${path}" cannot be opened: ${why}. ${advice}.`, { cause: error });
}

/** What SQLite reports, as an error that says which file and what to do. Other errors stay as they are. */
export function toDatabaseError(error: unknown, path: string): unknown {
  const code = codeOf(error);
  const text = messageOf(error);
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code) || /malformed|not a database/.test(text)) {
    const advice = "Nothing was changed. Restore it from a backup, or move it away to start with an empty one";
    return new FlowerError("bad-input", `The session database "${path}" cannot be read: ${text}. ${advice}.`, { cause: error });
  }
  if (code.startsWith("SQLITE_") || code === "ERR_SQLITE_ERROR" || text.startsWith("ConnectionFailed")) {
    return new FlowerError("unknown", `The session database "${path}" failed: ${text}.`, { cause: error });
  }
  return error;
}

function codeOf(error: unknown): string {
  return isRecord(error) && typeof error["code"] === "string" ? error["code"] : "";
}
