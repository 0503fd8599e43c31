import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { isGroupAlive } from "../../src/tools/builtin/group-life.ts";
import type { ToolProcess } from "../../src/tools/builtin/toolset.ts";
import { type ToolBench, toolBench } from "./tool-bench.ts";

const lifetimes: AbortController[] = [];
afterEach(() => {
  for (const lifetime of lifetimes.splice(0)) lifetime.abort();
});

async function bench() {
  const lifetime = new AbortController();
  lifetimes.push(lifetime);
  const started: ToolProcess[] = [];
  const gone: number[] = [];
  const tools = await toolBench({
    lifetime: lifetime.signal,
    onProcess: (one) => void started.push(one),
    onProcessEnd: (pid) => void gone.push(pid),
  });
  const start = (command: string) => tools.text("Bash", { command, run_in_background: true });
  return { ...tools, lifetime, started, gone, start };
}

/** Looks until the text is there; each look takes what is new. */
async function outputUntil(tools: Pick<ToolBench, "text">, wanted: RegExp, args: { readonly filter?: string } = {}): Promise<string> {
  let all = "";
  for (let tries = 0; tries < 400 && !wanted.test(all); tries++) {
    all += await tools.text("BashOutput", { bash_id: "bash_1", ...args });
    await pause(25);
  }
  return all;
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !condition(); tries++) await pause(25);
  expect(condition()).toBe(true);
}

describe("a background command", () => {
  it("is not waited for, and what it writes is given once", async () => {
    const tools = await bench();
    expect(await tools.start("echo one; read x < go; echo two 1>&2")).toMatch(/^Started in the background as bash_1\. /);
    expect(await outputUntil(tools, /one/)).toMatch(/bash_1 (?:is running|has ended)/);
  });

  it("says when it has ended, and how", async () => {
    const tools = await bench();
    await tools.start("echo done; exit 3");
    const text = await outputUntil(tools, /exit code/);
    expect(text).toContain("done");
    expect(text).toContain("bash_1 has ended with exit code 3.");
    expect(await tools.text("BashOutput", { bash_id: "bash_1" })).toContain("(nothing new)");
  });

  it("gives only the lines that a filter lets through", async () => {
    const tools = await bench();
    await tools.start("echo noise; echo ERROR 1; echo noise");
    const text = await outputUntil(tools, /ERROR/, { filter: "^ERROR" });
    expect(text).toContain("ERROR 1");
    expect(text).not.toContain("noise");
    expect(await tools.text("BashOutput", { bash_id: "bash_1", filter: "(" })).toMatch(/^ERROR: .*no regular expression/);
  });

  it("is ended by KillShell with everything it started", async () => {
    const tools = await bench();
    await tools.start("sleep 300 & sleep 300");
    const pid = tools.started[0]?.pid ?? 0;
    expect(isGroupAlive(pid)).toBe(true);
    expect(await tools.text("KillShell", { shell_id: "bash_1" })).toContain("bash_1 was ended.");
    expect(isGroupAlive(pid)).toBe(false);
    await until(() => tools.gone.includes(pid));
  });

  it("that does not listen is killed", async () => {
    const tools = await bench();
    await tools.start("trap '' TERM; echo deaf; while true; do sleep 0.05; done");
    await outputUntil(tools, /deaf/);
    await tools.text("KillShell", { shell_id: "bash_1" });
    await until(() => !isGroupAlive(tools.started[0]?.pid ?? 0));
  });

  it("ends with the run", async () => {
    const tools = await bench();
    await tools.start("sleep 300");
    tools.lifetime.abort();
    await until(() => !isGroupAlive(tools.started[0]?.pid ?? 0));
    expect(await tools.start("touch late")).toMatch(/^ERROR: /);
    expect(existsSync(tools.at("late"))).toBe(false);
  });

  it("is known to the books for as long as it runs", async () => {
    const tools = await bench();
    await tools.start("sleep 0.2");
    expect(tools.started).toMatchObject([{ command: "sleep 0.2" }]);
    await until(() => tools.gone.includes(tools.started[0]?.pid ?? 0));
  });

  it("has no credentials in its environment", async () => {
    const tools = await toolBench({ env: { PATH: process.env["PATH"], MY_API_KEY: "secret" } });
    await tools.text("Bash", { command: "env; echo end", run_in_background: true });
    expect(await outputUntil(tools, /end/)).not.toContain("secret");
  });

  it("that does not exist is named as such, with those that do", async () => {
    const tools = await bench();
    expect(await tools.text("KillShell", { shell_id: "bash_9" })).toBe(
      'ERROR: There is no background command "bash_9". None has been started.',
    );
    await tools.start("true");
    expect(await tools.text("BashOutput", { bash_id: "bash_9" })).toContain("There are: bash_1");
  });
});
