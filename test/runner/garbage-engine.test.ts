import { expect, onTestFinished, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { isFlowerError } from "../../src/core/errors.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { NO_USAGE } from "../../src/messages/usage.ts";
import { Runner } from "../../src/runner/runner.ts";
import { rejection } from "./stage.ts";

/** A Runner over somebody's own engine. */
function over(stream: (options: { readonly signal: AbortSignal }) => unknown): Runner {
  const engine = { provider: "own", model: "m", stream: (_request: unknown, options: never) => stream(options), withModel: () => engine };
  const runner = new Runner({ startingAgent: new Agent({ name: "A" }), engine: engine as unknown as Engine });
  onTestFinished(() => runner.close());
  return runner;
}

async function* giving(...parts: readonly unknown[]) {
  yield* parts;
}

const block = { type: "block", of: "text", text: "hi" };
const finish = { type: "finish", reason: "stop", usage: NO_USAGE };

const BROKEN: readonly (readonly [string, () => unknown])[] = [
  ["a finish without usage", () => giving(block, { type: "finish", reason: "stop" })],
  ["usage that is NaN", () => giving(block, { ...finish, usage: { ...NO_USAGE, inputTokens: Number.NaN } })],
  ["usage below zero", () => giving(block, { ...finish, usage: { ...NO_USAGE, outputTokens: -1 } })],
  ["a cost below zero", () => giving(block, { ...finish, usage: { ...NO_USAGE, costUsd: -1 } })],
  ["usage that lacks a figure", () => giving(block, { ...finish, usage: { inputTokens: 1, outputTokens: 1 } })],
  ["an unknown finish reason", () => giving(block, { ...finish, reason: "toString" })],
  ["deltas that no block closes", () => giving({ type: "delta", of: "text", text: "lost" }, finish)],
  ["deltas after the last block", () => giving(block, { type: "delta", of: "text", text: "lost" }, finish)],
  ["a block without text", () => giving({ type: "block", of: "text" }, finish)],
  ["a block of unknown kind", () => giving({ type: "block", of: "song", text: "la" }, finish)],
  ["a call without a name", () => giving({ type: "call", args: {} }, finish)],
  ["a call without args", () => giving({ type: "call", name: "look" }, finish)],
  ["an unknown part", () => giving({ type: "surprise" }, finish)],
  ["a part that is null", () => giving(null, finish)],
  ["no stream at all", () => undefined],
  ["a promise of a stream", async () => giving(block, finish)],
  ["a promise that rejects", () => Promise.reject(new Error("late"))],
  ["a list", () => [block, finish]],
  ["an iterator that is not asynchronous", () => ({ [Symbol.asyncIterator]: () => [block, finish].values() })],
  ["reads that give nothing", () => ({ [Symbol.asyncIterator]: () => ({ next: async () => undefined }) })],
];

test.each(BROKEN)("%s from an engine is stream-cut, says whose fault it is, and commits nothing", async (_what, stream) => {
  const runner = over(stream);
  const message = expect.stringMatching(/^The engine "own" broke its contract: .+\.$/);
  expect(await rejection(runner.run("s", "hi"))).toMatchObject({ code: "stream-cut", message });
  expect(await runner.session("s")).toBeUndefined();
});

const GARBAGE: readonly unknown[] = [undefined, null, "no luck", 5, { odd: true }, Object.create(null), new Error("plain")];
const WAYS: readonly (readonly [string, (thrown: unknown) => unknown])[] = [
  [
    "while it is read",
    async function* (thrown) {
      yield block;
      throw thrown;
    },
  ],
  [
    "before it gives a stream",
    (thrown) => {
      throw thrown;
    },
  ],
  [
    "from next() itself",
    (thrown) => ({
      [Symbol.asyncIterator]: () => ({
        next() {
          throw thrown;
        },
      }),
    }),
  ],
];

test.each(WAYS)("whatever an engine throws %s is a FlowerError with the cause kept", async (_when, way) => {
  for (const thrown of GARBAGE) {
    const runner = over(() => way(thrown));
    const error = (await rejection(runner.run("s", "hi"))) as Error;
    expect(isFlowerError(error, "unknown")).toBe(true);
    expect(error.cause).toBe(thrown);
    expect(await runner.session("s")).toBeUndefined();
  }
});

test("the caller's own abort reason comes as it is, whatever the engine makes of it", async () => {
  const caller = new AbortController();
  const runner = over(async function* ({ signal }) {
    caller.abort("enough");
    yield block;
    throw new Error(String(signal.reason));
  });
  expect(await rejection(runner.run("s", "hi", { signal: caller.signal }))).toBe("enough");
});

test("what comes after finish is not read", async () => {
  const runner = over(() => giving(block, finish, null, { type: "surprise" }));
  expect(await runner.run("s", "hi")).toMatchObject({ content: "hi" });
});
