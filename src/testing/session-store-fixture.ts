import assert from "node:assert/strict";
import { isFlowerError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { CallPart, Message } from "../messages/message.ts";
import type { CommitOptions, JournalEntry, SessionLease, SessionStore } from "../sessions/store.ts";

/** A store to be tested, with nothing in it. */
export interface SessionStoreFixture {
  readonly store: SessionStore;
  /** Another store over the same data, as another process would have it; the first stays open. A store in memory returns itself. */
  reopen(): Promise<SessionStore>;
  /** Whether the data outlives the store object. */
  readonly durable: boolean;
  /** Lets every lease expire as if its holder's process stood still: no timer of `store` fires. Left out where no lease expires. */
  expireLeases?(): void | Promise<void>;
  /** Closes and removes everything. */
  cleanup(): Promise<void>;
}

export type MakeSessionStore = () => SessionStoreFixture | Promise<SessionStoreFixture>;

export interface SessionStoreCase {
  /** A property: what holds. */
  readonly name: string;
  /** The number in the documentation of `SessionStore`. */
  readonly guarantee: number;
  run(fixture: SessionStoreFixture): Promise<void>;
}

export function user(text: string): Message {
  return { id: newId(), role: "user", parts: [{ type: "text", text }], at: "2025-01-01T00:00:00.000Z" };
}

export function model(text: string, calls: readonly CallPart[] = []): Message {
  return { id: newId(), role: "model", parts: [{ type: "text", text }, ...calls], at: "2025-01-01T00:00:01.000Z", agent: "A" };
}

export function call(callId: string, name = "look"): CallPart {
  return { type: "call", callId, name, args: { at: "this" } };
}

export function results(...calls: readonly CallPart[]): Message {
  const parts = calls.map(({ callId, name }) => {
    return { type: "result", callId, name, content: [{ type: "text", text: "seen" }], isError: false } as const;
  });
  return { id: newId(), role: "tool", parts, at: "2025-01-01T00:00:02.000Z" };
}

export function entry(message: Message): JournalEntry {
  return { type: "message", message };
}

/** Appends messages to the open turn. */
export async function journal(lease: SessionLease, ...messages: readonly Message[]): Promise<void> {
  for (const message of messages) await lease.append(entry(message));
}

/** One whole turn, from opening the session to releasing it. Returns its two messages. */
export async function turn(store: SessionStore, sessionId: string, text: string, commit: Partial<CommitOptions> = {}): Promise<Message[]> {
  const messages = [user(text), model(`re: ${text}`)];
  const lease = await store.open(sessionId);
  await lease.begin(`turn ${text}`);
  await journal(lease, ...messages);
  await lease.commit({ end: true, ...commit });
  await lease.release();
  return messages;
}

/** Asserts that a call rejects with a FlowerError of this code. */
export async function rejectsWith(code: Parameters<typeof isFlowerError>[1], promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => isFlowerError(error, code) || assert.fail(`expected ${code}, got ${String(error)}`));
}

/** Lets everything happen that can happen without time passing or another process. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
