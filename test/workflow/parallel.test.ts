import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { RecordedRequest, ScriptedAnswer } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { textOf } from "../../src/messages/message.ts";
import { abortedBecause, failedAt, resultsOf } from "../../src/workflow/ctx.ts";
import { parallel } from "../../src/workflow/parallel.ts";
import { Step, type StepOptions } from "../../src/workflow/step.ts";
import { withGoal } from "../../src/workflow/with-goal.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { openStage } from "./stage.ts";

const step = (name: string, change: Partial<StepOptions> = {}) => new Step(name, { agent: worker(), prompt: `do ${name}`, ...change });
const BAD = new FlowerError("auth", "bad key");
type Line = (request: RecordedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** A model that goes by what a session was first asked. */
function lines(by: Readonly<Record<string, ScriptedAnswer | Line>>): Line {
  return (request) => {
    const asked = textOf(request.messages[0]!).replace(/^do /, "").split("\n")[0] as string;
    const line = by[asked];
    if (line === undefined) throw new Error(`Nobody expected "${asked}".`);
    return typeof line === "function" ? line(request) : line;
  };
}

/** Holds its callers until so many have been there at once, and a little longer: should more come than may, they would. */
function meeting(of: number): { readonly wait: () => Promise<void>; readonly most: () => number } {
  let here = 0;
  let most = 0;
  return {
    most: () => most,
    async wait() {
      here++;
      most = Math.max(most, here);
      while (most < of) await tick();
      for (let more = 0; more < 50; more++) await tick();
      here--;
    },
  };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));
const untilAborted = () => new Promise<never>(() => {});

test("steps in parallel run at the same time in sessions of their own, and what each leaves stands under its name", async () => {
  const { wait, most } = meeting(2);
  const say = (text: string) => async () => {
    await wait();
    return text;
  };
  const stage = openStage(lines({ a: "one", b: say("two"), c: say("three"), d: "four" }));
  const d = step("d", { prompt: (ctx) => `do d\nafter ${ctx["a"]}, ${ctx["b"]}, ${ctx["c"]}` });
  const ctx = await stage.run(new Workflow([step("a"), parallel([step("b"), step("c")], { name: "both" }), d]));
  expect(failedAt(ctx)).toBeUndefined();
  expect(most()).toBe(2);
  expect([ctx["a"], ctx["b"], ctx["c"], ctx["d"]]).toEqual(["one", "two", "three", "four"]);
  expect(stage.prompt("worker", 3)).toContain("after one, two, three");
  expect(resultsOf(ctx).map((result) => result.step)).toEqual(["a", "b", "c", "d"]);
  expect(new Set(resultsOf(ctx).map((result) => result.sessionId)).size).toBe(4);
});

test("each step in parallel has a step event with a number of its own and the element's name, and what it says carries its label", async () => {
  const stage = openStage(lines({ a: "one", b: "two", c: "three" }));
  await stage.run(new Workflow([parallel([step("a"), step("b")], { name: "both", concurrency: 1 }), step("c")]));
  expect(stage.of("step").map((event) => [event.text, event.payload])).toEqual([
    ["a", { index: 1, total: 3, resumed: false, woke: false, parallel: "both" }],
    ["b", { index: 2, total: 3, resumed: false, woke: false, parallel: "both" }],
    ["c", { index: 3, total: 3, resumed: false, woke: false }],
  ]);
  expect(stage.of("text").map((event) => [event.payload.step, event.text])).toEqual([
    ["a", "one"],
    ["b", "two"],
    ["c", "three"],
  ]);
});

test.each([[1], [2], [undefined]])("no more steps work at a time than concurrency %s allows", async (concurrency) => {
  const { wait, most } = meeting(concurrency ?? 4);
  const say: Line = async () => {
    await wait();
    return "ok";
  };
  const names = ["a", "b", "c", "d"];
  const stage = openStage(lines(Object.fromEntries(names.map((name) => [name, say]))));
  const ctx = await stage.run(
    new Workflow([
      parallel(
        names.map((name) => step(name)),
        { concurrency },
      ),
    ]),
  );
  expect(failedAt(ctx)).toBeUndefined();
  expect(most()).toBe(concurrency ?? 4);
});

