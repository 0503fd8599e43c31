import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HumanChannel } from "../../src/human/channel.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { readRunLock } from "../../src/workbench/run-lock.ts";
import { failedAt } from "../../src/workflow/ctx.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { openStage } from "./stage.ts";

const workflow = (channel?: HumanChannel) => new Workflow([new Step("work", { agent: worker(), prompt: "go" })], { channel });
const holder = (stage: ReturnType<typeof openStage>) => readRunLock(stage.runtime.runDir, "workflow", stage.runtime.clock);

test("the workflow's lock is held while it runs, and given back however it ends", async () => {
  const held: unknown[] = [];
  const stage = openStage([
    async () => {
      held.push(await holder(stage));
      throw new Error("boom");
    },
  ]);
  const ctx = await stage.run(workflow());
  expect(held).toMatchObject([{ runId: stage.runtime.runId }]);
  expect(failedAt(ctx)).toBe("work");
  expect(await holder(stage)).toBeUndefined();
});

test("a run that cannot even begin gives the lock back", async () => {
  const channel = new HumanChannel({ timeoutMs: null });
  const open = channel.ask("is anybody there?").catch(() => {});
  const stage = openStage([]);
  await expect(stage.run(workflow(channel))).rejects.toMatchObject({ code: "bad-config" });
  expect(await holder(stage)).toBeUndefined();
  expect(stage.events.at(-1)?.payload).toMatchObject({ type: "run-end", outcome: "failed", exitCode: 1 });
  await channel.close();
  await open;
});

test("a run that was taken over by another process stops by itself", async () => {
  const clock = new FakeClock();
  const stage = openStage(
    [
      async () => {
        const path = join(stage.runtime.runDir, "workflow.lock");
        const lock = JSON.parse(await readFile(path, "utf8"));
        await writeFile(path, JSON.stringify({ ...lock, token: "another" }));
        return new Promise<never>(() => {});
      },
    ],
    { clock },
  );
  const running = stage.run(workflow());
  let over = false;
  void running.finally(() => {
    over = true;
  });
  while (!over) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 1)); // the heartbeat reads a file
  }
  expect(failedAt(await running)).toBe("work");
  expect(stage.tasks("run-end")[0]?.payload).toMatchObject({
    outcome: "interrupted",
    reason: expect.stringContaining("Another process took over"),
  });
});
