import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Event, makeEvent } from "../../src/messages/event.ts";
import { tool } from "../../src/tools/tool.ts";
import { steps, stepTool } from "../backends/steps.ts";
import { openBench, worker } from "./bench.ts";

const SCRIPT = [steps(1), "done"];
const agent = worker({ tools: [stepTool([])] });

test("the sink gets every event, in the order of the log", async () => {
  const bench = openBench(SCRIPT);
  await bench.finish(bench.runtime.run(agent, "go", { onEvent: bench.note }));
  const logged = await bench.log();
  expect(bench.events.map((event) => [event.kind, event.text])).toEqual(logged.map((line) => [line.kind, line.text]));
  expect(bench.events.map((event) => event.kind)).toEqual(["prompt", "text", "tool_call", "tool_result", "text", "result"]);
  expect(logged.map((line) => line.seq)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(new Set(logged.map((line) => line.run))).toEqual(new Set([bench.runtime.runId]));
});

test("what a reply cost is in the log on disk before its calls are made: a kill in one of them takes nothing out of the books", async () => {
  const seen: string[] = [];
  const look = tool({
    ...{ name: "look", description: "Looks.", parameters: { type: "object" } },
    execute: () => `seen ${seen.push(readFileSync(bench.runtime.books.eventsPath, "utf8"))}`,
  });
  const bench = openBench([{ calls: [{ name: "look" }], usage: { inputTokens: 7, costUsd: 0.25 } }, "done"]);
  await bench.finish(bench.runtime.run(worker({ tools: [look] }), "go"));
  expect(seen).toEqual([expect.stringContaining('"costUsd":0.25')]);
});

test("a secret in what a tool says reaches neither the log nor the sink; the model, which needs it, reads it", async () => {
  const secret = `sk-ant-${"a1".repeat(20)}`;
  const show = tool({ name: "show", description: "Shows.", parameters: { type: "object" }, execute: () => `key: ${secret}` });
  const bench = openBench([{ calls: [{ name: "show", args: { key: secret } }] }, `It is ${secret}.`]);
  const result = await bench.finish(bench.runtime.run(worker({ tools: [show] }), "go", { onEvent: bench.note }));
  expect(JSON.stringify(bench.events)).not.toContain(secret);
  expect(JSON.stringify(await bench.log())).not.toContain(secret);
  expect(bench.of("tool_result").map((event) => event.text)).toEqual(["key: [secret]"]);
  expect(bench.of("tool_call")[0]?.payload.input).toEqual({ key: "[secret]" });
  expect(bench.engine.requests[1]?.messages.at(-1)).toMatchObject({ parts: [{ content: [{ text: `key: ${secret}` }] }] });
  expect(result.text).toBe(`It is ${secret}.`);
});

test("an event is logged before its sink hears of it", () => {
  const bench = openBench([]);
  const order: string[] = [];
  bench.runtime.books.log = () => void order.push("log");
  bench.runtime.publish(makeEvent("step", "work", { index: 1, total: 1, resumed: false, woke: false }), () => order.push("sink"));
  expect(order).toEqual(["log", "sink"]);
});

const FAILING: readonly (readonly [string, (event: Event) => void])[] = [
  [
    "throws",
    () => {
      throw new Error("screen gone");
    },
  ],
  ["returns a promise that rejects", () => Promise.reject(new Error("screen gone")) as never],
];

test.each(FAILING)("a sink that %s never harms the run: the errors are collected, and reported once", async (_what, onEvent) => {
  const bench = openBench(SCRIPT);
  const result = await bench.finish(bench.runtime.run(agent, "go", { onEvent }));
  expect(result).toMatchObject({ ok: true, text: "done" });
  expect(bench.runtime.uiErrors).toHaveLength(6);
  expect(bench.runtime.uiErrors.map(String)).toContain("Error: screen gone");
  const notices = (await bench.log()).filter((line) => line.kind === "task");
  expect(notices).toMatchObject([{ payload: { type: "notice", code: "sink-failed" } }]);
});

test.each(FAILING)("a sink that %s at the very end leaves the end of the run the last line", async (_what, onEvent) => {
  const bench = openBench([]);
  await bench.runtime.books.open();
  bench.runtime.publish(makeEvent("task", "", { type: "run-end", outcome: "achieved", exitCode: 0 }), onEvent);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await bench.log()).toMatchObject([{ payload: { type: "run-end" } }]);
  expect(bench.runtime.uiErrors).toHaveLength(1);
});

test("without a sink everything is logged all the same", async () => {
  const bench = openBench(SCRIPT);
  await bench.finish(bench.runtime.run(agent, "go"));
  expect(await bench.log()).toHaveLength(6);
});

test("deltas come when asked for, to the sink only", async () => {
  const bench = openBench([{ text: "hello", deltas: 3 }], { deltas: true });
  await bench.finish(bench.runtime.run(worker(), "go", { onEvent: bench.note }));
  expect(
    bench
      .of("delta")
      .map((event) => event.text)
      .join(""),
  ).toBe("hello");
  expect((await bench.log()).some((line) => line.kind === "delta")).toBe(false);
  const silent = openBench([{ text: "hello", deltas: 3 }]);
  await silent.finish(silent.runtime.run(worker(), "go", { onEvent: silent.note }));
  expect(silent.of("delta")).toEqual([]);
});

test("a step's label is in every event of its backend", async () => {
  const bench = openBench(SCRIPT, { language: "zh" });
  await bench.finish(bench.runtime.run(agent, "go", { onEvent: bench.note, label: { step: "干活", judge: 2 } }));
  expect(bench.events.every((event) => (event.payload as { step?: string }).step === "干活·判定#2")).toBe(true);
});
