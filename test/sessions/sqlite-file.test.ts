import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SqliteDatabase } from "../../src/sessions/sqlite.ts";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import { turn } from "../../src/testing/session-store-fixture.ts";
import { tempFolder } from "./fixtures.ts";

const Database = createRequire(import.meta.url)("libsql") as new (path: string) => SqliteDatabase;

describe("the file of a session database", () => {
  let temp: ReturnType<typeof tempFolder>;
  let path: string;
  beforeEach(() => {
    temp = tempFolder();
    path = join(temp.folder, "data", "chat.db");
  });
  afterEach(() => temp.remove());

  it("is made with its folder, and can be read by its owner only, side files included", async () => {
    const store = new SqliteSessionStore(path);
    await turn(store, "s", "1");
    for (const suffix of ["", "-wal", "-shm"]) expect((statSync(path + suffix).mode & 0o777).toString(8)).toBe("600");
    await store.close();
  });

  it("holds everything by itself after close", async () => {
    const store = new SqliteSessionStore(path);
    await turn(store, "s", "1");
    await store.close();
    const copy = join(temp.folder, "copy.db");
    writeFileSync(copy, readFileSync(path));
    await using copied = new SqliteSessionStore(copy);
    expect((await copied.read("s"))?.history.length).toBe(2);
  });

  it("that is no database is refused with what to do, and stays as it is", () => {
    const file = join(temp.folder, "notes.txt");
    const text = "these are my notes, not a database\n".repeat(200);
    writeFileSync(file, text);
    expect(() => new SqliteSessionStore(file)).toThrow(/notes\.txt.*cannot be read.*Nothing was changed.*backup/);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it.each(["", "folder", "notes.txt/x.db"])("cannot be where none can be (%j): refused with its path, and nothing is made", (name) => {
    writeFileSync(join(temp.folder, "notes.txt"), "notes");
    mkdirSync(join(temp.folder, "folder"));
    const place = name && join(temp.folder, name);
    const refusal = { code: "bad-config", message: expect.stringContaining(`The session database "${place}" cannot be opened: `) };
    expect(() => new SqliteSessionStore(place)).toThrow(expect.objectContaining(refusal));
    expect(readdirSync(temp.folder).toSorted()).toEqual(["folder", "notes.txt"]);
  });

  it("that was damaged gives an error that says what to do, and stays as it is", async () => {
    const store = new SqliteSessionStore(path);
    for (let i = 0; i < 30; i++) await turn(store, "s", String(i).repeat(200));
    await store.close();
    truncateSync(path, statSync(path).size - 3 * 4096);
    const damaged = readFileSync(path);
    const error = await readAll(path);
    expect(error).toMatchObject({ code: "bad-input", message: expect.stringMatching(/chat\.db.*Nothing was changed.*backup/) });
    expect(readFileSync(path).equals(damaged)).toBe(true);
  });

  it("of a newer version, or of another program, is refused", () => {
    const newer = new Database(join(temp.folder, "newer.db"));
    newer.exec("PRAGMA user_version = 99");
    newer.close();
    expect(() => new SqliteSessionStore(join(temp.folder, "newer.db"))).toThrow(/newer flower-agents.*Upgrade/);
    const other = new Database(join(temp.folder, "other.db"));
    other.exec("CREATE TABLE customers (id)");
    other.close();
    expect(() => new SqliteSessionStore(join(temp.folder, "other.db"))).toThrow(/other tables.*its own/);
  });

  it("may be opened by the caller, who also closes it", async () => {
    const database = new Database(join(temp.folder, "mine.db"));
    const store = new SqliteSessionStore(database);
    await turn(store, "s", "1");
    await store.close();
    expect(database.prepare("SELECT id FROM sessions").all()).toEqual([{ id: "s" }]);
    database.close();
  });

  it("stays under 100 KB for 200 short turns", async () => {
    const store = new SqliteSessionStore(path);
    for (let i = 0; i < 200; i++) await turn(store, "s", String(i));
    await store.close();
    expect(statSync(path).size).toBeLessThan(100 * 1024);
  });
});

async function readAll(path: string): Promise<unknown> {
  try {
    await using store = new SqliteSessionStore(path);
    await store.read("s");
    await store.turns("s");
    return undefined;
  } catch (error) {
    return error;
  }
}
