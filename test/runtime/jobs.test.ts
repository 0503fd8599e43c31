import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { Script, ScriptedCall } from "../../src/engines/scripted.ts";
import { worker } from "../../src/runtime/roles.ts";
import { isGroupAlive } from "../../src/tools/builtin/group-life.ts";
import { openBench } from "./bench.ts";

const background = (command: string): ScriptedCall => ({ name: "Bash", args: { command, run_in_background: true } });

async function started(script: Script, clock = systemClock) {
  const bench = openBench(script, { clock });
  await bench.finish(bench.runtime.run(worker(), "go"));
  const pids = bench.runtime.books.processes.alive.map(({ pid }) => pid);
  return { ...bench, pids };
}

test.each([
  ["one that ends when told", "sleep 600"],
  ["one that does not", "trap '' TERM; while :; do sleep 1; done"],
])("when the Runtime is closed no background command runs any more: %s", async (_title, command) => {
  const { runtime, pids } = await started([{ calls: [background(command)] }, "left it running"]);
  expect(pids).toHaveLength(1);
  expect(isGroupAlive(pids[0] ?? 0)).toBe(true);
  await runtime.close();
  expect(isGroupAlive(pids[0] ?? 0)).toBe(false);
  expect(runtime.books.processes.alive).toEqual([]);
});

test("its output is among the run's books", async () => {
  const { runtime } = await started([{ calls: [background("echo hello")] }, "done"]);
  expect(existsSync(join(runtime.books.folder, "jobs-1", "bash_1.log"))).toBe(true);
});
