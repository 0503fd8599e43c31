import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Agent, type AgentOptions, type Permissions } from "../../src/agents/agent.ts";
import { FlowerError } from "../../src/core/errors.ts";
import { type Script, type ScriptedCall, ScriptedEngine, type ScriptedReply } from "../../src/engines/scripted.ts";
import type { PermissionQuestion } from "../../src/guards/permission-question.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { type ResultPart, resultText } from "../../src/messages/message.ts";
import { judge } from "../../src/runtime/roles.ts";
import { openBench, worker } from "./bench.ts";

/** A subagent with a model of its own. */
function sub(name: string, script: Script, options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ name, engine: new ScriptedEngine(script), ...options });
}

function start(...types: readonly string[]): ScriptedReply {
  return {
    calls: types.map((type) => ({ name: "Agent", args: { description: "a task", prompt: `task for ${type}`, subagent_type: type } })),
  };
}

/** What the calls of an agent's first reply came to. */
function results(agent: Agent): readonly string[] {
  const last = (agent.engine as ScriptedEngine).requests[1]?.messages.at(-1);
  return (last?.parts ?? []).filter((part): part is ResultPart => part.type === "result").map((part) => resultText(part.content));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("five questions at once from two levels below, settled in any order, one declined, one never: each call gets its own outcome", async () => {
  const order = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(order, async (settling) => {
      const calls = [0, 1, 2, 3, 4].map((n): ScriptedCall => ({ name: "mcp__human__ask", args: { question: `question ${n}?` } }));
      const bench = openBench([start("mid"), "done"]);
      const channel = new HumanChannel({ timeoutMs: 60_000, clock: bench.clock, onEvent: bench.note });
      const leaf = sub("leaf", [{ calls }, "asked"], { tools: channel.tools });
      const mid = sub("mid", [start("leaf"), "mid done"], { subagents: [leaf] });
      const run = bench.runtime.run(worker({ subagents: [mid] }), "go");
      await until(() => channel.pending().length === 5);
      expect(channel.pending().map((ask) => ask.path)).toEqual(Array.from({ length: 5 }, () => ["worker", "mid", "leaf"]));
      for (const n of settling) {
        const id = channel.pending().find((ask) => ask.question === `question ${n}?`)?.id ?? "";
        expect(n === 3 ? channel.decline(id, "not now") : channel.answer(id, `answer ${n}`)).toBe(true);
      }
      expect((await bench.finish(run)).ok).toBe(true); // time passes: the fifth question is never answered
      const outcomes = results(leaf);
      for (const n of [0, 1, 2]) expect(outcomes[n]).toMatch(new RegExp(`^The person answered after 0\\.0 s:\\n\\nanswer ${n}$`));
      expect(outcomes[3]).toContain("not now");
      expect(outcomes[4]).toBe(channel.texts.timeout);
      const settled = bench
        .of("ask")
        .flatMap(({ text, payload }) => (payload.kind === "question" && payload.state !== "asked" ? [[text, payload.state]] : []));
      expect(settled.toSorted()).toEqual([
        ["question 0?", "answered"],
        ["question 1?", "answered"],
        ["question 2?", "answered"],
        ["question 3?", "declined"],
        ["question 4?", "timeout"],
      ]);
    }),
    { numRuns: 5 },
  );
});

const WRITE: ScriptedCall = { name: "Write", args: { file_path: "made.txt", content: "x" } };
const TOUCH: ScriptedCall = { name: "Bash", args: { command: "touch made.txt" } };