test.each([
  ["stop", { failedAt: "b", reason: "bad key", kept: ["a"], after: false }],
  ["skip", { failedAt: undefined, reason: undefined, kept: ["a", "c"], after: true }],
  ["continue", { failedAt: undefined, reason: undefined, kept: ["a", "b", "c"], after: true }],
] as const)("of three steps in parallel one fails, under the policy %s", async (onFail, expected) => {
  const gone: string[] = [];
  const stage = openStage(
    lines({
      a: "one",
      b: async () => {
        while (!gone.includes("a")) await tick(); // a has ended by then
        throw BAD;
      },
      c: () => (onFail === "stop" ? untilAborted() : "three"),
      d: "four",
    }),
  );
  const elements = [parallel([step("a"), step("b"), step("c")], { onFail }), step("d")];
  const ctx = await stage.run(new Workflow(elements), { onStep: ({ name }) => void gone.push(name) });
  expect([failedAt(ctx), abortedBecause(ctx)]).toEqual([expected.failedAt, expected.reason]);
  expect(["a", "b", "c"].filter((name) => name in ctx)).toEqual(expected.kept);
  expect("d" in ctx).toBe(expected.after);
  expect([...gone].sort()).toEqual(expected.after ? ["a", "b", "c", "d"] : ["a", "b", "c"]);
  const outcome = expected.after ? "achieved" : "failed";
  expect(stage.tasks("run-end").map(({ payload }) => payload.outcome)).toEqual([outcome]);
  expect((await stage.lineage())["workflow"]?.steps["a"]?.finished).toBe(true);
});

test("after a failure no further step of the element begins", async () => {
  const stage = openStage(lines({ a: BAD }));
  await stage.run(new Workflow([parallel([step("a"), step("b")], { concurrency: 1 })]));
  expect(stage.engine.requests).toHaveLength(1);
  expect(stage.of("step").map((event) => event.text)).toEqual(["a"]);
});

test("a later start runs only the steps that are not finished, and the one that was stopped keeps what it had done", async () => {
  const write = { calls: [{ name: "Bash", args: { command: "echo done > c.txt" } }] };
  const agent = worker({ tools: ["Bash"], permissions: { mode: "bypassPermissions" } });
  const elements = [parallel([step("a"), step("b"), step("c", { agent })])];
  const gone: string[] = [];
  const stage = openStage(
    lines({
      a: "one",
      b: async () => {
        while (!stage.of("tool_result").length || !gone.includes("a")) await tick();
        throw BAD;
      },
      c: (request) => (request.messages.length === 1 ? write : untilAborted()),
    }),
  );
  await stage.run(new Workflow(elements), { onStep: ({ name }) => void gone.push(name) });
  await stage.runtime.close();
  const next = stage.again(lines({ b: "two", c: "three" }));
  const ctx = await next.run(new Workflow(elements));
  expect([ctx["a"], ctx["b"], ctx["c"]]).toEqual(["one", "two", "three"]);
  const steps = Object.fromEntries(next.of("step").map((event) => [event.text, event.payload]));
  expect([steps["a"]?.skipped, steps["b"]?.skipped, steps["c"]?.resumed]).toEqual([true, undefined, true]);
  const resumed = next.engine.requests.find((request) => textOf(request.messages[0]!) === "do c");
  expect(resumed?.messages.map((message) => message.role)).toEqual(["user", "model", "tool", "user"]);
});

test("an abort reaches every step in parallel and ends the run as interrupted", async () => {
  const stage = openStage(lines({ a: untilAborted, b: untilAborted }));
  const controller = new AbortController();
  const running = stage.run(new Workflow([parallel([step("a"), step("b")])]), { signal: controller.signal });
  while (stage.engine.requests.length < 2) await tick();
  controller.abort(new FlowerError("aborted", "enough"));
  const ctx = await running;
  expect(resultsOf(ctx).map((result) => result.ok)).toEqual([false, false]);
  expect(stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "interrupted", exitCode: 130, reason: "enough" });
});

test("words at an interrupt reach every step that is at work", async () => {
  const { wait } = meeting(2);
  let spoken = false;
  const twice: Line = async ({ messages }) => {
    if (messages.some((message) => textOf(message).includes("in French"))) return "bien";
    await wait();
    if (!spoken) await stage.runtime.interrupt("in French");
    spoken = true;
    return { text: "on it", calls: [{ name: "nothing" }] };
  };
  const stage = openStage(lines({ a: twice, b: twice }));
  const ctx = await stage.run(new Workflow([parallel([step("a"), step("b")])]));
  expect([ctx["a"], ctx["b"]]).toEqual(["bien", "bien"]);
});

test("of steps in parallel the first that looks into the inbox has the mail, and it is nobody's twice", async () => {
  const channel = new HumanChannel({ timeoutMs: 0 });
  const { wait } = meeting(2);
  let sent: Promise<unknown> | undefined;
  const look: Line = async ({ messages }) => {
    const last = JSON.stringify(messages.at(-1)?.parts);
    if (last.includes("mcp__human__inbox")) return last;
    if (messages.length > 1) return { calls: [{ name: "mcp__human__inbox" }] };
    await wait();
    sent ??= channel.send("be brief");
    await sent;
    return { calls: [{ name: "nothing" }] };
  };
  const agent = worker({ tools: channel.tools });
  const stage = openStage(lines({ a: look, b: look }));
  const ctx = await stage.run(new Workflow([parallel([step("a", { agent }), step("b", { agent })])], { channel }));
  expect([ctx["a"], ctx["b"]].filter((text) => String(text).includes("be brief"))).toHaveLength(1);
  const notices = stage.engine.requests.filter(({ messages }) =>
    messages.some((message) => textOf(message).includes("Read the inbox now")),
  );
  expect(new Set(notices.map(({ messages }) => textOf(messages[0]!))).size).toBeGreaterThan(0);
});

