import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processState } from "../../src/core/process-state.ts";
import { acquireRunLock, readRunLock } from "../../src/workbench/run-lock.ts";
import { deadUnseen } from "../dead-unseen.ts";
import { newFolder } from "../folder.ts";

test.runIf(process.platform === "linux")("a holder that is dead, though its parent has not looked, keeps nobody out", async () => {
  const folder = newFolder();
  const path = join(folder, "flow.lock");
  await using _own = await acquireRunLock(folder, "flow", { runId: "r1" });
  const pid = await deadUnseen();
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), pid, started: processState(pid)?.start }));
  expect(await readRunLock(folder, "flow")).toBeUndefined();
});
