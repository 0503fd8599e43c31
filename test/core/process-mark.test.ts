import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isGone, processMark } from "../../src/core/process-mark.ts";

async function markOfAnEndedProcess(): Promise<string> {
  const child = spawn("true");
  const [host] = processMark().split(" ");
  const mark = `${host} ${child.pid} 1`;
  await once(child, "exit");
  return mark;
}

test("a process that runs is not gone", () => {
  expect(isGone(processMark())).toBe(false);
});

test("a process that has ended is gone", async () => {
  expect(isGone(await markOfAnEndedProcess())).toBe(true);
});

test.runIf(process.platform === "linux")("an id that has gone to another process does not stand for the old one", () => {
  const [host, pid] = processMark().split(" ");
  expect(isGone(`${host} ${pid} 1`)).toBe(true);
});

test("in doubt nobody is gone: another machine, no start known, no mark", async () => {
  const [host, pid] = processMark().split(" ");
  const ended = (await markOfAnEndedProcess()).split(" ");
  expect(isGone(`elsewhere ${ended[1]} ${ended[2]}`)).toBe(false);
  expect(isGone(`${host} ${pid} -`)).toBe(false);
  for (const nothing of ["", host ?? "", `${host} x 1`, `${host} 0 1`, `${host} -1 1`]) expect(isGone(nothing)).toBe(false);
});
