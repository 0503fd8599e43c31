import type { SqliteDatabase, SqliteStatement } from "./sqlite-database.ts";
import type { TurnRecord } from "./store.ts";

export interface SessionRow {
  readonly key: number;
  readonly fence: number;
  readonly commit_no: number;
  readonly active_agent: string | null;
  readonly metadata: string;
  /** The number of the newest turn, 0 = none yet. */
  readonly turn_no: number;
  /** The number of the turn that is open or paused. */
  readonly open_turn: number | null;
  /** The number of the newest entry; of a turn that is open, perhaps of an earlier one. */
  readonly last_entry: number;
}

export interface EntryRow {
  /** Counted from 1 in its session. */
  readonly no: number;
  readonly type: string;
  /** A message's id. */
  readonly id: string | null;
  /** When a message was made, in milliseconds since the epoch; null when it says so in another form than ours. */
  readonly at: number | null;
  readonly payload: string;
}

export interface TurnRow {
  readonly no: number;
  readonly id: string;
  readonly status: TurnRecord["status"];
  /** The newest entry when it began. */
  readonly after_entry: number;
  /** Milliseconds since the epoch. */
  readonly started_at: number;
  readonly reason: string | null;
}

const SESSION_COLUMNS = "key, fence, commit_no, active_agent, metadata, turn_no, open_turn, last_entry";

/** The place of the entry with a number in a session: `place(session, no)`. Bits, so that a driver may bind its numbers as real ones. */
const place = (session: string, no: string) => `((${session} << 32) | ${no})`;
const LAST_NO = "4294967295";
const ENTRY_COLUMNS = `e.place & ${LAST_NO} AS no, e.type, e.id, e.at, e.payload`;
/** Joins commits `c` with the entries `e` that they cover. */
const COVERED = `JOIN entries e ON e.place > ${place("c.session", "c.after_entry")} AND e.place <= ${place("c.session", "c.last_entry")}`;

/** Holds for a lease that may write. Parameters: the session's key, the lease's fence, now. */
const HELD = "key = ? AND fence = ? AND expires_at > ?";

/** Of `turns` joined with `sessions`. */
const TURN_COLUMNS = `turns.no, turns.id, after_entry, started_at, reason,
  coalesce(status, CASE WHEN turns.no = open_turn THEN 'open' ELSE 'committed' END) AS status`;

