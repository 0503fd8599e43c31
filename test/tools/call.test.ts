import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { z } from "zod";
import { FlowerError } from "../../src/core/errors.ts";
import { resultText } from "../../src/messages/message.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { type CallGuard, type CallOptions, type CallOutcome, failed, runCall, unknownToolText } from "../../src/tools/call.ts";
import { type Tool, type ToolContext, tool, toolOutput } from "../../src/tools/tool.ts";

const parameters = z.object({ n: z.number() });
const make = (execute: Tool["execute"], change: object = {}): Tool =>
  tool({ name: "double", description: "", parameters, execute, ...change });
const double = make((args) => (args as { n: number }).n * 2);

function contextOf(signal = new AbortController().signal): ToolContext {
  return { sessionId: "s", path: ["a"], agent: "a", callId: "c", metadata: {}, history: [], signal, services: {}, emit: () => {} };
}

async function run(
  target: Tool | string,
  args: unknown = { n: 2 },
  options: CallOptions = {},
  context = contextOf(),
): Promise<CallOutcome> {
  const call = { type: "call", callId: "c", name: "double", args: args as never } as const;
  return (await runCall(call, target, context, options)) as CallOutcome;
}

const text = (outcome: CallOutcome) => resultText(outcome.content);

test("what a tool returns is the outcome: data, text, nothing, or parts marked as an error", async () => {
  expect(await run(double)).toEqual({ content: [{ type: "json", value: 4 }], isError: false });
  expect(text(await run(make(() => "four")))).toBe("four");
  expect(text(await run(make(async () => undefined)))).toBe("Done.");
  expect(await run(make(() => toolOutput("no", { isError: true })))).toMatchObject({ isError: true });
});

test.each([[{ n: "2" }], [{}], ["text"], [null], [[2]]])(
  "arguments that do not fit (%j) never reach the tool; the model is told what to correct",
  async (args) => {
    let ran = false;
    const spy = make(() => {
      ran = true;
    });
    const outcome = await run(spy, args);
    expect(outcome.isError).toBe(true);
    expect(text(outcome)).toMatch(/^Invalid arguments for "double": .*\. Correct them and call again\.$/);
    expect(ran).toBe(false);
  },
);

test("a tool that throws gives the model a trace id and nothing of the error; the log gets the error under that id", async () => {
  const outcome = await run(make(() => Promise.reject(new Error("postgres://user:secret@host"))));
  expect(outcome.isError).toBe(true);
  expect(text(outcome)).toMatch(/^"double" failed \(trace \w{8}\)\. The details are in the log\.$/);
  const trace = /trace (\w{8})/.exec(text(outcome))?.[1];
  expect(outcome.detail).toContain(`[${trace}] Error: postgres://user:secret@host`);
});

test("a fatal error fails the turn, and so does what a guard throws", async () => {
  const fatal = new FlowerError("fatal-tool-error", "the disk is gone");
  await expect(run(make(() => Promise.reject(fatal)))).rejects.toBe(fatal);
  await expect(run(double, { n: 2 }, { guards: [{ before: () => Promise.reject(fatal) }] })).rejects.toBe(fatal);
});

test("a tool that takes too long is given up at its time; its signal aborts, and its late result is dropped", async () => {
  const clock = new FakeClock();
  let signal: AbortSignal | undefined;
  let finish: (value: string) => void = () => {};
  const outlived: Promise<unknown>[] = [];
  const slow = make((_args, context) => {
    signal = context.signal;
    return new Promise<string>((resolve) => {
      finish = resolve;
    });
  });
  const running = run(slow, { n: 2 }, { clock, timeoutMs: 5_000, onOutlived: (still) => void outlived.push(still) });
  await clock.advance(4_999);
  expect(signal?.aborted).toBe(false);
  await clock.advance(1);
  expect(text(await running)).toBe('"double" was stopped after 5 s. Try a smaller piece of work.');
  expect(signal?.aborted).toBe(true);
  expect(clock.timers).toBe(0);
  expect(outlived).toHaveLength(1);
  finish("too late");
  expect(await outlived[0]).toBe("result");
});

