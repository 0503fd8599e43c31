import { expect, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { Runner } from "../../src/runner/runner.ts";
import { calling, deferred, plainTool, rejection, stage } from "./stage.ts";

test.each([[""], [undefined], [null], [5], [{}]])("%j is no session id; the error says what one is for", async (id) => {
  const { runner, engine } = stage(["never"]);
  const refused = { code: "bad-input", message: expect.stringMatching(/session id .*names one conversation/) };
  expect(await rejection(runner.run(id as never, "hi"))).toMatchObject(refused);
  expect(await rejection(runner.resume(id as never, []))).toMatchObject(refused);
  expect(await rejection(runner.session(id as never))).toMatchObject(refused);
  expect(await rejection(runner.discard(id as never))).toMatchObject(refused);
  expect(await rejection(runner.setMetadata(id as never, {}))).toMatchObject(refused);
  expect(engine.requests).toHaveLength(0);
});

const NO_MESSAGES: readonly unknown[] = [
  undefined,
  5,
  null,
  {},
  [],
  [null],
  ["hi"],
  [{ type: "txt", text: "hi" }],
  [{ type: "text" }],
  [
    { type: "text", text: "ok" },
    { type: "text", text: 5 },
  ],
  [{ type: "image", mediaType: "image/png" }],
  [{ type: "image", data: "aGk=" }],
  [{ type: "image", mediaType: "image/png", data: "data:image/png;base64,aGk=" }],
  [Object.create(null)],
  new Map(),
];

test.each(NO_MESSAGES.map((input) => [input]))("%j is no message: nothing is sent and nothing stays", async (input) => {
  const { runner, engine } = stage(["never"]);
  expect(await rejection(runner.run("s", input as never))).toMatchObject({ code: "bad-input", message: expect.stringMatching(/message/) });
  expect(await runner.session("s")).toBeUndefined();
  expect(engine.requests).toHaveLength(0);
});

test("a message that is none leaves a turn that waits for approval as it is", async () => {
  const asking = plainTool("act", () => "did it", { needsApproval: true });
  const { runner } = stage([calling("act"), "Done."], { tools: [asking] });
  const { pending } = await runner.run("s", "go");
  await rejection(runner.run("s", [] as never));
  const decisions = pending.map(({ callId }) => ({ callId, approve: true }));
  expect(await runner.resume("s", decisions)).toMatchObject({ content: "Done." });
});

const startingAgent = new Agent({ name: "A" });

test.each([
  [{ maxToolIterations: -1 }, "maxToolIterations"],
  [{ maxToolIterations: Number.NaN }, "maxToolIterations"],
  [{ maxToolIterations: "3" }, "maxToolIterations"],
  [{ maxHandoffsPerTurn: 1.5 }, "maxHandoffsPerTurn"],
  [{ idleTimeoutMs: Number.NaN }, "idleTimeoutMs"],
  [{ toolTimeoutMs: -5 }, "toolTimeoutMs"],
  [{ historyWindow: { turn: 3 } }, '"turn". Known: turns, tokens'],
  [{ historyWindow: { tokens: Number.NaN } }, "tokens"],
  [{ onBusy: "wait" }, "onBusy must be one of queue, reject"],
  [{ maxTurns: 3 }, '"maxTurns". Known: startingAgent, '],
  [{ startingAgent: null }, "startingAgent"],
  [{ startingAgent: { name: "A" } }, "startingAgent made with new Agent"],
  [{ sessionStore: "chat.db" }, "sessionStore must be an object with the methods open, "],
  [{ sessionStore: {} }, "sessionStore"],
  [{ engine: "openai/gpt-4o" }, 'engine must be an engine, e.g. openai("gpt-4o"), not "openai/gpt-4o"'],
  [{ engine: null }, "engine"],
  [{ apiKey: 5 }, "apiKey must be a text"],
  [{ historyWindow: null }, "historyWindow"],
  [{ historyWindow: 20 }, "historyWindow"],
  [{ services: null }, "services must be an object, not null"],
  [{ services: [] }, "services must be an object, not an empty list"],
  [{ guards: {} }, "guards must be a list"],
  [{ guards: [() => "no"] }, "a guard must be an object with a function before, or after, or both, not a function"],
  [{ guards: [{ befor: () => "no" }] }, "a guard must"],
  [{ guards: [{ before: true }] }, "a guard must"],
  [{ approve: true }, "approve must be a function, not true"],
  [{ clock: Date }, "clock must be an object with the methods now, after, not a function"],
])("a Runner refuses %j, naming the option", (options, named) => {
  let error: unknown;
  try {
    new Runner({ startingAgent, ...options } as never);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: "bad-config", message: expect.stringContaining(named) });
});

