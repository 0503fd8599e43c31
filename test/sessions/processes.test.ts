import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { textOf } from "../../src/messages/message.ts";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import { turn } from "../../src/testing/session-store-fixture.ts";
import { startChild } from "./child.ts";
import { tempFolder } from "./fixtures.ts";
import { SuspendedClock } from "./suspended-clock.ts";

describe("several processes on one session", () => {
  let temp: ReturnType<typeof tempFolder>;
  let path: string;
  beforeEach(() => {
    temp = tempFolder();
    path = join(temp.folder, "chat.db");
  });
  afterEach(() => temp.remove());

  it("commit every turn whole, numbered without gaps, and none starves", { timeout: 60_000 }, async () => {
    const names = ["a", "b", "c", "d"];
    const children = names.map((name) => startChild("talker", path, name, "50"));
    for (const child of children) expect(await child.line()).toBe("ready");
    for (const child of children) child.process.stdin.write("go\n");
    for (const child of children) expect(await child.exit).toEqual([0, null]);

    await using store = new SqliteSessionStore(path);
    const state = await store.read("s");
    expect(state?.commit).toBe(200);
    const said = state!.history.map(textOf);
    const asked = said.filter((_, index) => index % 2 === 0);
    expect(said).toEqual(asked.flatMap((text) => [text, `re: ${text}`]));
    for (const name of names) {
      expect(asked.filter((text) => text.startsWith(name))).toEqual(Array.from({ length: 50 }, (_, i) => `${name} ${i}`));
      expect(asked.slice(0, 150).filter((text) => text.startsWith(name)).length).toBeGreaterThan(0); // how many is the machine's affair
    }
    expect((await store.turns("s")).every(({ status }) => status === "committed")).toBe(true);
  });

  it("take over from one that was stopped past its lease, which then cannot write", async () => {
    const sleeper = startChild("sleeper", path, "60000");
    expect(await sleeper.line()).toBe("holding");
    const clock = new SuspendedClock(Date.now());
    await using store = new SqliteSessionStore(path, { clock });
    await expect(store.open("s", { onBusy: "reject" })).rejects.toMatchObject({ code: "session-busy" });
    sleeper.process.kill("SIGSTOP");
    clock.skip(3_600_000);
    const lease = await store.open("s");
    expect(lease.state.open).toMatchObject({ turnId: "sleeper's", paused: false });
    await lease.rollback("its process stood still");
    await lease.release();
    await turn(store, "s", "mine");
    const answer = sleeper.line();
    sleeper.process.kill("SIGCONT");
    sleeper.process.stdin.write("go\n");
    expect(await answer).toBe("lease-lost true");
    expect((await store.read("s"))?.history.map(textOf)).toEqual(["mine", "re: mine"]);
    expect((await store.journal("s", "sleeper's")).length).toBe(1);
  });
});
