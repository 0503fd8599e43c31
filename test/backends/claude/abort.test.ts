import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { tool } from "../../../src/tools/tool.ts";
import { type ClaudeDesk, drain, openDesk } from "./desk.ts";
import { needsSdk } from "./needs-sdk.ts";

needsSdk();

/** The CLI has 1.2 s to end by itself; the rest is for a machine that does other things too. */
const LIMIT_MS = 10_000;

/** Processes whose command line or environment names this folder. */
function processesOf(folder: string): readonly string[] {
  const list = execFileSync("ps", ["-e", "-o", "pid=,args="], { encoding: "utf8" });
  return list.split("\n").filter((line) => line.includes(folder));
}

async function abortWhen(desk: ClaudeDesk, ready: () => boolean) {
  const controller = new AbortController();
  let afterAbort = 0;
  const running = drain(desk.backend.run(desk.query({ signal: controller.signal })), () => {
    if (controller.signal.aborted) afterAbort++;
  });
  await expect.poll(ready, { timeout: 60_000, interval: 20 }).toBe(true);
  const at = performance.now();
  controller.abort("stop now");
  const ending = await running;
  return { ...ending, afterAbort, ms: performance.now() - at };
}

test("an abort during a command ends the query within seconds, with its processes; the session goes on and is told", async () => {
  const desk = await openDesk(
    [{ text: "I wait", calls: [{ name: "Bash", args: { command: 'touch begun; tail -f "$PWD/begun"' } }] }, "no"],
    {
      tools: ["Bash"],
    },
  );
  const waits = () => processesOf(`tail -f ${desk.folder}/begun`).length > 0;
  const { error, events, ms, afterAbort } = await abortWhen(desk, waits);
  expect(error).toBe("stop now");
  expect(ms).toBeLessThan(LIMIT_MS);
  expect(afterAbort, "only the result").toBe(1);
  expect(events.at(-1)).toMatchObject({ kind: "result", payload: { isError: true, errorKind: "aborted" } });
  await expect.poll(() => processesOf(desk.folder), { timeout: 20_000 }).toEqual([]);
  expect(desk.started()).toBe(1);
  const later = await openDesk(["still here"], { tools: ["Bash"] }, desk);
  expect((await later.run({ prompt: "and?", resume: true })).outcome).toEqual({ kind: "done", text: "still here" });
  expect(JSON.stringify(later.server.asked[0]?.messages)).toContain("I wait");
});

test("an abort while the model is silent ends the query within seconds; nothing of it stays", async () => {
  const desk = await openDesk([() => new Promise<never>(() => {})]);
  const { error, ms } = await abortWhen(desk, () => desk.server.asked.length === 1);
  expect(error).toBe("stop now");
  expect(ms).toBeLessThan(LIMIT_MS);
  expect(desk.started()).toBe(0);
  expect(await desk.backend.hasSession("s1")).toBe(false);
});

test("an abort while one of our tools is deaf ends the query within seconds", async () => {
  let called = false;
  const deaf = tool({
    name: "deaf",
    description: "Hears nothing.",
    parameters: { type: "object" },
    execute: () => {
      called = true;
      return new Promise<never>(() => {});
    },
  });
  const desk = await openDesk([{ calls: [{ name: "deaf" }] }], { tools: [deaf] });
  const { error, ms } = await abortWhen(desk, () => called);
  expect(error).toBe("stop now");
  expect(ms).toBeLessThan(LIMIT_MS);
});

test("closing the backend ends what runs", async () => {
  const desk = await openDesk([() => new Promise<never>(() => {})]);
  const running = desk.run();
  await expect.poll(() => desk.server.asked.length, { timeout: 60_000 }).toBe(1);
  await desk.backend.close();
  expect((await running).error).toMatchObject({ code: "aborted" });
});

test("a CLI that is killed in mid-call leaves a session that goes on, and the call is not made again by itself", async () => {
  const desk = await openDesk([{ calls: [{ name: "Bash", args: { command: 'echo x >> log; tail -f "$PWD/log"' } }] }, "no"], {
    tools: ["Bash"],
  });
  const running = desk.run();
  await expect.poll(() => processesOf(`tail -f ${desk.folder}/log`).length, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0);
  const waiting = processesOf(`tail -f ${desk.folder}/log`).map((line) => Number.parseInt(line, 10));
  const cli = execFileSync("ps", ["-e", "-o", "pid=,ppid=,comm="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, name]) => Number(parent) === process.pid && name === "claude")
    .map(([pid]) => Number(pid));
  for (const pid of [...cli, ...waiting]) process.kill(pid, "SIGKILL");
  const { error } = await running;
  expect(error).toMatchObject({ code: expect.any(String) });
  expect(desk.started()).toBe(1);
  const later = await openDesk(["I look first"], { tools: ["Bash"] }, desk);
  expect((await later.run({ prompt: "go on", resume: true })).outcome).toEqual({ kind: "done", text: "I look first" });
  expect(await later.read("log")).toBe("x\n");
});
