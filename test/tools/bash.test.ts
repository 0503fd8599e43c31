import { readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { isCredential } from "../../src/tools/builtin/environment.ts";
import type { ToolProcess } from "../../src/tools/builtin/toolset.ts";
import { isRunning } from "../is-running.ts";
import { toolBench } from "./tool-bench.ts";

const PATIENCE = { timeout: 20_000, interval: 10 };

const pidIn = async (path: string) =>
  vi.waitFor(async () => {
    const pid = Number(await readFile(path, "utf8"));
    expect(pid).toBeGreaterThan(0);
    return pid;
  }, PATIENCE);

/** Lets time pass until the process has ended. */
const gone = (pid: number, clock: FakeClock) =>
  vi.waitFor(async () => {
    await clock.advance(100);
    expect(isRunning(pid)).toBe(false);
  }, PATIENCE);

test("output and errors come in the order of writing, from the workspace", async () => {
  const bench = await toolBench();
  expect(await bench.text("Bash", { command: "echo 1; echo 2 >&2; echo 3; pwd" })).toBe(`1\n2\n3\n${bench.workspace}`);
  expect(await bench.text("Bash", { command: "true" })).toBe("(no output)");
});

test("an exit code other than 0 is an error result that states it", async () => {
  const bench = await toolBench();
  expect(await bench.text("Bash", { command: "echo why; exit 3" })).toBe("ERROR: why\n\nExit code 3");
  expect(await bench.text("Bash", { command: "kill -9 $$" })).toBe("ERROR: Ended by SIGKILL.");
  expect(await bench.text("Bash", { command: "if" })).toMatch(/^ERROR: bash: .*syntax error/);
});

test("quotes, line breaks and unicode reach the shell as written", async () => {
  const bench = await toolBench();
  expect(await bench.text("Bash", { command: "printf '%s\\n' \"a'b\" '花🌸' \\\n  c" })).toBe("a'b\n花🌸\nc");
});

test("a timeout kills the whole group, grandchildren included", async () => {
  const clock = new FakeClock();
  const bench = await toolBench({ clock });
  const command = "(sleep 300 & echo $! > grandchild; wait) & wait";
  const text = bench.text("Bash", { command, timeout: 400 });
  const pid = await pidIn(bench.at("grandchild"));
  await clock.advance(399);
  expect(isRunning(pid)).toBe(true);
  await gone(pid, clock);
  expect(await text).toContain("Stopped after 0.4 s, with all its children");
});

test("a group that ignores SIGTERM is killed", async () => {
  const clock = new FakeClock();
  const bench = await toolBench({ clock });
  const text = bench.text("Bash", { command: "trap '' TERM; echo $$ > pid; while true; do sleep 0.05; done", timeout: 300 });
  const pid = await pidIn(bench.at("pid"));
  await gone(pid, clock);
  expect(await text).toContain("Stopped after 0.3 s");
});

test("a background child that ignores SIGTERM does not outlive an aborted command", async () => {
  const clock = new FakeClock();
  const bench = await toolBench({ clock });
  const abort = new AbortController();
  const command = "(trap '' TERM; echo $BASHPID > stubborn; while true; do sleep 0.05; done) & sleep 300";
  const call = bench.call("Bash", { command }, { signal: abort.signal });
  const pid = await pidIn(bench.at("stubborn"));
  abort.abort(new Error("stop it"));
  const stopped = expect(call).rejects.toThrow("stop it");
  await gone(pid, clock);
  await stopped;
});

test("a background child does not hold up the call, lives on, and is reported", async () => {
  const ended: number[] = [];
  const started: ToolProcess[] = [];
  const bench = await toolBench({ onProcess: (p) => started.push(p), onProcessEnd: (pid) => ended.push(pid) });
  const text = await bench.text("Bash", { command: "sleep 300 & echo $! > child; echo started" });
  const pid = await pidIn(bench.at("child"));
  expect(text).toContain("started");
  expect(text).toContain(`kill -- -${started[0]?.pid}`);
  expect(isRunning(pid)).toBe(true);
  expect(ended).toEqual([]);
  process.kill(-(started[0]?.pid as number), "SIGKILL");
  await vi.waitFor(() => expect(ended).toEqual([started[0]?.pid]), PATIENCE);
});

test("each process group is announced with command and start, and its end too", async () => {
  const ended: number[] = [];
  const started: ToolProcess[] = [];
  const clock = { now: () => 0, after: (ms: number, fn: () => void) => clearTimeout.bind(undefined, setTimeout(fn, ms)) };
  const bench = await toolBench({ clock, onProcess: (p) => started.push(p), onProcessEnd: (pid) => ended.push(pid) });
  const pid = Number(await bench.text("Bash", { command: "echo $$" }));
  expect(started).toEqual([{ pid, startedAt: "1970-01-01T00:00:00.000Z", command: "echo $$" }]);
  await vi.waitFor(() => expect(ended).toEqual([pid]), PATIENCE);
});

test("of long output head and tail are kept and the gap is counted", async () => {
  const bench = await toolBench();
  const text = await bench.text("Bash", { command: "echo first; yes 123456789 | head -n 50000; echo last" });
  expect(text.length).toBeLessThan(30_200);
  expect(text).toMatch(/^first\n/);
  expect(text).toMatch(/last$/);
  expect(text).toContain("[470011 characters of output left out here]");
});

test("output without end is stopped in bounded memory", async () => {
  const bench = await toolBench();
  const text = await bench.text("Bash", { command: "yes", timeout: 500 });
  expect(text.length).toBeLessThan(30_500);
  expect(text).toContain("Stopped after 0.5 s");
});

test("credentials are not in a command's environment, unless passed on purpose", async () => {
  const env = { PATH: process.env["PATH"], HOME: "/h", NPM_TOKEN: "t1", MY_API_KEY: "k1", DB: "postgres://u:p@h/d", PASSED_SECRET: "s1" };
  const bench = await toolBench({ env, passEnv: ["PASSED_SECRET"] });
  const text = await bench.text("Bash", { command: "env" });
  expect(text).toContain("HOME=/h");
  expect(text).toContain("PASSED_SECRET=s1");
  expect(text).toContain("GIT_TERMINAL_PROMPT=0");
  expect(text).toContain("PAGER=cat");
  expect(text).not.toMatch(/NPM_TOKEN|MY_API_KEY|postgres:/);
});

test.each([
  ["OPENAI_API_KEY", true],
  ["apikey", true],
  ["AWS_SECRET_ACCESS_KEY", true],
  ["GITHUB_TOKEN", true],
  ["npm_config__authToken", true],
  ["PGPASSWORD", true],
  ["MYSQL_PWD", true],
  ["GOOGLE_APPLICATION_CREDENTIALS", true],
  ["SSH_KEY", true],
  ["PATH", false],
  ["PWD", false],
  ["KEYBOARD", false],
  ["TOKENIZERS_PARALLELISM", false],
  ["MONKEY", false],
])("the variable %s is a credential: %s", (name, expected) => {
  expect(isCredential(name, "value")).toBe(expected);
});

test("an already aborted call starts nothing", async () => {
  const clock = new FakeClock();
  const bench = await toolBench({ clock });
  const abort = new AbortController();
  abort.abort(new Error("too late"));
  await expect(bench.call("Bash", { command: "touch ran" }, { signal: abort.signal })).rejects.toThrow("too late");
  await expect(readFile(bench.at("ran"))).rejects.toThrow("ENOENT");
});

test("a workspace that is gone, or a command beyond the system's limit, is an error the model can read", async () => {
  const bench = await toolBench({ workspace: "/nonexistent/workspace" });
  expect(await bench.text("Bash", { command: "ls" })).toContain("bash could not be started in /nonexistent/workspace");
  expect(await (await toolBench()).text("Bash", { command: `: ${"x".repeat(3_000_000)}` })).toContain("too long");
});
