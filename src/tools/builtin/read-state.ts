import { createHash } from "node:crypto";

const MOST_SESSIONS = 500;

/**
 * Which content of which file each session has seen. A file may be changed only by a session that has seen what it would
 * overwrite. Compared by content: a touched but equal file has not changed; one changed within the clock's grain has.
 */
export class ReadState {
  readonly #sessions = new Map<string, Map<string, string>>();

  /** The session has seen, or itself written, this content. */
  record(sessionId: string, path: string, content: Buffer): void {
    const files = this.#sessions.get(sessionId) ?? new Map<string, string>();
    files.set(path, hash(content));
    this.#sessions.delete(sessionId); // set again below: the most recently used stand last
    this.#sessions.set(sessionId, files);
    const oldest = this.#sessions.keys().next();
    if (this.#sessions.size > MOST_SESSIONS && !oldest.done) this.#sessions.delete(oldest.value);
  }

  compare(sessionId: string, path: string, content: Buffer): "unread" | "changed" | "same" {
    const seen = this.#sessions.get(sessionId)?.get(path);
    if (seen === undefined) return "unread";
    return seen === hash(content) ? "same" : "changed";
  }
}

function hash(content: Buffer): string {
  return createHash("sha256").update(content).digest("base64");
}
