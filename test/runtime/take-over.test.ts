import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { ScriptedReply, ScriptedStep } from "../../src/engines/scripted.ts";
import { textOf } from "../../src/messages/message.ts";
import type { BudgetLimits } from "../../src/runtime/budget.ts";
import { type Bench, openBench, worker } from "./bench.ts";

/** A reply in a context of so many tokens. Full at 60,000 of 100,000. */
const at = (inputTokens: number, name = "nothing", args = {}): ScriptedReply => ({ calls: [{ name, args }], usage: { inputTokens } });
const FULL = [at(10_000), at(61_000)];
const HANDS_OVER = at(62_000, "handoff_document", { doing: "Half of the parser.", next: "The other half." });
const says = (text: string): ScriptedReply => ({ text, usage: { inputTokens: 1_000 } });
const busy = () => new FlowerError("overloaded", "Too busy.", { retryable: true });

const documentOf = (bench: Bench) => bench.runtime.workbench.handoffPath("work");

async function run(script: readonly ScriptedStep[], budget: BudgetLimits = {}) {
  bench = openBench(script, { contextHandoff: { window: 100_000 }, budget });
  const result = await bench.finish(bench.runtime.run(worker(), "Build the parser.", { label: { step: "work" }, onEvent: bench.note }));
  return { ...bench, result, ok: result.ok, told: textOf(bench.engine.requests.at(-1)!.messages[0]!) };
}

let bench: Bench;

/** The session that takes over does not begin yet: its first call fails, twice, and this happens meanwhile. */
const notYet = (happening: () => unknown): readonly ScriptedStep[] => [
  busy(),
  () => {
    happening();
    return busy();
  },
];

test("what a person changes in the document, the goal, or says, reaches the session that takes over as long as it has not begun", async () => {
  const edit = () => {
    const text = readFileSync(documentOf(bench), "utf8");
    expect(text).toContain("The other half.");
    writeFileSync(documentOf(bench), text.replace("The other half.", "Only the tests: I wrote the other half."));
    writeFileSync(bench.runtime.workbench.goalPath(), "# Goal\n\nA parser with tests.\n");
    void bench.runtime.interrupt("and no regular expressions");
  };
  const { ok, told } = await run([...FULL, HANDS_OVER, ...notYet(edit), says("built")]);
  expect(ok).toBe(true);
  expect(told).toContain("Only the tests: I wrote the other half.");
  expect(told).not.toContain("The other half.");
  expect(told).toContain("A parser with tests.");
  expect(told.split("and no regular expressions")).toHaveLength(2);
});

test("a document that is taken away before the next session begins is told as it was written", async () => {
  const { ok, told } = await run([...FULL, HANDS_OVER, ...notYet(() => rmSync(documentOf(bench))), says("built")]);
  expect([ok, told.includes("The other half.")]).toEqual([true, true]);
});

test("a context that is refused while the document is written has it made by machine, and the work goes on", async () => {
  const overflow = new FlowerError("context-overflow", "Too long.");
  const { ok, of, told } = await run([...FULL, overflow, says("built")]);
  expect([ok, of("handoff").at(-1)?.payload]).toEqual([true, expect.objectContaining({ phase: "done", degraded: true })]);
  expect(told).toContain("assembled by machine");
});

test("of a document in Markdown, too, the paths that are not there are marked", async () => {
  const scene = "## Scene\n\n- here.ts\n- `gone/away.ts`\n- gone.ts, which I deleted\n- nothing else\n";
  const write = () => {
    writeFileSync(join(bench.folder, "here.ts"), "");
    return says(`## Doing\n\nHalf.\n\n## Next\n\nThe rest.\n\n${scene}`);
  };
  const { told } = await run([...FULL, write, says("built")]);
  expect(told).toContain("- here.ts\n- `gone/away.ts` (not there)\n- gone.ts, which I deleted\n- nothing else\n");
});

test("no limit of money stops a document that is being written; the session after it makes no call", async () => {
  const priced = (reply: ScriptedReply, costUsd: number): ScriptedReply => ({ ...reply, usage: { ...reply.usage, costUsd } });
  const script = [...FULL.map((reply) => priced(reply, 0.04)), priced(HANDS_OVER, 0.5)];
  const { result, of, engine } = await run(script, { usd: 0.1 });
  expect(of("handoff").at(-1)?.payload).toMatchObject({ phase: "done", degraded: false });
  expect(result).toMatchObject({ ok: false, errorKind: "budget", costUsd: expect.closeTo(0.58, 9) });
  expect(engine.requests).toHaveLength(3);
});
