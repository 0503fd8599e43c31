import { expect, test } from "vitest";
import { type ErrorCode, FlowerError } from "../../src/core/errors.ts";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import { textOf } from "../../src/messages/message.ts";
import { steps, stepTool } from "../backends/steps.ts";
import { type Bench, openBench, worker } from "./bench.ts";

const SECRET = "connect ECONNREFUSED 10.0.0.7:443 (key sk-123)";
const failure = (code: ErrorCode, details = {}) => new FlowerError(code, SECRET, { details });

function run(bench: Bench) {
  return bench.finish(bench.runtime.run(worker({ tools: [stepTool([])] }), "build it", { onEvent: bench.note, stepName: "work" }));
}

/** What the newest user message of each request said. */
function prompts(bench: Bench): string[] {
  return bench.engine.requests.map((request) => textOf(request.messages.findLast((message) => message.role === "user")!));
}

test("a failure after the first iteration is resumed in the same session, with a prompt that names no error detail", async () => {
  const bench = openBench([steps(1), failure("stream-cut"), "done"]);
  const result = await run(bench);
  expect(result).toMatchObject({ ok: true, text: "done", attempts: 2, errors: [SECRET], error: "" });
  const [, , last] = prompts(bench);
  expect(last).toMatch(/^The connection was lost for a moment and is back\. Go on where you left off/);
  expect(last).not.toContain("ECONNREFUSED");
  expect(last).not.toContain("build it");
  const sessions = new Set(bench.of("result").map((event) => event.payload.sessionId));
  expect([...sessions]).toEqual([result.sessionId]);
  const history = bench.engine.requests[2]?.messages ?? [];
  expect(history.map((message) => message.role)).toEqual(["user", "model", "tool", "user"]);
});

test("a failure before anything was kept gives the same prompt again, once, not twice", async () => {
  const bench = openBench([failure("offline"), failure("overloaded"), "done"]);
  const result = await run(bench);
  expect(result).toMatchObject({ ok: true, attempts: 3 });
  expect(prompts(bench)).toEqual(["build it", "build it", "build it"]);
  expect(bench.engine.requests[2]?.messages).toHaveLength(1);
});

test("a prompt to go on that was not kept is given again as it is", async () => {
  const bench = openBench([steps(1), failure("offline"), failure("offline"), "done"]);
  await run(bench);
  expect(prompts(bench)[2]).toBe(prompts(bench)[3]);
  expect(bench.engine.requests[3]?.messages).toHaveLength(4);
});

test("after six attempts it stops, says so, and has waited longer each time", async () => {
  const bench = openBench(Array.from({ length: 6 }, () => failure("overloaded")));
  const result = await run(bench);
  expect(bench.engine.requests).toHaveLength(6);
  expect(result).toMatchObject({ ok: false, attempts: 6, errorKind: "overloaded", error: `${SECRET} Gave up after 6 attempts.` });
  expect(result.errors).toHaveLength(5);
  const retries = bench.of("retry");
  expect(retries.map((event) => event.payload.attempt)).toEqual([2, 3, 4, 5, 6]);
  expect(retries.every((event) => event.payload.step === "work" && event.payload.reason === "overloaded")).toBe(true);
  const waited = retries.reduce((sum, event) => sum + (event.payload.delayMs ?? 0), 0);
  expect(result.durationMs).toBeGreaterThanOrEqual(waited);
});

test("a reply between two failures starts the count anew: a night has more failures than six, and the first pause is short each time", async () => {
  const night = Array.from({ length: 8 }, (_, index) => [steps(index), failure("overloaded")]).flat();
  const bench = openBench([...night, "done"]);
  const result = await run(bench);
  expect(result).toMatchObject({ ok: true, text: "done", attempts: 9 });
  expect(bench.of("retry").map((event) => event.payload.attempt)).toEqual(Array.from({ length: 8 }, () => 2));
});

test.each<[ErrorCode]>([["auth"], ["bad-request"], ["quota"], ["content-filter"], ["unknown"]])("%s is not tried again", async (code) => {
  const bench = openBench([failure(code)]);
  const result = await run(bench);
  expect(result).toMatchObject({ ok: false, attempts: 1, errorKind: code, error: SECRET, errors: [] });
  expect(bench.of("retry")).toEqual([]);
});

test("what the provider asked to wait is waited", async () => {
  const bench = openBench([failure("rate-limited", { retryAfterMs: 600_000 }), "done"]);
  const result = await run(bench);
  expect(result.durationMs).toBeGreaterThanOrEqual(600_000);
});

test("usage and iterations of every attempt count, failed ones included", async () => {
  const priced = (n: number): ScriptedStep => ({ ...steps(n), usage: { inputTokens: 10, costUsd: 0.01 } });
  const bench = openBench([priced(1), failure("offline"), priced(2), { text: "done", usage: { inputTokens: 10, costUsd: 0.01 } }]);
  const result = await run(bench);
  expect(result.usage.inputTokens).toBe(30);
  expect(result.costUsd).toBeCloseTo(0.03);
  expect(result.numIterations).toBe(4); // calls made, the one that failed too
  expect(bench.runtime.totalCost()).toBeCloseTo(0.03);
});

test("an abort while waiting for the next attempt ends the run at once", async () => {
  const bench = openBench([failure("offline")]);
  const running = run(bench);
  while (bench.of("retry").length === 0) await bench.clock.advance(1);
  bench.runtime.abort(new FlowerError("aborted", "enough"));
  expect(await running).toMatchObject({ ok: false, errorKind: "aborted", error: "enough", attempts: 1 });
  expect(bench.engine.requests).toHaveLength(1);
});

test("news for the model that was lost with its iteration is given again", async () => {
  const bench = openBench([steps(1), failure("offline"), "read it"]);
  const news = [undefined, "mail has come"];
  await bench.finish(bench.runtime.run(worker({ tools: [stepTool([])] }), "go", { notice: () => news.shift() }));
  const texts = bench.engine.requests.map((request) => request.messages.map(textOf).filter((text) => text === "mail has come").length);
  expect(texts).toEqual([0, 1, 1]);
});