test("a tool's own limit goes before the general one; without a limit it may take for ever", async () => {
  const clock = new FakeClock();
  const hang = (timeoutMs: number) =>
    run(
      make(() => new Promise<never>(() => {}), { timeoutMs }),
      { n: 2 },
      { clock, timeoutMs: 5_000 },
    );
  const limited = hang(1_000);
  void hang(Number.POSITIVE_INFINITY);
  await clock.advance(1_000);
  expect(text(await limited)).toContain("after 1 s");
  expect(clock.timers).toBe(0);
});

test("an abort ends a call with the caller's reason, though the tool is deaf, and leaves no listener and no timer", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const running = run(
    make(() => new Promise<never>(() => {})),
    { n: 2 },
    { clock },
    contextOf(controller.signal),
  );
  await clock.advance(0);
  controller.abort("stop");
  await expect(running).rejects.toBe("stop");
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  expect(clock.timers).toBe(0);
});

test("a call that ends leaves no listener and no timer; with an aborted signal nothing runs", async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  await run(
    make(async () => "four"),
    { n: 2 },
    { clock },
    contextOf(signal),
  );
  expect([getEventListeners(signal, "abort").length, clock.timers]).toEqual([0, 0]);
  let ran = false;
  const spy = make(() => {
    ran = true;
  });
  await expect(run(spy, { n: 2 }, {}, contextOf(AbortSignal.abort("gone")))).rejects.toBe("gone");
  expect(ran).toBe(false);
});

test("guards are asked in order; the first that denies has the last word, and the tool does not run", async () => {
  const asked: string[] = [];
  const guard = (name: string, denial?: string): CallGuard => ({
    before: async () => {
      asked.push(name);
      return denial;
    },
  });
  const outcome = await run(double, { n: 2 }, { guards: [guard("a"), guard("b", "not today"), guard("c")] });
  expect(asked).toEqual(["a", "b"]);
  expect(outcome).toEqual({ denied: true, ...failed("not today") });
});

test("after the tool, guards see the outcome in order and may replace it, also of a tool that does not exist", async () => {
  const add = (letter: string): CallGuard => ({
    after: async (_call, outcome) => ({ ...outcome, content: [...outcome.content, { type: "text", text: letter }] }),
  });
  expect(text(await run(double, { n: 2 }, { guards: [add("a"), add("b")] }))).toBe("4\na\nb");
  const missing = await run(unknownToolText("duoble", ["double"]), {}, { guards: [add("a")] });
  expect(missing.isError).toBe(true);
  expect(text(missing)).toBe('Tool "duoble" does not exist. Available: double.\na');
});

test.each<[string, CallOutcome | "pending" | undefined, boolean]>([
  ["lets it run", undefined, true],
  ["refuses it", failed("no"), false],
  ["leaves it open", "pending", false],
])("who authorizes %s; the start is told only of what runs", async (_what, answer, runs) => {
  const order: string[] = [];
  const spy = make(() => {
    order.push("ran");
    return "four";
  });
  const outcome = await run(
    spy,
    { n: 2 },
    {
      authorize: async () => {
        order.push("asked");
        return answer;
      },
      onStart: async () => void order.push("started"),
    },
  );
  expect(order).toEqual(runs ? ["asked", "started", "ran"] : ["asked"]);
  if (!runs) expect(outcome).toBe(answer);
});

test("nobody is asked to authorize what has the wrong arguments", async () => {
  const outcome = await run(double, {}, { authorize: () => Promise.reject(new Error("asked")) });
  expect(outcome.isError).toBe(true);
});

test("what is wrong with arguments ends in one full stop", async () => {
  const strict = make(() => "", { parameters: { type: "object", properties: { n: { type: "string" } } } });
  const told = text(await run(strict));
  expect(told).toContain('Expected "string"');
  expect(told).not.toContain("..");
});
