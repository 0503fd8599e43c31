import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Check } from "../../src/workbench/check.ts";
import { type HardCheckOptions, runHardChecks } from "../../src/workflow/hard-checks.ts";
import { newFolder } from "../folder.ts";
import { isRunning } from "../is-running.ts";

function run(checks: readonly Check[], { workspace = newFolder(), ...change }: Partial<HardCheckOptions> & { workspace?: string } = {}) {
  return runHardChecks(checks, {
    workspaceOf: () => workspace,
    env: process.env,
    signal: new AbortController().signal,
    refuses: async () => undefined,
    onRefused: () => {},
    ...change,
  });
}

test.each<[string, Omit<Check, "text">, boolean, RegExp]>([
  ["exit 0 when nothing is said", { command: "true" }, true, /^\$ true\nexit 0$/],
  ["another exit", { command: "exit 3" }, false, /exit 3: expected exit 0/],
  ["an expected failure", { command: "exit 3", expect: { exit: 3 } }, true, /exit 3/],
  ["an expected failure that succeeds", { command: "true", expect: { exit: 1 } }, false, /exit 0: expected exit 1/],
  ["output that is there", { command: "echo hello; echo world", expect: { stdoutContains: ["hello", "world"] } }, true, /hello\nworld/],
  ["output that is not there", { command: "echo hello", expect: { stdoutContains: ["hello", "bye"] } }, false, /the output lacks "bye"/],
  ["a pattern", { command: "echo v1.22", expect: { stdoutMatches: "/^v\\d+\\.\\d+$/m" } }, true, /v1\.22/],
  ["a pattern that does not match", { command: "echo x", expect: { stdoutMatches: "/^v\\d/" } }, false, /does not match \/\^v\\d\//],
  ["a file that is made", { command: "echo a > out.txt", expect: { creates: ["out.txt"] } }, true, /exit 0/],
  ["a file that is not", { command: "true", expect: { creates: ["out.txt"] } }, false, /out\.txt was not made/],
  ["a command that does not exist", { command: "no-such-command-here" }, false, /exit 127/],
  ["a command that is killed", { command: "kill -9 $$" }, false, /ended by SIGKILL/],
])("%s", async (_what, check, ok, evidence) => {
  const [result] = await run([{ text: "it works", ...check }]);
  expect(result).toMatchObject({ number: 1, ok });
  expect(result?.evidence).toMatch(evidence);
  expect(result?.evidence.split("\n")[0]).toBe(`$ ${check.command}`);
});

test("commands run one after the other, in the workspace; checks without one give no result", async () => {
  const workspace = newFolder();
  await writeFile(join(workspace, "greeting.txt"), "hello");
  const results = await run(
    [{ text: "a", command: "cat greeting.txt > copy.txt" }, { text: "b" }, { text: "c", command: "cat copy.txt" }],
    { workspace },
  );
  expect(results.map((result) => [result.number, result.ok])).toEqual([
    [1, true],
    [3, true],
  ]);
  expect(results[1]?.evidence).toContain("hello");
});

test("a command that does not end is stopped, with all that it started, and has failed", async () => {
  const [result] = await run([{ text: "a", command: "sleep 300" }], { timeoutMs: 200 });
  expect(result).toMatchObject({ ok: false, evidence: expect.stringMatching(/stopped: it did not end in time/) });
});

test("what a command leaves running is ended with the checks", async () => {
  const workspace = newFolder();
  await run([{ text: "a", command: "sleep 300 & echo $! > pid" }], { workspace });
  const pid = Number(await readFile(join(workspace, "pid"), "utf8"));
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test("long output keeps its beginning and its end as evidence", async () => {
  const [result] = await run([{ text: "a", command: "echo START; seq 1 5000; echo END" }]);
  expect(result?.evidence.length).toBeLessThan(2_000);
  expect(result?.evidence).toMatch(/START[\s\S]*…[\s\S]*END$/);
});

test("an abort ends the checks", async () => {
  const controller = new AbortController();
  const running = run(
    [
      { text: "a", command: "sleep 300" },
      { text: "b", command: "true" },
    ],
    { signal: controller.signal },
  );
  setTimeout(() => controller.abort("enough"), 50);
  await expect(running).rejects.toBe("enough");
});

test("credentials are not handed to commands", async () => {
  const env = { PATH: process.env["PATH"], OPENAI_API_KEY: "sk-secret" };
  const [result] = await run([{ text: "a", command: 'echo "key:$OPENAI_API_KEY."' }], { env });
  expect(result?.evidence).toContain("key:.");
});

test("a command that may not be run is not, and is told; the others are", async () => {
  const refused: string[] = [];
  const results = await run(
    [
      { text: "a", command: "sudo true" },
      { text: "b", command: "true" },
    ],
    {
      refuses: async (command) => (command.startsWith("sudo") ? "no" : undefined),
      onRefused: (command, reason) => void refused.push(`${command}: ${reason}`),
    },
  );
  expect(results.map((result) => result.number)).toEqual([2]);
  expect(refused).toEqual(["sudo true: no"]);
});
