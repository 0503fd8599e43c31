import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { openDesk } from "./desk.ts";
import { inShort, steps, stepTool } from "./steps.ts";

test("a fork begins as a copy and leaves the original as it was", async () => {
  const desk = openDesk(["first", "in the copy"]);
  await desk.run({ sessionId: "origin" });
  await desk.run({ prompt: "and now?", fork: { from: "origin" } });
  expect(inShort((await desk.state())?.history ?? [])).toEqual(["user: go", "model: first", "user: and now?", "model: in the copy"]);
  expect(desk.engine.requests[1]?.messages).toHaveLength(3);
});

test("a fork can begin at an earlier commit", async () => {
  const desk = openDesk([steps(1), "first", "in the copy"], { tools: [stepTool([])] });
  await desk.run({ sessionId: "origin" });
  await desk.run({ prompt: "and now?", fork: { from: "origin", at: 1 } });
  expect(inShort((await desk.state())?.history ?? [])).toEqual([
    "user: go",
    "model: doing 1, [step]",
    "tool: step 1 done",
    "user: and now?",
    "model: in the copy",
  ]);
});

test("a fork that failed before its first iteration can be tried again", async () => {
  const desk = openDesk(["first", new FlowerError("overloaded", "later"), "in the copy"]);
  await desk.run({ sessionId: "origin" });
  expect((await desk.run({ fork: { from: "origin" } })).error).toMatchObject({ code: "overloaded" });
  expect((await desk.run({ fork: { from: "origin" } })).outcome).toEqual({ kind: "done", text: "in the copy" });
  expect((await desk.state())?.history).toHaveLength(4);
});
