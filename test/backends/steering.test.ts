import { expect, test } from "vitest";
import type { BackendQuery } from "../../src/backends/backend.ts";
import { checkHistory } from "../../src/messages/history.ts";
import { tool } from "../../src/tools/tool.ts";
import { openDesk } from "./desk.ts";
import { inShort, steps, stepTool } from "./steps.ts";

type Steering = BackendQuery["steering"];

function steering(change: Partial<Steering>): Steering {
  return { interrupted: () => false, overBudget: () => undefined, contextFull: () => false, notice: () => undefined, ...change };
}

test("an interrupt during tools stops after their results, before the next model call; the session goes on with the words", async () => {
  let interrupted = false;
  const ring = tool({
    name: "ring",
    description: "The person presses the button while it runs.",
    parameters: { type: "object" },
    execute: () => {
      interrupted = true;
      return "rung";
    },
  });
  const desk = openDesk([{ calls: [{ name: "ring" }] }, "as you say"], { tools: [ring] });
  const { outcome } = await desk.run({ steering: steering({ interrupted: () => interrupted }) });
  expect(outcome).toEqual({ kind: "interrupted", text: "" });
  expect(desk.engine.requests).toHaveLength(1);
  expect(inShort((await desk.state())?.history ?? [])).toEqual(["user: go", "model: [ring]", "tool: rung"]);
  await desk.run({ prompt: "do it otherwise", promptFrom: "person", resume: true });
  const history = (await desk.state())?.history ?? [];
  expect(inShort(history).slice(3)).toEqual(["user: do it otherwise", "model: as you say"]);
  expect(history[3]?.origin).toBe("person");
});

test("an interrupt before the first model call keeps the prompt and asks the model nothing", async () => {
  const desk = openDesk([]);
  const { outcome } = await desk.run({ steering: steering({ interrupted: () => true }) });
  expect(outcome?.kind).toBe("interrupted");
  expect(inShort((await desk.state())?.history ?? [])).toEqual(["user: go"]);
  expect(desk.started()).toBe(1);
});

test("a budget that is used up stops before the next model call and says which limit; what was finished stays", async () => {
  let calls = 0;
  const desk = openDesk([steps(1)], { tools: [stepTool([])] });
  const { outcome } = await desk.run({ steering: steering({ overBudget: () => (calls++ > 0 ? "$2 of $1" : undefined) }) });
  expect(outcome).toEqual({ kind: "budget", text: "", reason: "$2 of $1" });
  expect(inShort((await desk.state())?.history ?? [])).toEqual(["user: go", "model: doing 1, [step]", "tool: step 1 done"]);
});

test("a full context stops there; the level asked about is the newest call's whole input", async () => {
  const levels: number[] = [];
  const desk = openDesk([{ ...steps(1), usage: { inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300 } }], {
    tools: [stepTool([])],
  });
  const contextFull = (context: number) => {
    levels.push(context);
    return context > 300;
  };
  const { outcome } = await desk.run({ steering: steering({ contextFull }) });
  expect(outcome?.kind).toBe("context-full");
  expect(levels).toEqual([0, 321]);
});

test("a notice goes to the model between iterations, in the framework's name, and is kept", async () => {
  const notices = [undefined, "mail has come"];
  const desk = openDesk([steps(1), "read"], { tools: [stepTool([])] });
  await desk.run({ steering: steering({ notice: () => notices.shift() }) });
  const history = (await desk.state())?.history ?? [];
  expect(inShort(history)[3]).toBe("user: mail has come");
  expect(history[3]?.origin).toBe("framework");
  expect(checkHistory(history)).toEqual([]);
});

test("the order at the boundary: abort, interrupt, budget, context, mail; who comes first is the only one that is heard", async () => {
  const yes = { interrupted: true, overBudget: "used up", contextFull: true, notice: "mail" };
  const heard: string[][] = [];
  const endings: unknown[] = [];
  const moments = [yes, { ...yes, interrupted: false }, { contextFull: true, notice: "mail" }, { notice: "mail" }, yes] as const;
  for (const [index, says] of moments.entries()) {
    const asked: string[] = [];
    const ask = <K extends keyof typeof yes>(what: K) => {
      asked.push(what);
      return (says as Partial<typeof yes>)[what];
    };
    const steer = steering({
      interrupted: () => ask("interrupted") ?? false,
      overBudget: () => ask("overBudget"),
      contextFull: () => ask("contextFull") ?? false,
      notice: () => ask("notice"),
    });
    const signal = index === 4 ? AbortSignal.abort(new Error("enough")) : new AbortController().signal;
    const { outcome, error } = await openDesk(["done"]).run({ steering: steer, signal });
    endings.push(outcome?.kind ?? String(error));
    heard.push(asked.slice(0, 4)); // after the last word it is asked once more
  }
  const order = ["interrupted", "overBudget", "contextFull", "notice"];
  expect(heard).toEqual([order.slice(0, 1), order.slice(0, 2), order.slice(0, 3), order, []]);
  expect(endings).toEqual(["interrupted", "budget", "context-full", "done", "Error: enough"]);
});

test("an agent at its iteration limit answers once more without tools", async () => {
  const desk = openDesk([steps(1), "so far: one step"], { tools: [stepTool([])], agent: { limits: { maxIterations: 1 } } });
  const { outcome } = await desk.run();
  expect(outcome).toEqual({ kind: "iteration-limit", text: "so far: one step" });
  expect(desk.engine.requests[1]?.settings.toolChoice).toBe("none");
});