test.each<[string, Permissions, Permissions, ScriptedCall, RegExp | undefined]>([
  ["what the one above is denied", { deny: ["Bash(touch:*)"] }, { mode: "bypassPermissions" }, TOUCH, /was not run, on purpose/],
  [
    "what the one above must ask about",
    { ask: ["Bash(touch:*)"] },
    { allow: ["Bash"] },
    TOUCH,
    /needs a person's consent, and nobody is there/,
  ],
  ["writing below one that only reads", { mode: "plan" }, { mode: "acceptEdits" }, WRITE, /was not run, on purpose: this agent only reads/],
  ["commands below one that only reads", { mode: "plan" }, { allow: ["Bash"] }, TOUCH, /was not run, on purpose: this agent only reads/],
  ["nothing of its own below one that hands work on", { mode: "delegate" }, { mode: "acceptEdits" }, WRITE, undefined],
  ["work where it has no rules below one that hands work on", { mode: "delegate" }, {}, WRITE, /was not run, on purpose/],
  ["its own denial, whatever the one above may", { mode: "bypassPermissions" }, { deny: ["Write"] }, WRITE, /was not run, on purpose/],
  ["nothing where it has no rules and the one above may", { mode: "acceptEdits" }, {}, WRITE, undefined],
  ["nothing that its own rules allow", { mode: "default" }, { mode: "acceptEdits" }, WRITE, undefined],
])("a subagent is kept from %s", async (_what, above, own, call, refusal) => {
  const bench = openBench([start("hand"), "done"]);
  const hand = sub("hand", [{ calls: [call] }, "tried"], { tools: ["Write", "Bash"], permissions: own });
  await bench.finish(bench.runtime.run(worker({ subagents: [hand], permissions: above }), "go"));
  expect(existsSync(join(bench.folder, "made.txt"))).toBe(refusal === undefined);
  if (refusal) expect(results(hand)[0]).toMatch(refusal);
});

test("rules hold through every level", async () => {
  const bench = openBench([]);
  const hand = sub("hand", [{ calls: [TOUCH] }, "tried"], { tools: ["Bash"], permissions: { mode: "bypassPermissions" } });
  const mid = sub("mid", [start("hand"), "done"], { subagents: [hand], permissions: { mode: "bypassPermissions" } });
  const main = sub("main", [start("mid"), "done"], { subagents: [mid], permissions: { deny: ["Bash"] } });
  await bench.finish(bench.runtime.run(main, "go"));
  expect(results(hand)[0]).toMatch(/was not run, on purpose/);
});

test("a role's list of tools is closed for a subagent too, and a role that has no Agent in it starts none", async () => {
  const bench = openBench([]);
  const inner = judge({ name: "inner", engine: new ScriptedEngine([{ calls: [WRITE] }, "denied"]) });
  await bench.finish(bench.runtime.run(sub("main", [start("inner"), "done"], { subagents: [inner] }), "go"));
  expect(results(inner)[0]).toContain("not available to this agent, on purpose");
  const outer = judge({ engine: new ScriptedEngine([start("hand"), "done"]) }).with({ subagents: [sub("hand", [])] });
  await bench.finish(bench.runtime.run(outer, "go"));
  expect(results(outer)[0]).toContain('"Agent" is not available to this agent, on purpose');
});

test("which subagents an agent may start can be ruled by name", async () => {
  const bench = openBench([]);
  const subagents = [sub("reader", ["read"]), sub("writer", ["never"])];
  const main = sub("main", [start("reader", "writer"), "done"], { subagents, permissions: { deny: ["Agent(writer)"] } });
  await bench.finish(bench.runtime.run(main, "go"));
  expect(results(main)).toEqual(["read", expect.stringMatching(/was not run, on purpose/)]);
});

test("a person who is asked for a subagent's permission is told who asks", async () => {
  const asked: PermissionQuestion[] = [];
  const bench = openBench([]);
  const hand = sub("hand", [{ calls: [TOUCH] }, "done"], { tools: ["Bash"] });
  const askPermission = async (question: PermissionQuestion) => {
    asked.push(question);
    return "allow" as const;
  };
  await bench.finish(bench.runtime.run(sub("main", [start("hand"), "done"], { subagents: [hand] }), "go", { askPermission }));
  expect(asked.map(({ tool, path }) => [tool, path])).toEqual([["Bash", ["main", "hand"]]]);
  expect(existsSync(join(bench.folder, "made.txt"))).toBe(true);
});

