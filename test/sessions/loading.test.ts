import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { checkHistory, INTERRUPTED_RESULT } from "../../src/messages/history.ts";
import { type SqliteDatabase, SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import { call, journal, model, results, turn, user } from "../../src/testing/session-store-fixture.ts";
import { sqliteFixture } from "./fixtures.ts";

const Database = createRequire(import.meta.url)("libsql") as new (path: string) => SqliteDatabase;

/** A session of which the stored results of a call are lost, as an older program could leave it. */
async function withoutResults() {
  const fixture = sqliteFixture();
  const lease = await fixture.store.open("s");
  await lease.begin("t");
  const asked = call("c1");
  await journal(lease, user("hi"), model("", [asked]), results(asked));
  await lease.commit({ end: true });
  await lease.release();
  const database = new Database(fixture.path);
  database.exec("DELETE FROM entries WHERE type = 'tool'");
  return { fixture, database };
}

describe("a stored session", () => {
  it("whose last calls lost their results gets results that say so, the same at every load", async () => {
    const { fixture, database } = await withoutResults();
    const first = await (await fixture.reopen()).read("s");
    expect(first?.history.map(({ role }) => role)).toEqual(["user", "model", "tool"]);
    expect(JSON.stringify(first?.history[2])).toContain(INTERRUPTED_RESULT);
    await turn(await fixture.reopen(), "s", "on we go");
    const later = await (await fixture.reopen()).read("s");
    expect(later?.history.slice(0, 3)).toEqual(first?.history);
    expect(later?.history.length).toBe(5);
    expect(checkHistory(later!.history)).toEqual([]);
    database.close();
    await fixture.cleanup();
  });

  it("that is invalid in any other way is refused by open and read, naming session and message", async () => {
    const fixture = sqliteFixture();
    await turn(fixture.store, "s", "1");
    const database = new Database(fixture.path);
    database.exec("UPDATE entries SET type = 'model' WHERE type = 'user'");
    const other = await fixture.reopen();
    for (const refused of [other.open("s"), other.read("s")]) {
      await expect(refused).rejects.toMatchObject({ code: "history-invalid", message: expect.stringMatching(/Session "s".*message 0/) });
    }
    database.close();
    await fixture.cleanup();
  });

  it("that fell out of the cache is read again", async () => {
    const fixture = sqliteFixture();
    const store = new SqliteSessionStore(fixture.path, { cachedSessions: 1 });
    const said = await turn(store, "a", "1");
    await turn(store, "b", "1");
    said.push(...(await turn(store, "a", "2")));
    expect((await store.read("a"))?.history).toEqual(said);
    await store.close();
    await fixture.cleanup();
  });

  it("is as the database has it when it was changed elsewhere, or fell out of the cache, since it was held here", async () => {
    const fixture = sqliteFixture();
    const store = new SqliteSessionStore(fixture.path, { cachedSessions: 1, clock: fixture.clock });
    await turn(store, "a", "1", { activeAgent: "A", metadata: { n: 1 } });
    await turn(store, "a", "2", { activeAgent: "B", metadata: { n: 2 } });
    const [lease, other] = await Promise.all([store.open("a"), store.open("b")]);
    expect([lease.state.commit, lease.state.activeAgent, lease.state.metadata]).toEqual([2, "B", { n: 2 }]);
    await Promise.all([lease.release(), other.release()]);
    await turn(fixture.store, "a", "3", { activeAgent: "C" });
    const next = await store.open("a");
    expect([next.fence, next.state.commit, next.state.activeAgent, next.state.history.length]).toEqual([5, 3, "C", 6]);
    await next.release();
    await store.close();
    await fixture.cleanup();
  });

  it("is not mixed up with one of the same id that was deleted elsewhere", async () => {
    const fixture = sqliteFixture();
    const other = await fixture.reopen();
    await turn(fixture.store, "s", "old");
    expect((await other.read("s"))?.history.length).toBe(2);
    await fixture.store.delete("s");
    const anew = await turn(fixture.store, "s", "new");
    expect((await other.read("s"))?.history).toEqual(anew);
    await fixture.cleanup();
  });
});