test.each([[undefined], [null], ["agents.ts"], [[startingAgent]]])("%j are no options of a Runner", (options) => {
  expect(() => new Runner(options as never)).toThrow(expect.objectContaining({ code: "bad-config" }));
});

test.each([[undefined], [null], ["B"], [{ name: "B" }], [[startingAgent]]])("%j cannot be registered as an agent", (agent) => {
  const { runner } = stage([]);
  expect(() => runner.registerAgent(agent as never)).toThrow(/registerAgent needs an agent made with new Agent/);
  expect([...runner.agents.keys()]).toEqual(["Helper"]);
});

test("a Runner takes limits at their edges", () => {
  const edges = { maxToolIterations: 0, maxHandoffsPerTurn: 0, idleTimeoutMs: Infinity, toolTimeoutMs: undefined, historyWindow: {} };
  expect(() => new Runner({ startingAgent, ...edges })).not.toThrow();
});

const LOSSY: readonly (readonly [string, () => unknown, string])[] = [
  ["a Map", () => new Map([["a", 1]]), "returned a Map."],
  ["a Set inside", () => ({ found: { ids: new Set([1]) } }), "returned a Set at found.ids."],
  ["a Response", () => new Response("hi"), "returned a Response."],
  ["a stream", () => new ReadableStream(), "returned a ReadableStream."],
  ["an error inside", () => ({ error: new Error("x") }), "returned a Error at error."],
  ["a function", () => () => 1, "returned a function."],
  [
    "a circle",
    () => {
      const self: Record<string, unknown> = {};
      self["me"] = self;
      return self;
    },
    "returned a circular part at me.",
  ],
];

test.each(LOSSY)("%s as a tool's result is an error, not an empty object; the event names it", async (_what, make, detail) => {
  const { runner } = stage([calling("odd"), "Done."], { tools: [plainTool("odd", make as never)] });
  const run = runner.stream("s", "go");
  const results: unknown[] = [];
  for await (const event of run) if (event.kind === "tool_result") results.push(event);
  expect(results).toMatchObject([{ text: '"odd" returned something that is not JSON data.', payload: { isError: true } }]);
  expect(JSON.stringify(results)).toContain(detail);
});

test("a tool that returns an error has thrown it", async () => {
  const { runner } = stage([calling("odd"), "Done."], { tools: [plainTool("odd", (() => new Error("secret")) as never)] });
  await runner.run("s", "go");
  expect(JSON.stringify((await runner.session("s"))?.history[2]?.parts)).toMatch(/"odd.{1,3} failed \(trace/);
});

test("dates, class instances with fields and things used twice are JSON data", async () => {
  class Point {
    x = 1;
  }
  const shared = { a: 1 };
  const value = { when: new Date(0), point: new Point(), one: shared, two: shared, none: {}, list: [] };
  const gate = deferred<unknown>();
  gate.resolve(value);
  const { runner } = stage([calling("fine"), "Done."], { tools: [plainTool("fine", (() => gate.promise) as never)] });
  await runner.run("s", "go");
  expect((await runner.session("s"))?.history[2]?.parts[0]).toMatchObject({
    isError: false,
    content: [{ value: JSON.parse(JSON.stringify(value)) }],
  });
});
