import assert from "node:assert/strict";
import { HumanChannel } from "../human/channel.ts";
import { tool, toolOutput } from "../tools/tool.ts";
import { shownIn } from "./backend-model.ts";
import { type BackendCase, expectHolds, expectPlayed } from "./backend-stage.ts";

const NUMBERED = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
const DONE = { kind: "done", text: "done" } as const;

export const step = tool({ name: "step", description: "A step.", parameters: NUMBERED, execute: ({ n }) => `step ${String(n)} done` });

/** A reply that asks for these steps. */
export function steps(...numbers: readonly number[]) {
  return { calls: numbers.map((n) => ({ name: "step", args: { n } })) };
}

/** Calls and their results. */
export const callCases: readonly BackendCase[] = [
  {
    name: "a call of one of our tools runs it, and the model reads its result",
    guarantee: 1,
    async run(stage) {
      stage.says([{ text: "I step", ...steps(1) }, "done"]);
      expectPlayed(
        await stage.play({ agent: stage.agent({ tools: [step] }) }),
        [
          "0 prompt: go",
          "1 text: I step",
          "1 tool_call step: ",
          "1 tool_result step: step 1 done",
          "2 text: done",
          "2 result: done (2 iterations, 20 in, 10 out)",
        ],
        DONE,
      );
      expectHolds(shownIn(stage.asked[1]), "tool: step 1 done");
    },
  },
  {
    name: "a tool that throws, and one that reports a failure, are failed results that the model reads",
    guarantee: 9,
    async run(stage) {
      const fails = tool({
        name: "fails",
        description: "Fails.",
        parameters: { type: "object" },
        execute: () => toolOutput("no such row", { isError: true }),
      });
      const throws = tool({
        name: "throws",
        description: "Throws.",
        parameters: { type: "object" },
        execute: () => {
          throw new Error("a secret path");
        },
      });
      stage.says([{ calls: [{ name: "fails" }] }, { calls: [{ name: "throws" }] }, "done"]);
      const { events, outcome } = await stage.play({ agent: stage.agent({ tools: [fails, throws] }) });
      const results = events.flatMap((event) => (event.kind === "tool_result" ? [event] : []));
      assert.deepEqual(results.map(({ payload }) => payload.isError), [true, true]); // biome-ignore format: one fact
      assert.equal(results[0]?.text, "no such row");
      expectHolds(results[1]?.payload.detail, "a secret path");
      assert.ok(!shownIn(stage.asked[2]).includes("a secret path"), "the model is not shown what an exception says");
      assert.deepEqual(outcome, DONE);
    },
  },
  {
    name: "a call with arguments that its tool does not take, and one of no tool, are failed results",
    guarantee: 9,
    async run(stage) {
      stage.says([{ calls: [{ name: "step", args: { n: "one" } }] }, { calls: [{ name: "nothing" }] }, "done"]);
      const { events, outcome } = await stage.play({ agent: stage.agent({ tools: [step] }) });
      const failed = events.flatMap((event) => (event.kind === "tool_result" ? [event.payload.isError] : []));
      assert.deepEqual([failed, outcome], [[true, true], DONE]);
      assert.ok(!shownIn(stage.asked[2]).includes("step one done"));
    },
  },
  {
    name: "built-in tools work in the workspace",
    guarantee: 1,
    async run(stage) {
      await stage.write("a.txt", "alpha\n");
      stage.says([
        { calls: [{ name: "Read", args: { file_path: "a.txt" } }] },
        { calls: [{ name: "Write", args: { file_path: "b.txt", content: "beta\n" } }] },
        { calls: [{ name: "Bash", args: { command: "cat b.txt > c.txt; cat a.txt" } }] },
        { calls: [{ name: "Bash", args: { command: "exit 3" } }] },
        "done",
      ]);
      expectPlayed(
        await stage.play({ agent: stage.agent({ tools: ["Read", "Write", "Bash"] }) }),
        [
          "0 prompt: go",
          "1 tool_call Read: a.txt",
          "1 tool_result Read: …",
          "2 tool_call Write: b.txt",
          "2 tool_result Write: …",
          "3 tool_call Bash: cat b.txt > c.txt; cat a.txt",
          "3 tool_result Bash: …",
          "4 tool_call Bash: exit 3",
          "4 tool_result Bash!error: …",
          "5 text: done",
          "5 result: done (5 iterations, 50 in, 25 out)",
        ],
        DONE,
      );
      assert.deepEqual([await stage.read("b.txt"), await stage.read("c.txt")], ["beta\n", "beta\n"]);
      expectHolds(shownIn(stage.asked[1]), "alpha");
      expectHolds(shownIn(stage.asked[3]), "alpha");
    },
  },
  {
    name: "calls of one reply each have one result, and the model reads them together",
    guarantee: 1,
    async run(stage) {
      await stage.write("a.txt", "alpha\n");
      const { calls } = steps(1, 2);
      stage.says([{ calls: [...calls, { name: "Read", args: { file_path: "a.txt" } }] }, "done"]);
      expectPlayed(
        await stage.play({ agent: stage.agent({ tools: [step, "Read"] }) }),
        [
          "0 prompt: go",
          "1 tool_call step: ",
          "1 tool_call step: ",
          "1 tool_call Read: a.txt",
          "1 tool_result step: step 1 done",
          "1 tool_result step: step 2 done",
          "1 tool_result Read: …",
          "2 text: done",
          "2 result: done (2 iterations, 20 in, 10 out)",
        ],
        DONE,
      );
      for (const part of ["step 1 done", "step 2 done", "alpha"]) expectHolds(shownIn(stage.asked[1]), part);
      assert.equal(stage.asked.length, 2);
    },
  },
  {
    name: "a question to a person waits for the answer, which the model reads; mail is read on demand",
    guarantee: 9,
    async run(stage) {
      const channel = new HumanChannel({ timeoutMs: null });
      channel.send("mind the gap");
      stage.says([
        { calls: [{ name: "mcp__human__ask", args: { question: "Which one?" } }] },
        { calls: [{ name: "mcp__human__inbox" }] },
        "done",
      ]);
      const answering = channel.nextAsk().then((ask) => channel.answer(ask?.id ?? "", "the left one"));
      const { events, outcome } = await stage.play({ agent: stage.agent({ tools: channel.tools }) });
      assert.equal(await answering, true);
      const called = events.flatMap((event) => (event.kind === "tool_call" ? [event.tool] : []));
      assert.deepEqual([called, outcome], [["mcp__human__ask", "mcp__human__inbox"], DONE]);
      expectHolds(shownIn(stage.asked[1]), "the left one");
      expectHolds(shownIn(stage.asked[2]), "mind the gap");
    },
  },
];
