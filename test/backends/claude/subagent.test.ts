import { expect, test } from "vitest";
import { Agent } from "../../../src/agents/agent.ts";
import { whitelistGuard } from "../../../src/guards/whitelist.ts";
import { tool } from "../../../src/tools/tool.ts";
import { drain, MODEL, openDesk } from "./desk.ts";
import type { ModelScript } from "./messages-server.ts";
import { needsSdk } from "./needs-sdk.ts";

needsSdk();

const look = tool({ name: "look", description: "Looks.", parameters: { type: "object" }, execute: (_args, { path }) => path.join(" > ") });

const helper = new Agent({
  name: "helper",
  description: "Looks at things.",
  model: MODEL,
  instructions: "You are the helper.",
  tools: [look, "Bash"],
  guards: [whitelistGuard(["look"])],
});

const script: ModelScript = (request) => {
  const results = JSON.stringify(request.messages).split('"tool_result"').length - 1;
  if (request.system.includes("You are the helper.")) {
    if (results > 0) return { thinking: "enough", text: "I saw it", usage: { input: 5000 } };
    return { text: "I look", calls: [{ name: "look" }, { name: "Bash", args: { command: "touch made" } }], usage: { input: 4000 } };
  }
  return results > 0
    ? "all done"
    : { text: "look, please", calls: [{ name: "Agent", args: { description: "a look", prompt: "look at it" } }] };
};

test("a subagent's task, speech and calls are marked; its words are not the outcome's, its cost is the query's", async () => {
  const desk = await openDesk(script, { subagents: [helper] });
  const { events, outcome } = await desk.run();
  expect(outcome).toEqual({ kind: "done", text: "all done" });
  const marked = events.flatMap(({ kind, text, tool: name, payload }) =>
    "subagent" in payload && payload.subagent !== undefined ? [[kind, name, text, payload.subagent]] : [],
  );
  const start = events.find((event) => event.kind === "tool_call" && event.tool === "Agent");
  expect(marked.filter(([kind]) => kind !== "tool_result")).toEqual([
    ["prompt", "", "look at it", "helper"],
    ["text", "", "I look", "helper"],
    ["tool_call", "look", "", "helper"],
    ["tool_call", "Bash", "touch made", "helper"],
    ["thinking", "", "enough", "helper"],
    ["text", "", "I saw it", "helper"],
  ]);
  for (const event of events) {
    if ("subagent" in event.payload)
      expect(event.payload).toMatchObject({ parentToolUseId: start?.kind === "tool_call" ? start.payload.id : "" });
  }
  const results = events.flatMap((event) => (event.kind === "tool_result" ? [event] : []));
  expect(results.map(({ text }) => text)).toEqual(expect.arrayContaining(["worker > helper", "I saw it"]));
  expect(results.find(({ text }) => text.includes("on purpose"))?.payload.isError).toBe(true);
  expect(results.at(-1)?.payload.subagent).toBeUndefined();
  expect(events.at(-1)?.payload).toMatchObject({ numIterations: 4, usage: { inputTokens: 9020 } });
});

test("a subagent's context level is told, and is not the main thread's", async () => {
  const levels: number[] = [];
  const desk = await openDesk(script, { subagents: [helper] });
  const contextFull = (context: number) => {
    levels.push(context);
    return false;
  };
  await desk.run({ steering: { interrupted: () => false, overBudget: () => undefined, contextFull, notice: () => undefined } });
  expect(levels).toEqual([0, 10]);
});

test("a subagent that is not declared is refused, with the names of those that are", async () => {
  const desk = await openDesk([{ calls: [{ name: "Agent", args: { description: "d", prompt: "p", subagent_type: "Explore" } }] }, "ok"], {
    subagents: [helper],
  });
  const { events } = await desk.run();
  expect(events.find(({ kind }) => kind === "tool_result")?.text).toBe('There is no subagent "Explore". Available: helper.');
});

test("a budget that is used up stops a subagent between its calls, and the query with it", async () => {
  const desk = await openDesk(script, { subagents: [helper] });
  let spent = 0;
  const steering = {
    interrupted: () => false,
    overBudget: () => (spent > 4_000 ? "too much" : undefined),
    contextFull: () => false,
    notice: () => undefined,
  };
  const { outcome } = await drain(desk.backend.run(desk.query({ steering })), (event) => {
    if (event.kind === "text" || event.kind === "tool_call") spent += event.payload.usage?.inputTokens ?? 0;
  });
  expect(outcome).toEqual({ kind: "budget", text: "", reason: "too much" });
  expect(desk.server.asked).toHaveLength(2);
});

test("guards are those of the subagent's line", async () => {
  const lines: string[][] = [];
  const desk = await openDesk(script, { subagents: [helper] });
  await desk.run({
    guardsFor: (line) => {
      lines.push(line.map(({ name }) => name));
      return [];
    },
  });
  expect(lines.length).toBeGreaterThan(0);
  expect(new Set(lines.map((line) => line.join(" > ")))).toEqual(new Set(["worker > helper"]));
});

test("what the CLI's loop cannot do is said before it starts", async () => {
  const other = new Agent({ name: "other" });
  const desk = await openDesk([], { handoffs: [other] });
  expect((await desk.run()).error).toMatchObject({ code: "bad-config", message: expect.stringContaining("handoffs") });
  const foreign = await openDesk([], { model: "openai/gpt-5" });
  expect((await foreign.run()).error).toMatchObject({ code: "bad-config", message: expect.stringContaining("openai/gpt-5") });
});
