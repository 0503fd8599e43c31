import { expect, test } from "vitest";
import type { AgentOptions } from "../../src/agents/agent.ts";
import { whitelistGuard } from "../../src/guards/whitelist.ts";
import { judge } from "../../src/runtime/roles.ts";
import { openBench, worker } from "./bench.ts";

const GLANCE = { calls: [{ name: "Read", args: { file_path: "missing.txt" } }] };

test("a worker that makes the same failing call for ever is told, then stopped, and the books say why", async () => {
  const bench = openBench(() => GLANCE);
  const result = await bench.runtime.run(worker({ tools: ["Read"] }), "work", { onEvent: bench.note });
  expect(result).toMatchObject({ ok: false, errorKind: "repetition", attempts: 1 });
  expect(bench.engine.requests).toHaveLength(15);
  expect(JSON.stringify(bench.engine.requests[5]?.messages.at(-1))).toContain("5th time in a row");
});

test("a role that only decides ends by itself, however it goes on calling", async () => {
  let n = 0;
  const bench = openBench(({ tools }) => (tools.length === 0 ? "enough" : { calls: [{ name: "Glob", args: { pattern: `${n++}*` } }] }));
  await bench.runtime.run(judge({ engine: bench.engine }), "look", { onEvent: bench.note });
  expect(bench.engine.requests.length).toBeLessThan(110);
});

test.each<[string, Partial<AgentOptions>]>([
  ["a rule", { permissions: { deny: ["Bash"] } }],
  ["a guard of its own", { guards: [{ before: () => "no" }] }],
  ["a whitelist", { guards: [whitelistGuard(["Read"])] }],
])("a call that %s denies each time is told and stopped like one that fails", async (_what, denying) => {
  const bench = openBench(() => ({ calls: [{ name: "Bash", args: { command: "ls" } }] }));
  const agent = worker({ tools: ["Bash"], limits: { maxIterations: 40 }, ...denying });
  expect(await bench.runtime.run(agent, "work")).toMatchObject({ ok: false, errorKind: "repetition" });
  expect(bench.engine.requests).toHaveLength(15);
  expect(JSON.stringify(bench.engine.requests[5]?.messages.at(-1))).toContain("5th time in a row");
});
