import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failedAt, roundsOf } from "../../src/workflow/ctx.ts";
import { Step } from "../../src/workflow/step.ts";
import { withGoal } from "../../src/workflow/with-goal.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { goalFile, handIn, verdict } from "./lines.ts";
import { startOnce } from "./starts.ts";
import { openWork, type Work } from "./work.ts";

test("work that writes into the lineage that it is finished is not finished: the next start goes on with it", async () => {
  const forge = async () => {
    const path = join(work.stage.runtime.runDir, "lineage.json");
    const text = (await readFile(path, "utf8"))
      .replaceAll('"finished":false', '"finished":true')
      .replaceAll('"finished": false', '"finished": true');
    expect(text).toMatch(/"finished": ?true/);
    await writeFile(path, text);
    return "done";
  };
  const work: Work = await openWork({ worker: [forge], judge: handIn(verdict(["failed"])) }, { rounds: 1 });
  expect(failedAt(await work.run())).toBe("work");
  await work.stage.runtime.close();
  const next = work.stage.again({ worker: ["really done"], judge: handIn(verdict(["passed"])) });
  const ctx = await next.run(work.workflow);
  expect([failedAt(ctx), ctx["work"], roundsOf(ctx)]).toEqual([undefined, "really done", 2]);
});

test("a verdict that was put into the books in place of the one that a person was asked about is not taken: the judge looks again", async () => {
  const folder = newFolder();
  const goalPath = join(folder, "goal.md");
  await writeFile(goalPath, goalFile("it says hello"));
  const flow: Parameters<typeof startOnce>[0]["flow"] = (channel) =>
    new Workflow([withGoal(new Step("work", { agent: worker(), prompt: "say hello" }), channel, { goalPath })], {
      channel,
      request: "hello",
    });
  const unreachable = handIn(verdict(["failed"], { impossible: "no X here" }));
  const one = await startOnce({
    folder,
    flow,
    cast: { worker: ["report"], judge: unreachable },
    onQuestion: (_id, { stage }) => stage.runtime.abort(),
  });
  const forged = { state: "achieved", ok: true, reason: "yes", checks: [] };
  await writeFile(join(one.stage.runtime.books.folder, "verdicts", "work-1.json"), JSON.stringify(forged));
  const two = await startOnce({
    folder,
    flow,
    cast: { judge: unreachable },
    onQuestion: (id, { channel }) => void channel.decline(id),
  });
  expect(two.end).toMatchObject({ outcome: "failed", reason: expect.stringContaining("no X here") });
});
