import { expect, test } from "vitest";
import { totalTokens } from "../../../src/messages/usage.ts";
import { tool } from "../../../src/tools/tool.ts";
import { drain, inShort, openDesk } from "./desk.ts";
import { needsSdk } from "./needs-sdk.ts";

needsSdk();

const step = tool({ name: "step", description: "A step.", parameters: { type: "object" }, execute: () => "stepped" });
const calling = { text: "on", calls: [{ name: "step" }] };
const quiet = { interrupted: () => false, overBudget: () => undefined, contextFull: () => false, notice: () => undefined };

test("a budget that is used up stops before the next model call, with all that was spent seen; what was finished stays", async () => {
  const desk = await openDesk([{ ...calling, usage: { input: 500 } }, "more"], { tools: [step] });
  let seen = 0;
  const query = desk.query({ steering: { ...quiet, overBudget: () => (seen > 400 ? `${seen} of 400` : undefined) } });
  const { outcome, events } = await drain(desk.backend.run(query), (event) => {
    if (event.kind === "tool_call" && event.payload.usage) seen += totalTokens(event.payload.usage);
  });
  expect(outcome).toEqual({ kind: "budget", text: "", reason: "505 of 400" });
  expect(inShort(events).at(-2)).toBe("tool_result: stepped");
  expect(desk.server.asked).toHaveLength(1);
  expect(await desk.backend.hasSession("s1")).toBe(true);
});

test("a full context stops there; the level asked about is the newest call's whole input", async () => {
  const levels: number[] = [];
  const desk = await openDesk([{ ...calling, usage: { input: 1, cacheRead: 20, cacheWrite: 300 } }, "more"], { tools: [step] });
  const contextFull = (context: number) => levels.push(context) > 1;
  expect((await desk.run({ steering: { ...quiet, contextFull } })).outcome?.kind).toBe("context-full");
  expect(levels).toEqual([0, 321]);
});

test("an agent at its iteration limit answers once more without tools", async () => {
  const desk = await openDesk([calling, "so far: one step"], { tools: [step], limits: { maxIterations: 1 } });
  const { outcome, events } = await desk.run();
  expect(outcome).toEqual({ kind: "iteration-limit", text: "so far: one step" });
  expect(JSON.stringify(desk.server.asked[1]?.messages)).toContain("No more tools can be used");
  expect(events.at(-1)?.payload).toMatchObject({ isError: false });
});

test("a model that calls tools beyond the limit is refused, and stopped when it does not hear", async () => {
  const desk = await openDesk(() => calling, { tools: [step], limits: { maxIterations: 1 } });
  const { outcome, events } = await desk.run();
  expect(outcome).toEqual({ kind: "iteration-limit", text: "on" });
  const results = events.flatMap((event) => (event.kind === "tool_result" ? [event.text] : []));
  expect(results[0]).toBe("stepped");
  expect(new Set(results.slice(1))).toEqual(new Set(["No more tools can be used in this turn. Answer with what you have."]));
  expect(desk.server.asked.length).toBeLessThanOrEqual(3);
});
