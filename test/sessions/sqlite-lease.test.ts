import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SqliteDatabase } from "../../src/sessions/sqlite.ts";
import { journal, turn, user } from "../../src/testing/session-store-fixture.ts";
import { LEASE_MS, type SqliteFixture, sqliteFixture } from "./fixtures.ts";

const Database = createRequire(import.meta.url)("libsql") as new (path: string) => SqliteDatabase;

describe("a lease in a database", () => {
  let fixture: SqliteFixture;
  beforeEach(() => {
    fixture = sqliteFixture();
  });
  afterEach(() => fixture.cleanup());

  it("is renewed for as long as its holder lives", async () => {
    const { store, clock } = fixture;
    const other = await fixture.reopen();
    const lease = await store.open("s");
    await lease.begin("t");
    await clock.advance(LEASE_MS * 5);
    await expect(other.open("s", { onBusy: "reject" })).rejects.toMatchObject({ code: "session-busy" });
    await journal(lease, user("still here"));
    expect(lease.lost?.aborted).toBe(false);
    await lease.release();
  });

  it("that expired is told so by the next renewal, outside of any transaction", async () => {
    const { store, clock } = fixture;
    const lease = await store.open("s");
    const heard = new Promise<void>((resolve, reject) => {
      lease.lost?.addEventListener("abort", () => lease.release().then(resolve, reject));
    });
    clock.skip(LEASE_MS + 1);
    await clock.advance(LEASE_MS);
    await heard;
    expect(lease.lost?.reason).toMatchObject({ code: "lease-lost" });
    await turn(store, "s", "next");
  });

  it("leaves no timer behind once it is released", async () => {
    const { store, clock } = fixture;
    await turn(store, "s", "1");
    await clock.advance(LEASE_MS);
    expect(clock.timers).toBe(0);
  });

  it("is not kept when the session cannot be loaded", async () => {
    const { store, path } = fixture;
    await turn(store, "s", "1");
    const database = new Database(path);
    database.exec("UPDATE entries SET payload = '{' WHERE type = 'model'");
    const other = await fixture.reopen();
    for (let i = 0; i < 2; i++) {
      await expect(other.open("s", { onBusy: "reject" })).rejects.toMatchObject({
        code: "history-invalid",
        message: expect.stringContaining('"s"'),
      });
    }
    database.exec("DELETE FROM sessions");
    database.close();
  });

  it("waits, without blocking the process, while another program has the database locked", async () => {
    const { store, path } = fixture;
    const lease = await store.open("s");
    const locker = new Database(path);
    locker.exec("BEGIN IMMEDIATE");
    const written = Promise.all([lease.begin("t"), journal(lease, user("1")), lease.append({ type: "aborted", text: "", reason: "" })]);
    let ticks = 0;
    while (ticks < 20) await new Promise<void>((resolve) => setImmediate(() => resolve(void ticks++)));
    expect((await store.turns("s")).length).toBe(0);
    locker.exec("COMMIT");
    await written;
    expect((await store.journal("s", "t")).map((entry) => entry.type)).toEqual(["message", "aborted"]);
    await lease.release();
    locker.close();
  });

  it("goes to those who wait in other processes before one that opens again and again", async () => {
    const { store } = fixture;
    const other = await fixture.reopen();
    const lease = await store.open("s");
    let served = false;
    const waiting = other.open("s").then(async (next) => {
      served = true;
      await next.release();
    });
    await new Promise<void>((resolve) => setImmediate(resolve));
    await lease.release();
    for (let i = 0; i < 3; i++) await (await store.open("s")).release();
    expect(served).toBe(true);
    await waiting;
  });

  it("passes over one that waited and died", async () => {
    const { store, path, clock } = fixture;
    const lease = await store.open("s");
    const database = new Database(path);
    database.exec(`INSERT INTO waiters VALUES ('s', 1, ${clock.now()})`);
    await lease.release();
    await expect(store.open("s", { onBusy: "reject" })).rejects.toMatchObject({ code: "session-busy" });
    clock.skip(6_000);
    await turn(store, "s", "1");
    const next = await store.open("s");
    const behind = (await fixture.reopen()).open("s");
    await next.release();
    await (await behind).release();
    expect(database.prepare("SELECT * FROM waiters").all()).toEqual([]);
    database.close();
  });

  it("given up while waiting leaves no place in the line", async () => {
    const { store, path } = fixture;
    const other = await fixture.reopen();
    const lease = await store.open("s");
    const controller = new AbortController();
    const waiting = other.open("s", { signal: controller.signal });
    await new Promise<void>((resolve) => setImmediate(resolve));
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    const closed = (await fixture.reopen()).open("s").catch(() => {});
    await lease.release();
    await closed.then((opened) => opened?.release());
    const database = new Database(path);
    expect(database.prepare("SELECT * FROM waiters").all()).toEqual([]);
    database.close();
  });

  it("of a store that was closed while it was being opened is free for others", async () => {
    const { store, path } = fixture;
    const other = await fixture.reopen();
    const locker = new Database(path);
    await turn(store, "s", "1");
    locker.exec("BEGIN IMMEDIATE");
    const opening = store.open("s").then(
      () => "opened",
      (error: Error) => error.message,
    );
    const closing = store.close();
    locker.exec("COMMIT");
    locker.close();
    expect(await opening).toContain("closed");
    await closing;
    await (await other.open("s", { onBusy: "reject" })).release();
  });
});