const SQL = {
  // leases
  take: `UPDATE sessions SET fence = fence + 1, expires_at = ?, holder = ? WHERE id = ? AND expires_at <= ? AND NOT EXISTS
    (SELECT 1 FROM waiters WHERE waiters.session = sessions.id AND ticket < ? AND heartbeat > ?) RETURNING ${SESSION_COLUMNS}`,
  // a session as this process left it: nothing need be read
  retake: `UPDATE sessions SET fence = fence + 1, expires_at = ? WHERE key = ? AND fence = ? AND commit_no = ? AND turn_no = ?
    AND open_turn IS NULL AND expires_at <= ? AND NOT EXISTS
    (SELECT 1 FROM waiters WHERE waiters.session = sessions.id AND heartbeat > ?)`,
  holder: "SELECT key, fence, holder FROM sessions WHERE id = ? AND expires_at > ?",
  isHeld: `SELECT 1 FROM sessions WHERE ${HELD}`,
  renew: `UPDATE sessions SET expires_at = ? WHERE ${HELD}`,
  free: "UPDATE sessions SET expires_at = 0 WHERE key = ? AND fence = ?",
  // the line of those who wait
  join: "INSERT INTO waiters SELECT ?, coalesce(max(ticket), 0) + 1, ? FROM waiters WHERE session = ? RETURNING ticket",
  beat: "UPDATE waiters SET heartbeat = ? WHERE session = ? AND ticket = ?",
  leave: "DELETE FROM waiters WHERE session = ? AND (ticket = ? OR heartbeat <= ?)",
  mustWait: `SELECT 1 FROM sessions WHERE id = ? AND (expires_at > ? OR EXISTS
    (SELECT 1 FROM waiters WHERE waiters.session = sessions.id AND ticket < ? AND heartbeat > ?))`,
  // sessions
  addSession: "INSERT INTO sessions (id) VALUES (?) ON CONFLICT DO NOTHING",
  session: `SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?`,
  isUsed: "SELECT 1 FROM sessions WHERE key = ? AND turn_no > 0",
  list: "SELECT id FROM sessions WHERE commit_no > 0 AND id > ? AND id >= ? AND id < ? ORDER BY id LIMIT ?",
  setOpenTurn: `UPDATE sessions SET open_turn = ?, turn_no = ?, last_entry = ? WHERE ${HELD}`,
  setCommit: `UPDATE sessions SET commit_no = ?, open_turn = ?, last_entry = ?, active_agent = coalesce(?, active_agent),
    metadata = coalesce(?, metadata), expires_at = coalesce(?, expires_at) WHERE ${HELD}`,
  // turns and what they journal
  addTurn: "INSERT INTO turns (session, id, no, after_entry, started_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  setStatus: "UPDATE turns SET status = ?, reason = ? WHERE session = ? AND id = ?",
  turn: `SELECT ${TURN_COLUMNS} FROM turns JOIN sessions ON key = session WHERE session = ? AND turns.no = ?`,
  turns: `SELECT ${TURN_COLUMNS} FROM turns JOIN sessions ON key = session WHERE sessions.id = ? ORDER BY turns.no`,
  addEntry: `INSERT INTO entries (place, type, id, at, payload) SELECT ${place("key", "?")}, ?, ?, ?, ? FROM sessions WHERE ${HELD}`,
  entriesAfter: `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.place > ${place("?", "?")} AND e.place <= ${place("?", LAST_NO)} ORDER BY e.place`,
  journal: `SELECT ${ENTRY_COLUMNS} FROM sessions s JOIN turns t ON t.session = s.key
    JOIN entries e ON e.place > ${place("s.key", "t.after_entry")} AND e.place <= ${place(
      "s.key",
      `coalesce((SELECT n.after_entry FROM turns n WHERE n.session = s.key AND n.no > t.no ORDER BY n.no LIMIT 1), ${LAST_NO})`,
    )} WHERE s.id = ? AND t.id = ? ORDER BY e.place`,
  // commits
  addCommit: "INSERT INTO commits (session, no, turn, after_entry, last_entry, active_agent, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)",
  commit: "SELECT no, turn, last_entry FROM commits WHERE session = ? AND no = ?",
  history: `SELECT ${ENTRY_COLUMNS} FROM commits c ${COVERED}
    WHERE c.session = ? AND c.no > ? AND c.no <= ? AND e.type IN ('person', 'user', 'model', 'tool', 'system') ORDER BY c.no, e.place`,
  // forks: plain parameters only, better-sqlite3 and node:sqlite take numbered ones for named
  forkEntries: `INSERT INTO entries SELECT ${place("?", `(e.place & ${LAST_NO})`)}, e.type, e.id, e.at, e.payload
    FROM commits c ${COVERED} WHERE c.session = ? AND c.no <= ?`,
  forkTurns: `INSERT INTO turns SELECT ?, id, no, after_entry, started_at, NULL, NULL FROM turns WHERE session = ?
    AND no IN (SELECT turn FROM commits WHERE session = ? AND no <= ?)`,
  forkCommits: `INSERT INTO commits SELECT ?, no, turn, after_entry, last_entry, active_agent, metadata FROM commits
    WHERE session = ? AND no <= ?`,
  forkSession: `UPDATE sessions SET commit_no = ?, turn_no = (SELECT max(no) FROM turns WHERE session = ?),
    last_entry = (SELECT max(last_entry) FROM commits WHERE session = ?),
    active_agent = (SELECT active_agent FROM commits WHERE session = ? AND no <= ? AND active_agent IS NOT NULL ORDER BY no DESC),
    metadata = coalesce((SELECT metadata FROM commits WHERE session = ? AND no <= ? AND metadata IS NOT NULL ORDER BY no DESC), '{}')
    WHERE key = ?`,
  // removal
  dropEntries: `DELETE FROM entries WHERE place BETWEEN ${place("?", "0")} AND ${place("?", LAST_NO)}`,
  dropTurns: "DELETE FROM turns WHERE session = ?",
  dropCommits: "DELETE FROM commits WHERE session = ?",
  dropSession: "DELETE FROM sessions WHERE key = ?",
} as const;

/** Every statement the store uses, prepared once. */
export type SqliteQueries = Readonly<Record<keyof typeof SQL, SqliteStatement>>;

export function prepareQueries(database: SqliteDatabase): SqliteQueries {
  return Object.fromEntries(Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])) as Record<
    keyof typeof SQL,
    SqliteStatement
  >;
}
