import { expect, test } from "vitest";
import { NativeBackend } from "../../src/backends/native/native.ts";
import { FlowerError } from "../../src/core/errors.ts";
import { type ScriptedAnswer, ScriptedEngine, type ScriptedStep } from "../../src/engines/scripted.ts";
import { textOf } from "../../src/messages/message.ts";
import type { RunOptions } from "../../src/runtime/runtime.ts";
import { MemorySessionStore } from "../../src/sessions/memory.ts";
import { steps, stepTool } from "../backends/steps.ts";
import { type Bench, openBench, worker } from "./bench.ts";

function run(bench: Bench, options: RunOptions = {}) {
  return bench.finish(bench.runtime.run(worker({ tools: [stepTool([])] }), "build it", options));
}

/** A script's step during which the person speaks. */
function whileSpeaking(bench: () => Bench, words: string, answer: ScriptedAnswer): ScriptedStep {
  return () => {
    bench().runtime.interrupt(words);
    return answer;
  };
}

const lastPrompt = (bench: Bench, call: number) =>
  textOf(bench.engine.requests[call]!.messages.findLast((message) => message.role === "user")!);

test("words during the work cut at the boundary and go into the same session; nothing finished is lost, no attempt is used", async () => {
  const bench: Bench = openBench([whileSpeaking(() => bench, "leave the Makefile alone", steps(1)), "as you say"]);
  const result = await run(bench);
  expect(result).toMatchObject({ ok: true, text: "as you say", attempts: 1, errors: [], numIterations: 2 });
  expect(lastPrompt(bench, 1)).toContain("\nleave the Makefile alone\n");
  const { messages } = bench.engine.requests[1]!;
  expect(messages.map((message) => message.role)).toEqual(["user", "model", "tool", "user"]);
  expect(messages[3]?.origin).toBe("person");
});

test("an interrupt without words just goes on", async () => {
  const bench: Bench = openBench([whileSpeaking(() => bench, "", steps(1)), "going on"]);
  expect(await run(bench)).toMatchObject({ ok: true, attempts: 1 });
  expect(lastPrompt(bench, 1)).toMatch(/said nothing\. Go on/);
});

test("words that come with the last reply are still heard before the step ends", async () => {
  const bench: Bench = openBench([whileSpeaking(() => bench, "one more thing", "done"), "that too"]);
  expect(await run(bench)).toMatchObject({ ok: true, text: "that too" });
  expect(lastPrompt(bench, 1)).toContain("one more thing");
});

test("words before any session exists go into the first prompt", async () => {
  const bench = openBench(["ok"]);
  bench.runtime.interrupt("in French");
  await run(bench);
  expect(lastPrompt(bench, 0)).toMatch(/^build it\n[\s\S]*in French$/);
  expect(bench.engine.requests).toHaveLength(1);
});

test("words between steps go to the next step, once", async () => {
  const bench = openBench(["one", "two", "three"]);
  await run(bench);
  bench.runtime.interrupt("in French");
  await run(bench);
  await run(bench);
  expect([0, 1, 2].map((call) => lastPrompt(bench, call).includes("in French"))).toEqual([false, true, false]);
});

test("words that came for a step which could not begin go to the next", async () => {
  const engine = new ScriptedEngine(["ok"]);
  const native = new NativeBackend({ store: new MemorySessionStore(), engine: () => engine, builtins: () => [] });
  let asked = 0;
  const backend = Object.assign(native, { window: async () => (asked++ === 0 ? Promise.reject(new Error("no")) : undefined) });
  const bench = openBench([], { backend });
  bench.runtime.interrupt("in French");
  await expect(run(bench)).rejects.toThrow("no");
  bench.runtime.interrupt("and short");
  await run(bench);
  expect(lastPrompt({ ...bench, engine }, 0)).toMatch(/in French\nand short$/);
});

test("words while a run works that takes none (a judge) wait for the next that does", async () => {
  const bench: Bench = openBench([whileSpeaking(() => bench, "in French", steps(1)), "verdict", "next"]);
  expect(await run(bench, { takesWords: false })).toMatchObject({ ok: true, text: "verdict" });
  expect(bench.engine.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "model", "tool"]);
  await run(bench);
  expect(lastPrompt(bench, 2)).toContain("in French");
});

test("words that a failing step could not take go to the next one", async () => {
  const bench: Bench = openBench([whileSpeaking(() => bench, "in French", new FlowerError("auth", "no")), "next"]);
  expect(await run(bench)).toMatchObject({ ok: false, errorKind: "auth" });
  await run(bench);
  expect(lastPrompt(bench, 1)).toContain("in French");
});

test("words said twice before the boundary are both heard, in order", async () => {
  const speakTwice: ScriptedStep = () => {
    bench.runtime.interrupt("first");
    bench.runtime.interrupt("second");
    return steps(1);
  };
  const bench: Bench = openBench([speakTwice, "heard"]);
  await run(bench);
  expect(lastPrompt(bench, 1)).toMatch(/first\nsecond/);
  expect(bench.engine.requests).toHaveLength(2);
});

test("words during a failure are heard after the retry", async () => {
  const bench: Bench = openBench([steps(1), whileSpeaking(() => bench, "in French", new FlowerError("offline", "no")), "heard"]);
  expect(await run(bench)).toMatchObject({ ok: true, attempts: 2 });
  expect(lastPrompt(bench, 2)).toContain("in French");
});

test("with two steps under way both hear the words", async () => {
  const bench: Bench = openBench((request, call) => {
    if (call === 2) bench.runtime.interrupt("in French");
    return request.messages.length === 1 ? steps(1) : "done";
  });
  await Promise.all([run(bench), run(bench)]);
  const heard = bench.engine.requests.filter((request) => request.messages.some((message) => textOf(message).includes("in French")));
  expect(heard).toHaveLength(2);
});
