import { FlowerError } from "../core/errors.ts";
import { isRecord, parseJson } from "../core/json.ts";
import type { Message, Role } from "../messages/message.ts";
import type { EntryRow } from "./sqlite-queries.ts";
import type { JournalEntry } from "./store.ts";

/**
 * A journal entry as it is stored. A message has its role for its type, and a sole plain text stands as `text` instead of in `parts`:
 * most messages are such, and this makes a database a fifth smaller.
 */
export function toStored(entry: JournalEntry): Pick<EntryRow, "type" | "payload"> {
  switch (entry.type) {
    case "message":
      return { type: entry.message.role, payload: JSON.stringify(toCompact(entry.message)) };
    case "call-result":
      return { type: entry.type, payload: JSON.stringify(entry.result) };
    case "call-started":
    case "aborted": {
      const { type, ...fields } = entry;
      return { type, payload: JSON.stringify(fields) };
    }
    default:
      return entry satisfies never;
  }
}

/** A stored entry. Throws `history-invalid`, naming session and entry, when the row holds something else. */
export function toEntry(row: EntryRow, sessionId: string): JournalEntry {
  if (ROLES.has(row.type)) return { type: "message", message: toMessage(row, sessionId) };
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
  if (!isRecord(payload) || typeof payload["id"] !== "string" || !ROLES.has(row.type)) throw invalidEntry(row, sessionId);
  const { id, text, parts = [{ type: "text", text }], ...rest } = payload;
  if (!Array.isArray(parts) || !parts.every(isRecord)) throw invalidEntry(row, sessionId);
  return { id, role: row.type, parts, ...rest } as unknown as Message;
}

const ROLES: ReadonlySet<string> = new Set<Role>(["user", "model", "tool", "system"]);

function toCompact({ role: _type, parts, ...rest }: Message): object {
  const [only] = parts;
  const isPlainText = parts.length === 1 && only?.type === "text" && only.providerMetadata === undefined;
  return isPlainText ? { ...rest, text: only.text } : { ...rest, parts };
}

function invalidEntry(row: EntryRow, sessionId: string): FlowerError {
  return new FlowerError("history-invalid", `Session "${sessionId}": stored entry ${row.no} of a turn is not a valid ${row.type}.`, {
    details: { sessionId, entry: row.no },
  });
}
