import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import { startChild } from "./child.ts";
import { tempFolder } from "./fixtures.ts";

const AN_HOUR = "3600000";

it("a session whose holder was killed is free at once, with the turn it left open, long before the lease is over", async () => {
  const { folder, remove } = tempFolder();
  onTestFinished(remove);
  const path = join(folder, "chat.db");
  const holder = startChild("sleeper", path, AN_HOUR);
  expect(await holder.line()).toBe("holding");
  await using store = new SqliteSessionStore(path);
  await expect(store.open("s", { onBusy: "reject" })).rejects.toMatchObject({ code: "session-busy" });
  const queued = store.open("s");
  holder.process.kill("SIGKILL");
  await holder.exit;
  const lease = await queued;
  expect(lease.state.open).toMatchObject({ turnId: "sleeper's", paused: false });
  await lease.rollback("its process was killed");
  await lease.release();
  await (await store.open("s", { onBusy: "reject" })).release();
});
