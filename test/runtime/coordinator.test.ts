import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { systemClock } from "../../src/core/clock.ts";
import { isFlowerError } from "../../src/core/errors.ts";
import { type Script, type ScriptedCall, ScriptedEngine } from "../../src/engines/scripted.ts";
import { type ResultPart, resultText } from "../../src/messages/message.ts";
import { coordinator, worker } from "../../src/runtime/roles.ts";
import { openBench } from "./bench.ts";

const NEVER: Script = () => {
  throw new Error("this model is not to be asked");
};

/** Runs a coordinator whose model makes these calls; gives what each came to. */
async function results(calls: readonly ScriptedCall[], hand: Script = NEVER) {
  const bench = openBench([{ calls }, "done"], { clock: systemClock }); // commands take real time
  const agent = coordinator({ subagents: [worker({ engine: new ScriptedEngine(hand) })] });
  const result = await bench.finish(bench.runtime.run(agent, "go"));
  const parts = bench.engine.requests[1]?.messages.at(-1)?.parts ?? [];
  const texts = parts.filter((part): part is ResultPart => part.type === "result").map((part) => resultText(part.content));
  return { bench, result, texts };
}

test.each<ScriptedCall>([
  { name: "Write", args: { file_path: "made", content: "x" } },
  { name: "Edit", args: { file_path: "made", old_string: "a", new_string: "b" } },
  { name: "Bash", args: { command: "touch made" } },
  { name: "Bash", args: { command: "echo x > made" } },
  { name: "Bash", args: { command: "bash -c 'touch made'" } },
  { name: "Bash", args: { command: "touch made", run_in_background: true } },
  { name: "mcp__files__write", args: { path: "made" } },
])("a coordinator cannot do the work itself: %j", async (call) => {
  const { bench, texts } = await results([call]);
  expect(texts[0]).toMatch(/on purpose/);
  expect(existsSync(join(bench.folder, "made"))).toBe(false);
});

test("it may look, and what it hands on is done by a worker with the worker's permissions", async () => {
  const task = { name: "Agent", args: { description: "write", prompt: "Write made.", subagent_type: "worker" } };
  const hand: Script = [{ calls: [{ name: "Bash", args: { command: "echo x > made" } }] }, "made is written"];
  const { bench, texts } = await results([{ name: "Bash", args: { command: "ls -a" } }, task], hand);
  expect(texts[0]).toContain("runs");
  expect(texts[1]).toBe("made is written");
  expect(await readFile(join(bench.folder, "made"), "utf8")).toBe("x\n");
});

test("one that has nobody to hand work to cannot be made", () => {
  const error = (() => {
    try {
      return coordinator({ subagents: [] });
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(isFlowerError(error, "bad-config")).toBe(true);
});

test("without subagents of its own it has a worker that speaks with its model", () => {
  const made = coordinator({ model: "m" });
  expect(made.subagents.map(({ name, model }) => [name, model])).toEqual([["worker", "m"]]);
  expect(made.guards).toHaveLength(1);
  expect(new Agent({ name: "x", subagents: made.subagents }).subagents[0]?.permissions.mode).toBe("acceptEdits");
});
