import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { type Desk, openDesk } from "./desk.ts";
import { steps, stepTool } from "./steps.ts";

const usage = (n: number) => ({ inputTokens: n, outputTokens: 10 * n, costUsd: n / 100 });

const endings: readonly (readonly [string, () => Desk, Parameters<Desk["run"]>[0], object])[] = [
  ["success", () => openDesk(["done"]), {}, { isError: false }],
  ["a refused request", () => openDesk([new FlowerError("auth", "bad key")]), {}, { isError: true, errorKind: "auth" }],
  ["an interrupt", () => openDesk([]), { steering: steering({ interrupted: () => true }) }, { isError: false }],
  ["a budget that is used up", () => openDesk([]), { steering: steering({ overBudget: () => "$1 of $1" }) }, { isError: false }],
  [
    "an abort beforehand",
    () => openDesk([]),
    { signal: AbortSignal.abort(new FlowerError("aborted", "no")) },
    { isError: true, errorKind: "aborted" },
  ],
  ["a tool that the backend lacks", () => openDesk([], { agent: { tools: ["Bash"] } }), {}, { isError: true, errorKind: "bad-config" }],
  ["a fork of nothing", () => openDesk([]), { fork: { from: "nobody" } }, { isError: true, errorKind: "not-found" }],
];

test.each(endings)("after %s the result event is the last, and the only one", async (_what, open, query, payload) => {
  const { events } = await open().run(query);
  expect(events.filter((event) => event.kind === "result")).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ kind: "result", payload: { sessionId: "s1", agent: "worker", step: "work", ...payload } });
});

test("a session that is taken fails with a result event too", async () => {
  const desk = openDesk([{ delayMs: 200, text: "slow" }]);
  const first = desk.run();
  await new Promise((resolve) => setImmediate(resolve));
  const second = await desk.run();
  expect(second.events.map((event) => event.kind)).toEqual(["result"]);
  expect(second.events[0]?.payload).toMatchObject({ isError: true, errorKind: "session-busy", usage: { inputTokens: 0 } });
  expect(second.error).toMatchObject({ code: "session-busy" });
  expect((await first).outcome?.kind).toBe("done");
});

test.each([
  ["success", "done", undefined],
  ["failure", new FlowerError("overloaded", "later"), "overloaded"],
] as const)("the result event has the usage of every call, also after %s", async (_what, last, errorKind) => {
  const final = last instanceof Error ? last : { text: last, usage: usage(3) };
  const desk = openDesk([{ ...steps(1), usage: usage(1) }, { ...steps(2), usage: usage(2) }, final], { tools: [stepTool([])] });
  const { events } = await desk.run();
  const sum = errorKind === undefined ? 6 : 3;
  expect(events.at(-1)).toMatchObject({
    kind: "result",
    payload: {
      usage: { inputTokens: sum, outputTokens: 10 * sum },
      numIterations: 3,
      isError: errorKind !== undefined,
      ...(errorKind === undefined ? {} : { errorKind }),
    },
  });
  const { costUsd } = events.at(-1)!.payload as { costUsd: number };
  expect(costUsd).toBeCloseTo(sum / 100);
});

test("a price that is unknown once makes the query's cost unknown, never 0", async () => {
  const desk = openDesk(
    [
      { ...steps(1), usage: usage(1) },
      { text: "done", usage: { inputTokens: 5, costUsd: undefined } },
    ],
    {
      tools: [stepTool([])],
    },
  );
  const { events } = await desk.run();
  expect(events.at(-1)?.payload).not.toHaveProperty("costUsd");
});

test("every event says who, where and in which iteration", async () => {
  const desk = openDesk([{ reasoning: "hm", ...steps(1) }, "done"], { tools: [stepTool([])] });
  const { events } = await desk.run();
  expect(events.map(({ kind, payload }) => [kind, (payload as { iteration: number }).iteration])).toEqual([
    ["prompt", 0],
    ["thinking", 1],
    ["text", 1],
    ["tool_call", 1],
    ["tool_result", 1],
    ["text", 2],
    ["result", 2],
  ]);
  for (const { payload } of events) expect(payload).toMatchObject({ agent: "worker", step: "work" });
});

function steering(change: object) {
  return { interrupted: () => false, overBudget: () => undefined, contextFull: () => false, notice: () => undefined, ...change };
}
