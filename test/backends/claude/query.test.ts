import { expect, test } from "vitest";
import { tool } from "../../../src/tools/tool.ts";
import { inShort, openDesk } from "./desk.ts";
import { needsSdk } from "./needs-sdk.ts";

needsSdk();

const ring = tool({
  name: "ring",
  description: "Rings a bell.",
  parameters: { type: "object", properties: { times: { type: "number" } }, required: ["times"] },
  execute: ({ times }) => `rung ${String(times)} times`,
});

test("text, thinking, calls and results come in order, with the names and ids of our own loop's events", async () => {
  const desk = await openDesk(
    [
      {
        thinking: "a bell",
        text: "I ring",
        calls: [
          { name: "ring", args: { times: 2 } },
          { name: "Read", args: { file_path: "a.txt" } },
        ],
      },
      "done",
    ],
    { tools: [ring, "Read"] },
  );
  await desk.write("a.txt", "alpha\n");
  const { events, outcome } = await desk.run();
  expect(outcome).toEqual({ kind: "done", text: "done" });
  expect(inShort(events).map((line) => (line.startsWith("tool_result") ? "tool_result" : line))).toEqual([
    "prompt: go",
    "thinking: a bell",
    "text: I ring",
    "tool_call ring: ",
    "tool_call Read: a.txt",
    "tool_result", // side by side: as they come
    "tool_result",
    "text: done",
    "result: done",
  ]);
  expect(inShort(events).slice(5, 7).toSorted()).toEqual(["tool_result: 1\talpha\n2\t", "tool_result: rung 2 times"]);
  expect(events.at(-1)?.payload).toMatchObject({ sessionId: "s1", numIterations: 2, usage: { inputTokens: 20, outputTokens: 10 } });
  expect(desk.started()).toBe(1);
});

test("the model is given the agent's own instructions and tools, and no others", async () => {
  const desk = await openDesk(["hello"], { tools: [ring, "Read", "TodoWrite"], instructions: async ({ agent }) => `You are ${agent}.` });
  await desk.run();
  const [request] = desk.server.asked;
  expect(request?.system.endsWith("You are worker.")).toBe(true);
  expect(request?.tools).toEqual(["Read", "mcp__flower__ring"]);
  expect(request?.model).toBe("claude-sonnet-4-5");
});

test("a reply's usage and price stand on its last block only, and add up to those of the result", async () => {
  const desk = await openDesk(
    [
      { text: "one", calls: [{ name: "ring", args: { times: 1 } }], usage: { input: 100, cacheRead: 2000, cacheWrite: 30, output: 40 } },
      { text: "two", usage: { input: 7 } },
    ],
    { tools: [ring] },
  );
  const { events } = await desk.run();
  const spoken = events.flatMap((event) => (event.kind === "text" || event.kind === "tool_call" ? [event] : []));
  expect(spoken.map(({ payload }) => payload.usage?.inputTokens)).toEqual([undefined, 100, 7]);
  expect(spoken.map(({ payload }) => payload.context)).toEqual([2130, 2130, 7]);
  const total = spoken.reduce((sum, { payload }) => sum + (payload.costUsd ?? 0), 0);
  const result = events.at(-1);
  expect(result?.kind === "result" && result.payload.costUsd).toBeCloseTo(total, 9);
  expect(total).toBeGreaterThan(0);
});

test("fragments of a reply are given only when asked for", async () => {
  const desk = await openDesk(["one two"]);
  const { events } = await desk.run({ deltas: true });
  expect(inShort(events)).toEqual(["prompt: go", "delta: one ", "delta: two", "text: one two", "result: one two"]);
});

test("a prompt that begins with a slash is words, not a command of the CLI", async () => {
  const desk = await openDesk(["I see"]);
  const { events, outcome } = await desk.run({ prompt: "/compact the report" });
  expect(outcome).toEqual({ kind: "done", text: "I see" });
  expect(events[0]?.text).toBe("/compact the report");
  expect(JSON.stringify(desk.server.asked[0]?.messages)).toContain("/compact the report");
});

test("a tool that throws gives the model a trace id, and the log the error", async () => {
  const broken = tool({
    name: "broken",
    description: "Breaks.",
    parameters: { type: "object" },
    execute: () => {
      throw new Error("secret path");
    },
  });
  const desk = await openDesk([{ calls: [{ name: "broken" }] }, "hm"], { tools: [broken] });
  const { events } = await desk.run();
  const result = events.find((event) => event.kind === "tool_result");
  expect(result?.payload).toMatchObject({ isError: true, detail: expect.stringContaining("secret path") });
  expect(JSON.stringify(desk.server.asked[1]?.messages)).not.toContain("secret path");
});

test("an answer in a given form is the outcome's text", async () => {
  const desk = await openDesk([{ calls: [{ name: "StructuredOutput", args: { sum: 3 } }] }, "done"], {
    outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
  });
  const { outcome } = await desk.run();
  expect(outcome).toEqual({ kind: "done", text: '{"sum":3}' });
});

test("a package that is not there is named, with what to install", async () => {
  const { claudeBackend } = await import("../../../src/backends/claude/index.ts");
  const desk = await openDesk([]);
  const backend = claudeBackend({ sdk: `${desk.folder}/nothing.mjs`, env: { HOME: desk.folder } });
  const run = backend.run(desk.query());
  await expect(
    (async () => {
      for (let next = await run.next(); !next.done; next = await run.next());
    })(),
  ).rejects.toMatchObject({ code: "bad-config", message: expect.stringContaining("npm install @anthropic-ai/claude-agent-sdk") });
});
