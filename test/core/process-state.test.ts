import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive, processState } from "../../src/core/process-state.ts";
import { deadUnseen } from "../dead-unseen.ts";
import { newFolder } from "../folder.ts";

test("this process runs, and so does one that belongs to somebody else", () => {
  expect([isAlive(process.pid), isAlive(1)]).toEqual([true, true]);
});

test.runIf(process.platform === "linux")("a process has its start, whatever its name holds", async () => {
  const program = join(newFolder(), "x) Z 1 2");
  copyFileSync("/bin/sleep", program);
  const named = spawn(program, ["600"], { stdio: "ignore" });
  onTestFinished(() => void named.kill("SIGKILL"));
  await once(named, "spawn");
  expect(processState(named.pid as number)).toEqual({ start: expect.stringMatching(/^\d{2,}$/), hasEnded: false });
});

test.runIf(process.platform === "linux")("a dead process that its parent has not looked at runs no more, and keeps its start", async () => {
  const pid = await deadUnseen();
  expect(processState(pid)).toEqual({ start: expect.stringMatching(/^\d+$/), hasEnded: true });
  expect(isAlive(pid)).toBe(false);
});
