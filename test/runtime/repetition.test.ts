import { expect, test } from "vitest";
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

test("a call that is denied each time is told and stopped like one that fails", async () => {
  const bench = openBench(() => ({ calls: [{ name: "Bash", args: { command: "ls" } }] }));
  const agent = worker({ tools: ["Bash"], permissions: { deny: ["Bash"] }, limits: { maxIterations: 40 } });
  expect(await bench.runtime.run(agent, "work")).toMatchObject({ ok: false, errorKind: "repetition" });
  expect(bench.engine.requests).toHaveLength(15);
  expect(JSON.stringify(bench.engine.requests[5]?.messages.at(-1))).toContain("5th time in a row");
});
