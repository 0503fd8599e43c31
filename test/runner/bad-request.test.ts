import { describe, expect, it, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { calling, eventsOf, ofKind, plainTool, rejection, STORES, stage } from "./stage.ts";

const BAD_REQUESTS: readonly (readonly [unknown, string])[] = [
  [null, "request: the options must be an object, not null"],
  [5, "not 5"],
  [new AbortController().signal, "give the signal as { signal }"],
  [{ signal: 5 }, "signal must be an AbortSignal"],
  [{ signal: null }, "signal must be an AbortSignal"],
  [{ signal: new AbortController() }, "signal must be an AbortSignal, e.g. of new AbortController(), not an object"],
  [{ timeoutMs: 0 }, "timeoutMs must be a number of milliseconds > 0"],
  [{ timeoutMs: Number.NaN }, "timeoutMs"],
  [{ timeoutMs: "5000" }, 'timeoutMs must be a number of milliseconds > 0, not "5000"'],
  [{ metadata: null }, "metadata must be an object"],
  [{ metadata: "web" }, "metadata must be an object"],
  [{ deltas: "yes" }, "deltas must be true or false"],
  [{ timeout: 5_000 }, 'no option "timeout". Known: metadata, signal, timeoutMs, deltas'],
];

const BAD_DECISIONS: readonly (readonly [unknown, string])[] = [
  [undefined, "must be a list of { callId, approve, reason? }"],
  [null, "must be a list"],
  [{ callId: "c", approve: true }, "must be a list"],
  [new Map(), "must be a list"],
  [[null], "Decision 1"],
  [["c"], "Decision 1"],
  [[{ approve: true }], "number 1 has no callId"],
  [[{ callId: "c" }], "number 1 has no approve"],
  [[{ callId: 5, approve: true }], "callId must be a text"],
  [[{ callId: "c", approve: "no" }], 'approve must be true or false, not "no"'],
  [[{ callId: "c", approve: false, reason: 5 }], "reason must be a text"],
  [[{ callId: "c", aprove: true }], '"aprove". Known: callId, approve, reason'],
  [
    [
      { callId: "c", approve: true },
      { callId: "c", approve: false },
    ],
    'two decisions about the call "c"',
  ],
];

describe.each(STORES)("over the %s store", (_name, make) => {
  it("a turn that waits for approval is as it was after every call that was wrong, and goes on with the right one", async () => {
    const ran: string[] = [];
    const act = plainTool("act", () => void ran.push("act"), { needsApproval: true });
    const { runner, engine, store } = stage([calling("act"), "Done."], { tools: [act], fixture: make() });
    const { pending, turnId } = await runner.run("s", "go");
    const callId = pending[0]!.callId;
    const journal = await store.journal("s", turnId);
    const wrong = { code: "bad-input" };
    for (const [request, words] of BAD_REQUESTS) {
      const refused = { ...wrong, message: expect.stringContaining(words) };
      expect(await rejection(runner.run("s", "hi", request as never)), words).toMatchObject(refused);
      expect(await rejection(runner.recover("s", request as never)), words).toMatchObject(refused);
      expect(await rejection(runner.resume("s", [{ callId, approve: true }], request as never)), words).toMatchObject(refused);
    }
    for (const [decisions, words] of BAD_DECISIONS) {
      const refused = { ...wrong, message: expect.stringContaining(words) };
      expect(await rejection(runner.resume("s", decisions as never)), words).toMatchObject(refused);
    }
    const unknown = [{ callId: "call_of_another_turn", approve: true }];
    const naming = `no call "call_of_another_turn". Decide about the calls in the response's pending: ${callId}.`;
    expect(await rejection(runner.resume("s", unknown))).toMatchObject({ ...wrong, message: expect.stringContaining(naming) });

    expect(ran).toEqual([]);
    expect(engine.requests).toHaveLength(1);
    expect(await store.journal("s", turnId)).toEqual(journal);
    expect(await store.turns("s")).toMatchObject([{ turnId, status: "paused" }]);
    expect(await runner.resume("s", [{ callId, approve: true }])).toMatchObject({ content: "Done.", turnId });
    expect(ran).toEqual(["act"]);
  });

  it("nothing of a session is touched by a request that is wrong", async () => {
    const { runner, engine, store } = stage(["never"], { fixture: make() });
    for (const [request] of BAD_REQUESTS) await rejection(runner.run("s", "hi", request as never));
    expect(engine.requests).toHaveLength(0);
    expect(await store.turns("s")).toEqual([]);
  });
});

test.each(BAD_REQUESTS)(
  "a stream with the request %j gives its error to response and to readers, and throws none itself",
  async (request) => {
    const { runner } = stage(["never"]);
    const run = runner.stream("s", "hi", request as never);
    const resumed = runner.resumeStream("s", [], request as never);
    expect(await eventsOf(run)).toEqual([]);
    expect(await rejection(run.response)).toMatchObject({ code: "bad-input" });
    expect(await rejection(resumed.response)).toMatchObject({ code: "bad-input" });
  },
);

test.each([
  [null, "not null"],
  [undefined, "not undefined"],
  [["a"], "not a list"],
  ["a", 'not "a"'],
  [{ seen: new Set(["a"]) }, "a Set at seen"],
  [{ error: new Error("x") }, "a Error at error"],
])("%j is no metadata: the session keeps what it has", async (metadata, words) => {
  const { runner } = stage([]);
  await runner.setMetadata("s", { language: "pt" });
  const refused = { code: "bad-input", message: expect.stringContaining(words) };
  expect(await rejection(runner.setMetadata("s", metadata as never))).toMatchObject(refused);
  expect(await runner.session("s")).toMatchObject({ metadata: { language: "pt" }, commit: 1 });
});

test.each([["yes"], [1], [{}], [{ approved: true }], [null]])(
  "approve that gives %j fails the turn, and the tool does not run",
  async (answer) => {
    const ran: string[] = [];
    const act = plainTool("act", () => void ran.push("act"), { needsApproval: true });
    const { runner } = stage([calling("act"), "never"], { tools: [act], approve: () => answer as never });
    const run = runner.stream("s", "go");
    if (answer === null) {
      expect(await run.response).toMatchObject({ finishReason: "needs-approval" });
    } else {
      const refused = {
        code: "bad-config",
        message: expect.stringMatching(/approve gave .* for a call of "act"; it must give true, false, /),
      };
      expect(await rejection(run.response)).toMatchObject(refused);
      expect(ofKind(await eventsOf(run), "tool_result")).toEqual([]);
      expect(await runner.session("s")).toBeUndefined();
    }
    expect(ran).toEqual([]);
  },
);

test.each([[undefined], [5], [{ text: "Be kind." }]])(
  "instructions that give %j fail the turn before the model is asked",
  async (given) => {
    const { runner, engine } = stage(["never"], { startingAgent: new Agent({ name: "Odd", instructions: () => given as never }) });
    const refused = {
      code: "bad-config",
      message: expect.stringMatching(/^The instructions function of agent "Odd" must give a text, not /),
    };
    expect(await rejection(runner.run("s", "hi"))).toMatchObject(refused);
    expect(engine.requests).toHaveLength(0);
    expect(await runner.session("s")).toBeUndefined();
  },
);

test("a signal of another kind that works like one is one", async () => {
  const { runner } = stage([() => new Promise<never>(() => {})]);
  const inner = new AbortController();
  const { signal } = inner;
  const likeOne = {
    get aborted() {
      return signal.aborted;
    },
    get reason() {
      return signal.reason;
    },
    addEventListener: signal.addEventListener.bind(signal),
    removeEventListener: signal.removeEventListener.bind(signal),
  };
  const turn = rejection(runner.run("s", "hi", { signal: likeOne as never }));
  inner.abort("left");
  expect(await turn).toBe("left");
});
