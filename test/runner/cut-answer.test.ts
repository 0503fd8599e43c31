import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agents/agent.ts";
import { ScriptedEngine } from "../../src/engines/scripted.ts";
import { Runner } from "../../src/runner/runner.ts";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import { newFolder } from "../folder.ts";
import { SuspendedClock } from "../sessions/suspended-clock.ts";
import { runChild } from "./child.ts";
import { STORES, stage } from "./stage.ts";

it.each(STORES)("an answer that is cut at the output limit is never an ordinary one (%s)", async (_name, make) => {
  const { runner } = stage([{ text: "As far as", finish: "length" }, "Whole."], { fixture: make() });
  expect(await runner.run("s", "one")).toMatchObject({ content: "As far as", finishReason: "length" });
  expect(await runner.run("s", "two")).toMatchObject({ content: "Whole.", finishReason: "done" });
  expect((await runner.session("s"))?.history.map((message) => message.cut)).toEqual([undefined, true, undefined, undefined]);
});

it("nor is a checked one when the process is killed before the commit and another one recovers the turn, without asking the model", async () => {
  const folder = newFolder();
  expect((await runChild("cut-answer", folder)).signal).toBe("SIGKILL");
  const clock = new SuspendedClock(Date.now());
  clock.skip(3_600_000);
  const engine = new ScriptedEngine([]);
  const sessionStore = new SqliteSessionStore(join(folder, "chat.db"), { clock });
  await using runner = new Runner({
    startingAgent: new Agent({ name: "Bot", outputSchema: z.object({ as: z.string() }) }),
    engine,
    sessionStore,
  });
  expect(await runner.recover("s")).toMatchObject({ output: { as: "far" }, finishReason: "length", iterations: 1 });
  expect(engine.requests).toHaveLength(0);
});
