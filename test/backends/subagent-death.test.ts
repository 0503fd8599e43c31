import { expect, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { type RecordedRequest, type ScriptedAnswer, ScriptedEngine } from "../../src/engines/scripted.ts";
import type { Event, EventOf } from "../../src/messages/event.ts";
import { checkHistory } from "../../src/messages/history.ts";
import { textOf } from "../../src/messages/message.ts";
import { type Desk, openDesk, SESSION } from "./desk.ts";
import { inShort, steps, stepTool } from "./steps.ts";

/** The model's side as a function of the session, so that it goes on wherever the history stands. */
function following(...replies: readonly ScriptedAnswer[]) {
  return (request: RecordedRequest): ScriptedAnswer =>
    replies[request.messages.filter((message) => message.role === "model").length] ?? "nothing is left";
}

const MAIN = following(
  { calls: [{ name: "Agent", args: { description: "a task", prompt: "count", subagent_type: "counter" } }, ...(steps(9).calls ?? [])] },
  "all done",
);

function makeDesk(done: number[], hangs: ReadonlySet<number> = new Set()): Desk {
  const engine = new ScriptedEngine(following(steps(1), steps(2, 3), "counted to three"));
  const tools = [stepTool(done, hangs)];
  return openDesk(MAIN, { tools, agent: { subagents: [new Agent({ name: "counter", engine, tools })] } });
}

/** Runs until `count` events have come, then the process is dead: nothing of it moves again. */
async function dieAfter(desk: Desk, count: number): Promise<readonly Event[]> {
  const run = desk.backend.run(desk.query());
  const events: Event[] = [];
  while (events.length < count) {
    const next = await run.next();
    if (next.done) break;
    events.push(next.value);
  }
  return events;
}

async function below(desk: Desk): Promise<string[]> {
  const main = (await desk.state())?.history ?? [];
  const call = main.flatMap((message) => message.parts).find((part) => part.type === "call");
  const state = await desk.state(`${SESSION}/${call?.type === "call" ? call.callId : ""}`);
  expect(checkHistory(state?.history ?? [])).toEqual([]);
  return inShort(state?.history ?? []);
}

/** prompt, call, call · of step 9: result · of the subagent: prompt · text, call, result · text, call, call, result, result · text · result, text, result */
const EVENTS = 17;

test("the scenario has the events at which the deaths below happen", async () => {
  expect((await makeDesk([]).run()).events).toHaveLength(EVENTS);
});

test.each(Array.from({ length: EVENTS }, (_, index) => index + 1))(
  "a process that dies after event %d: the subagent goes on in its session, nothing is lost and nothing done twice",
  async (count) => {
    const done: number[] = [];
    const first = makeDesk(done);
    await dieAfter(first, count);
    const second = first.afterDeath(MAIN);
    const kept = await second.backend.hasSession(SESSION);
    const { outcome, events } = await second.run(kept ? { prompt: "go on", resume: true } : {});
    const history = (await second.state())?.history ?? [];
    expect(outcome?.kind).toBe("done");
    expect(checkHistory(history)).toEqual([]);
    expect(done.toSorted()).toEqual([1, 2, 3, 9]);
    expect(inShort(history)[2]).toMatch(/^tool: counted to three, step 9 done$/);
    expect((await below(second)).filter((line) => line === "model: counted to three")).toHaveLength(1);
    expect(events.filter((event) => event.kind === "result")).toHaveLength(1);
  },
);

test("a process that dies in the middle of a subagent's call: that call is told as interrupted in the subagent, which goes on", async () => {
  const first = makeDesk([], new Set([3]));
  const run = first.backend.run(first.query());
  // Everything comes but the result of the call that hangs.
  for (let results = 0; results < 3; ) {
    const next = await run.next();
    if (!next.done && next.value.kind === "tool_result") results++;
  }
  const second = first.afterDeath(MAIN);
  const { outcome } = await second.run({ prompt: "go on", resume: true });
  expect(outcome).toEqual({ kind: "done", text: "all done" });
  const told = await below(second);
  expect(told.slice(0, 5)).toEqual([
    "user: count",
    "model: doing 1, [step]",
    "tool: step 1 done",
    "model: doing 2 and 3, [step], [step]",
    "tool: step 2 done, INTERRUPTED",
  ]);
  expect(told[5]).toMatch(/^user: You were cut off and go on now/);
  expect(told[6]).toBe("model: counted to three");
});

test("what a subagent had spent before the death is not counted again, what it spends after it is", async () => {
  const price = { usage: { costUsd: 1 } };
  const engine = new ScriptedEngine(following({ ...steps(1), ...price }, { text: "counted", ...price }));
  const tools = [stepTool([])];
  const desk = openDesk(MAIN, { tools, agent: { subagents: [new Agent({ name: "counter", engine, tools })] } });
  const run = desk.backend.run(desk.query());
  for (;;) {
    const next = await run.next();
    if (next.done || (next.value.kind === "tool_result" && "subagent" in next.value.payload)) break;
  }
  const second = desk.afterDeath(MAIN);
  const { events } = await second.run({ prompt: "go on", resume: true });
  const result = events.at(-1) as EventOf<"result">;
  expect(result.payload).toMatchObject({ costUsd: 1, numIterations: 2 });
  expect(textOf(engine.requests.at(-1)?.messages.at(-1) ?? { parts: [] })).toMatch(/^You were cut off/);
});
