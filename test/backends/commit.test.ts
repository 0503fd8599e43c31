import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { ScriptedAnswer, ScriptedStep } from "../../src/engines/scripted.ts";
import { checkHistory } from "../../src/messages/history.ts";
import { tool } from "../../src/tools/tool.ts";
import { type Desk, openDesk } from "./desk.ts";
import { inShort, steps, stepTool } from "./steps.ts";

const FAILURE = new FlowerError("overloaded", "try later");

/** A script's step that looks around before it answers. */
function after(look: () => void | Promise<void>, answer: ScriptedAnswer): ScriptedStep {
  return async () => {
    await look();
    return answer;
  };
}

test("each finished iteration is history before the next model call is made; the prompt comes with the first", async () => {
  const seen: string[][] = [];
  const look = async () => void seen.push(inShort((await desk.state())?.history ?? []));
  const desk: Desk = openDesk([after(look, steps(1)), after(look, steps(2)), after(look, "all done")], { tools: [stepTool([])] });
  const { outcome } = await desk.run();
  expect(outcome).toEqual({ kind: "done", text: "all done" });
  const first = ["user: go", "model: doing 1, [step]", "tool: step 1 done"];
  const second = ["model: doing 2, [step]", "tool: step 2 done"];
  expect(seen).toEqual([[], first, [...first, ...second]]);
  expect(inShort((await desk.state())?.history ?? [])).toEqual([...first, ...second, "model: all done"]);
});

test("a failure after the first iteration keeps what was finished, and the session goes on from there", async () => {
  const done: number[] = [];
  const desk = openDesk([steps(1), FAILURE, "the rest"], { tools: [stepTool(done)] });
  expect((await desk.run()).error).toBe(FAILURE);
  expect(desk.started()).toBe(1);
  expect(await desk.backend.hasSession("s1")).toBe(true);
  const { outcome } = await desk.run({ prompt: "go on", resume: true });
  expect(outcome).toEqual({ kind: "done", text: "the rest" });
  expect(inShort((await desk.state())?.history ?? [])).toEqual([
    "user: go",
    "model: doing 1, [step]",
    "tool: step 1 done",
    "user: go on",
    "model: the rest",
  ]);
  expect(done).toEqual([1]);
});

test("a failure before any iteration leaves nothing, and onStarted is not called", async () => {
  const desk = openDesk([FAILURE]);
  expect((await desk.run()).error).toBe(FAILURE);
  expect(desk.started()).toBe(0);
  expect(await desk.state()).toBeUndefined();
  expect(await desk.backend.hasSession("s1")).toBe(false);
});

test("a failure among calls keeps the reply: known results stay, the others are answered as interrupted, none runs again", async () => {
  const done: number[] = [];
  const step = stepTool(done, new Set([2]));
  const fatal = stepTool(done);
  const breaking = { ...fatal, name: "break", execute: () => Promise.reject(new FlowerError("fatal-tool-error", "disk full")) };
  const reply = {
    calls: [
      { name: "step", args: { n: 1 } },
      { name: "step", args: { n: 2 } },
      { name: "break", args: { n: 0 } },
    ],
  };
  const desk = openDesk([reply, "picking up"], { tools: [step, Object.freeze(Object.defineProperties(breaking, brandOf(fatal)))] });
  const { error } = await desk.run();
  expect(String(error)).toContain("disk full");
  const history = (await desk.state())?.history ?? [];
  expect(inShort(history)).toEqual(["user: go", "model: [step], [step], [break]", "tool: step 1 done, INTERRUPTED, INTERRUPTED"]);
  expect(checkHistory(history)).toEqual([]);
  expect(desk.started()).toBe(1);
  await desk.run({ prompt: "go on", resume: true });
  expect(done).toEqual([1]);
});

/** A copy of a tool is a tool only with its brand. */
function brandOf(made: object): PropertyDescriptorMap {
  const symbol = Symbol.for("flower.tool");
  return { [symbol]: Object.getOwnPropertyDescriptor(made, symbol)! };
}

test("onStarted is called once, however many iterations follow", async () => {
  const desk = openDesk([steps(1), steps(2), "done"], { tools: [stepTool([])] });
  await desk.run();
  expect(desk.started()).toBe(1);
});

test("onStarted is called before the next model call is made: from there another process can go on", async () => {
  const startedAtCall: number[] = [];
  const look = () => void startedAtCall.push(desk.started());
  const desk: Desk = openDesk([after(look, steps(1)), after(look, "done")], { tools: [stepTool([])] });
  await desk.run();
  expect(startedAtCall).toEqual([0, 1]);
});

test("onStarted is called before the calls of the first reply are made: a death in one of them is known to whoever goes on", async () => {
  const startedAtCall: number[] = [];
  const look = tool({ ...stepTool([]), parameters: { type: "object" }, execute: () => `seen ${startedAtCall.push(desk.started())}` });
  const desk: Desk = openDesk([steps(1), "done"], { tools: [look] });
  await desk.run();
  expect(startedAtCall).toEqual([1]);
});

test("an onStarted that fails ends the query with that failure; the reply stays, and its calls are not made", async () => {
  const made: number[] = [];
  const desk = openDesk([steps(1), "done"], { tools: [stepTool(made)] });
  const { error, events } = await desk.run({ onStarted: () => Promise.reject(new Error("no space left")) });
  expect(String(error)).toContain("no space left");
  expect(events.at(-1)).toMatchObject({ kind: "result", payload: { isError: true } });
  expect(inShort((await desk.state())?.history ?? [])).toEqual(["user: go", "model: doing 1, [step]", "tool: INTERRUPTED"]);
  expect(made).toEqual([]);
});
