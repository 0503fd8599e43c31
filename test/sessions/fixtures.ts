import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FaultHook } from "../../src/sessions/fault.ts";
import { MemorySessionStore } from "../../src/sessions/memory.ts";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import type { SessionStoreFixture } from "../../src/testing/session-store.ts";
import { SuspendedClock } from "./suspended-clock.ts";

export const LEASE_MS = 30_000;

export function memoryFixture(fault?: FaultHook): SessionStoreFixture {
  const store = new MemorySessionStore({ fault });
  return { store, durable: false, reopen: async () => store, cleanup: () => store.close() };
}

export interface SqliteFixture extends SessionStoreFixture {
  readonly path: string;
  readonly store: SqliteSessionStore;
  readonly clock: SuspendedClock;
}

/** A database in a folder of its own; all its stores share a clock that stands still. */
export function sqliteFixture(fault?: FaultHook): SqliteFixture {
  const { folder, remove } = tempFolder();
  const path = join(folder, "chat.db");
  const clock = new SuspendedClock();
  const stores = [new SqliteSessionStore(path, { clock, leaseMs: LEASE_MS, fault })];
  return {
    path,
    clock,
    store: stores[0]!,
    durable: true,
    async reopen() {
      const store = new SqliteSessionStore(path, { clock, leaseMs: LEASE_MS });
      stores.push(store);
      return store;
    },
    expireLeases: () => clock.skip(LEASE_MS + 1),
    async cleanup() {
      await Promise.all(stores.map((store) => store.close()));
      remove();
    },
  };
}

export function tempFolder(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "flower-sessions-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}
