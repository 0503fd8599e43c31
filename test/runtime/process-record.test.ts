import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../src/core/process-state.ts";
import { endLeftovers, ProcessRecord } from "../../src/runtime/process-record.ts";
import { newFolder } from "../folder.ts";

/** A process group of its own that would sleep for a long time. */
async function startGroup() {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  await once(child, "spawn");
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    pid: child.pid as number,
    child,
    entry: { pid: child.pid as number, startedAt: "2026-01-01T00:00:00.000Z", command: "sleep 600" },
  };
}

const read = async (path: string) => JSON.parse(await readFile(path, "utf8")) as { pid: number; ticks?: string }[];

test("what runs is on disk as soon as it has started, and gone when it has ended", async () => {
  const path = join(newFolder(), "run/processes.json");
  const record = new ProcessRecord(path);
  const { entry } = await startGroup();
  record.add(entry);
  expect(await read(path)).toEqual([{ ...entry, ticks: expect.stringMatching(/^\d+$/) }]);
  record.remove(entry.pid);
  expect(await read(path)).toEqual([]);
});

test("groups that an earlier run left alive are ended, and named", async () => {
  const path = join(newFolder(), "processes.json");
  const { entry, child } = await startGroup();
  new ProcessRecord(path).add(entry);
  const ended = once(child, "exit");
  expect(await endLeftovers(path)).toEqual(["sleep 600"]);
  await ended;
  expect(await endLeftovers(path)).toEqual([]);
});

test("a process that only has the recorded number is left alone", async () => {
  const path = join(newFolder(), "processes.json");
  const { entry } = await startGroup();
  await writeFile(
    path,
    JSON.stringify([
      { ...entry, ticks: "1" },
      { ...entry, ticks: undefined },
    ]),
  );
  expect(await endLeftovers(path)).toEqual([]);
  expect(isAlive(entry.pid)).toBe(true);
});

test.each([
  ["no file", undefined],
  ["no JSON", "{"],
  ["no list", "{}"],
  ["strange entries", '[null, 7, {"pid": "x"}]'],
])("%s ends nothing", async (_what, content) => {
  const path = join(newFolder(), "processes.json");
  if (content !== undefined) await writeFile(path, content);
  expect(await endLeftovers(path)).toEqual([]);
});
