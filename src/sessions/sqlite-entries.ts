import { toInstant } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { isRecord, parseJson } from "../core/json.ts";
import type { Message, Role } from "../messages/message.ts";
import type { Usage } from "../messages/usage.ts";
import type { EntryRow } from "./sqlite-queries.ts";
import type { JournalEntry } from "./store.ts";

/** What an entry's row holds besides its place, in the order of its columns. */
export type StoredEntry = readonly [type: string, id: string | null, at: number | null, payload: string];

/**
 * A journal entry as it is stored. Of a message, id and instant have columns of their own, and its role is its type, or `person`; a
 * sole plain text stands as `text` instead of in `parts`, and counts of 0 tokens are left out: most messages are such, and this makes
 * a database a third smaller.
 */
export function toStored(entry: JournalEntry): StoredEntry {
  switch (entry.type) {
    case "message":
      return toStoredMessage(entry.message);
    case "call-result":
      return [entry.type, null, null, JSON.stringify(entry.result)];
    case "call-started":
    case "aborted": {
      const { type, ...fields } = entry;
      return [type, null, null, JSON.stringify(fields)];
    }
    default:
      return entry satisfies never;
  }
}

/** A stored entry. Throws `history-invalid`, naming session and entry, when the row holds something else. */
export function toEntry(row: EntryRow, sessionId: string): JournalEntry {
  if (MESSAGE_TYPES.has(row.type)) return { type: "message", message: toMessage(row, sessionId) };
  const payload = parseJson(row.payload);
  if (!isRecord(payload)) throw invalidEntry(row, sessionId);
  switch (row.type) {
    case "call-result":
      return { type: "call-result", result: payload } as unknown as JournalEntry;
    case "call-started":
    case "aborted":
      return { type: row.type, ...payload } as JournalEntry;
    default:
      throw invalidEntry(row, sessionId);
  }
}

/** A stored message. Throws `history-invalid` when the row holds something else. */
export function toMessage(row: EntryRow, sessionId: string): Message {
  const payload: unknown = parseJson(row.payload);
  if (!isRecord(payload) || row.id === null || !MESSAGE_TYPES.has(row.type)) throw invalidEntry(row, sessionId);
  const { text, parts = [{ type: "text", text }], ...rest } = payload;
  if (!Array.isArray(parts) || !parts.every(isRecord)) throw invalidEntry(row, sessionId);
  if (row.at !== null) rest["at"] = toInstant(row.at);
  if (isRecord(rest["usage"])) rest["usage"] = { ...NO_TOKENS, ...rest["usage"] };
  const role = row.type === PERSON ? { role: "user", origin: "person" } : { role: row.type };
  return { id: row.id, ...role, parts, ...rest } as unknown as Message;
}

/** The type of a user message whose origin is a person. */
const PERSON = "person";
const MESSAGE_TYPES: ReadonlySet<string> = new Set<Role | typeof PERSON>([PERSON, "user", "model", "tool", "system"]);
const NO_TOKENS: Usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

function toStoredMessage({ role, origin, id, at, parts, usage, ...rest }: Message): StoredEntry {
  const ms = Date.parse(at);
  const isOurs = !Number.isNaN(ms) && toInstant(ms) === at;
  const [only] = parts;
  const isPlainText = parts.length === 1 && only?.type === "text" && only.providerMetadata === undefined;
  const content = isPlainText ? { text: only.text } : { parts };
  const isPersons = role === "user" && origin === "person";
  // Undefined fields are not written.
  const whole = {
    at: isOurs ? undefined : at,
    origin: isPersons ? undefined : origin,
    usage: usage && toCompact(usage),
    ...content,
    ...rest,
  };
  return [isPersons ? PERSON : role, id, isOurs ? ms : null, JSON.stringify(whole)];
}

function toCompact({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costUsd }: Usage): Partial<Usage> {
  return {
    inputTokens: inputTokens || undefined,
    cacheReadTokens: cacheReadTokens || undefined,
    cacheWriteTokens: cacheWriteTokens || undefined,
    outputTokens: outputTokens || undefined,
    costUsd,
  };
}

function invalidEntry(row: EntryRow, sessionId: string): FlowerError {
  return new FlowerError("history-invalid", `Session "${sessionId}": stored entry ${row.no} is not a valid ${row.type}.`, {
    details: { sessionId, entry: row.no },
  });
}