test("what a person says at the very end goes to every step of a parallel element that was the last", async () => {
  const channel = new HumanChannel({ timeoutMs: 0 });
  let said = false;
  const line: Line = async ({ messages }) => (messages.some((message) => textOf(message).includes("add a title")) ? "with title" : "plain");
  const stage = openStage(lines({ a: line, b: line }));
  const workflow = new Workflow([parallel([step("a"), step("b")])], { channel });
  const ctx = await stage.run(workflow, {
    onStep: () => {
      if (!said) void channel.send("add a title");
      said = true;
    },
  });
  expect([ctx["a"], ctx["b"]]).toEqual(["with title", "with title"]);
});

test("steps in parallel see ctx as it was before them; of two that write one key the later step's stays", async () => {
  const seen: unknown[] = [];
  const write =
    (value: string): StepOptions["gate"] =>
    (_result, ctx) => {
      seen.push(ctx["shared"]);
      ctx["shared"] = value;
      return true;
    };
  const stage = openStage(lines({ a: "one", b: "two" }));
  const elements = [parallel([step("a", { gate: write("by a") }), step("b", { gate: write("by b") })], { concurrency: 1 })];
  const ctx = await stage.run(new Workflow(elements, { context: { shared: "before" } }));
  expect(seen).toEqual(["before", "before"]);
  expect(ctx["shared"]).toBe("by b");
});

test("rounds of one step in parallel are its own", async () => {
  let asked = 0;
  const stage = openStage(lines({ a: "one", b: "two" }));
  const gated = step("a", { retries: 1, gate: () => asked++ > 0, onReject: () => "again" });
  const ctx = await stage.run(new Workflow([parallel([gated, step("b")])]));
  expect(resultsOf(ctx).map((result) => result.step)).toEqual(["a", "a#round2", "b"]);
});

const judged = () => withGoal(step("work"), new HumanChannel(), { goalPath: "goal.md" });
test.each<[string, () => unknown, RegExp]>([
  ["no steps", () => parallel([]), /at least one step/],
  ["something that is no step", () => parallel([parallel([step("a")]) as never]), /new Step/],
  ["a concurrency of 0", () => parallel([step("a")], { concurrency: 0 }), /concurrency.*≥ 1, not 0/],
  ["an unknown policy", () => parallel([step("a")], { onFail: "ignore" as never }), /onFail must be one of stop/],
  ["a step with a policy of its own", () => parallel([step("a", { onFail: "skip" })]), /"a".*onFail of the whole/],
  ["a step that goes on from a neighbour", () => parallel([step("a"), step("b", { resumeFrom: "a" })]), /"b".*"a".*same time/],
  ["two in one session", () => parallel(["b", "c"].map((name) => step(name, { resumeFrom: "a" }))), /"a".*fork: true/],
  ["a judged step", () => parallel([judged(), step("b")]), /"work" cannot stand in parallel: .*judged/],
  ["a name that stands elsewhere too", () => new Workflow([step("a"), parallel([step("a"), step("b")])]), /Two steps are named "a"/],
])("parallel is refused with %s, in one sentence", (_what, make, words) => {
  expect(make).toThrow(words);
});

test("copies of one earlier session may go on side by side", async () => {
  const stage = openStage(lines({ a: "one" }));
  const copies = ["b", "c"].map((name) => step(name, { resumeFrom: "a", fork: true }));
  const ctx = await stage.run(new Workflow([step("a"), parallel(copies)]));
  expect(failedAt(ctx)).toBeUndefined();
  expect(new Set(resultsOf(ctx).map((result) => result.sessionId)).size).toBe(3);
});

test("a step that is wrongly wired stops its neighbours and is thrown, with its name in the run's end", async () => {
  const stage = openStage(lines({ a: untilAborted, b: "two" }));
  const wrong = step("b", { resumeFrom: "nobody" });
  await expect(stage.run(new Workflow([parallel([step("a"), wrong])]))).rejects.toMatchObject({ code: "bad-config" });
  expect(stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "failed", failedAt: "b" });
});

test("files written side by side are both there", async () => {
  const stage = openStage(lines({ a: "one", b: "two" }));
  const put =
    (name: string): StepOptions["gate"] =>
    async () => {
      await writeFile(join(stage.folder, name), "x");
      return true;
    };
  await stage.run(new Workflow([parallel([step("a", { gate: put("a.txt") }), step("b", { gate: put("b.txt") })])]));
  expect(["a.txt", "b.txt"].every((name) => existsSync(join(stage.folder, name)))).toBe(true);
});