test("the run's budget counts what subagents spend, and stops them and the one above", async () => {
  const bench = openBench([], { budget: { usd: 0.05 } });
  const greedy = sub("greedy", () => ({ calls: [{ name: "nothing" }], usage: { costUsd: 0.02 } }));
  const main = sub("main", [{ ...start("greedy", "greedy"), usage: { costUsd: 0.01 } }, "never"], { subagents: [greedy] });
  const result = await bench.finish(bench.runtime.run(main, "go"));
  expect(result).toMatchObject({ ok: false, errorKind: "budget" });
  const calls = (greedy.engine as ScriptedEngine).requests.length;
  expect(calls).toBeLessThanOrEqual(3); // two that reach it, and what was under way beside them
  expect(result.costUsd).toBeCloseTo(0.01 + 0.02 * calls);
  expect(result.numIterations).toBe(1 + calls);
  expect(bench.runtime.totalCost()).toBeCloseTo(result.costUsd ?? 0);
});

test("a subagent's words are not the step's, nor is its context", async () => {
  const bench = openBench([]);
  const wordy = sub("wordy", [{ text: "a long report", usage: { inputTokens: 90_000 } }]);
  const main = sub(
    "main",
    [
      { ...start("wordy"), usage: { inputTokens: 10 } },
      { text: "short", usage: { inputTokens: 20 } },
    ],
    { subagents: [wordy] },
  );
  expect(await bench.finish(bench.runtime.run(main, "go"))).toMatchObject({ text: "short", context: 20, usage: { inputTokens: 90_030 } });
});

test("a subagent that loses its connection waits and goes on; the one above notices nothing", async () => {
  const bench = openBench([]);
  const reader = sub("reader", [
    { text: "reading", calls: [{ name: "nothing" }] },
    new FlowerError("offline", "The line is cut.", { retryable: true }),
    "found",
  ]);
  const main = sub("main", [start("reader"), "done"], { subagents: [reader] });
  const result = await bench.finish(bench.runtime.run(main, "go", { onEvent: bench.note }));
  expect(result).toMatchObject({ ok: true, text: "done", attempts: 1, errors: ["The line is cut."] });
  expect(results(main)).toEqual(["found"]);
  expect(bench.of("retry").map((event) => event.payload.reason)).toEqual(["offline"]);
});

test("a subagent's failures are counted in a row: one that gets on may fail more often than six times", async () => {
  const bench = openBench([]);
  const lost = () => new FlowerError("stream-cut", "The line is cut.", { retryable: true });
  const night = Array.from({ length: 8 }, () => [{ text: "reading", calls: [{ name: "nothing" }] }, lost()]).flat();
  const main = sub("main", [start("reader"), "done"], { subagents: [sub("reader", [...night, "found"])] });
  await bench.finish(bench.runtime.run(main, "go", { onEvent: bench.note }));
  expect(results(main)).toEqual(["found"]);
  expect(bench.of("retry").map((event) => event.payload.attempt)).toEqual(Array.from({ length: 8 }, () => 2));
});

test("words at an interrupt go to the main thread, once subagents are back", async () => {
  const bench = openBench([]);
  const reader = sub("reader", [
    () => {
      bench.runtime.interrupt("in French");
      return { calls: [{ name: "nothing" }] };
    },
    "found",
  ]);
  const main = sub("main", [start("reader"), "fini"], { subagents: [reader] });
  expect(await bench.finish(bench.runtime.run(main, "go"))).toMatchObject({ ok: true, text: "fini" });
  expect((reader.engine as ScriptedEngine).requests).toHaveLength(2);
  expect(JSON.stringify((reader.engine as ScriptedEngine).requests)).not.toContain("in French");
  const heard = (main.engine as ScriptedEngine).requests[1]?.messages.map((message) => JSON.stringify(message.parts)) ?? [];
  expect(heard.at(-2)).toContain("found");
  expect(heard.at(-1)).toContain("in French");
});
