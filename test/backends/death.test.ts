import { expect, test } from "vitest";
import type { RecordedRequest, ScriptedAnswer } from "../../src/engines/scripted.ts";
import type { Event } from "../../src/messages/event.ts";
import { checkHistory } from "../../src/messages/history.ts";
import { type Desk, openDesk, SESSION } from "./desk.ts";
import { inShort, steps, stepTool } from "./steps.ts";

const REPLIES: readonly ScriptedAnswer[] = [steps(1), steps(2, 3), "all done"];

/** The model's side as a function of the session, so that it goes on wherever the history stands. */
function script(request: RecordedRequest): ScriptedAnswer {
  const replies = request.messages.filter((message) => message.role === "model").length;
  return REPLIES[replies] ?? "nothing is left";
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

/** prompt · text, call, result · text, call, call, result, result · text, result */
const EVENTS = 11;

test("the scenario has the events at which the deaths below happen", async () => {
  expect((await openDesk(script, { tools: [stepTool([])] }).run()).events).toHaveLength(EVENTS);
});

test.each(Array.from({ length: EVENTS }, (_, index) => index + 1))(
  "a process that dies after event %d leaves a session that another goes on with",
  async (count) => {
    const done: number[] = [];
    const first = openDesk(script, { tools: [stepTool(done)] });
    const seen = await dieAfter(first, count);
    const second = first.afterDeath(script);
    const kept = await second.backend.hasSession(SESSION);
    expect(first.started() === 1, "started exactly when the session can be gone on with").toBe(kept);

    const { outcome } = await second.run(kept ? { prompt: "go on", resume: true } : {});
    const history = (await second.state())?.history ?? [];
    expect(outcome?.kind, seen.at(-1)?.kind).toBe("done");
    expect(checkHistory(history)).toEqual([]);
    expect(done.toSorted()).toEqual([1, 2, 3]); // none lost, none twice
    expect(inShort(history)).toContain("model: all done");
  },
);

test("a process that dies in the middle of calls: results that were known stay, the call under way is told as interrupted, none runs twice", async () => {
  const done: number[] = [];
  const first = openDesk(script, { tools: [stepTool(done, new Set([3]))] });
  const run = first.backend.run(first.query());
  const events: Event[] = [];
  // The last event before the call that hangs is the other call's result.
  while (events.filter((event) => event.kind === "tool_result").length < 2) {
    const next = await run.next();
    if (!next.done) events.push(next.value);
  }
  const second = first.afterDeath(script);
  const { outcome } = await second.run({ prompt: "go on", resume: true });
  expect(outcome).toEqual({ kind: "done", text: "all done" });
  expect(done).toEqual([1, 2]);
  expect(inShort((await second.state())?.history ?? [])).toEqual([
    "user: go",
    "model: doing 1, [step]",
    "tool: step 1 done",
    "model: doing 2 and 3, [step], [step]",
    "tool: step 2 done, INTERRUPTED",
    "user: go on",
    "model: all done",
  ]);
});

test("a process that dies while the first reply streams leaves no session", async () => {
  const desk = openDesk([() => new Promise<never>(() => {})]);
  const run = desk.backend.run(desk.query());
  await run.next(); // the prompt
  void run.next();
  await new Promise((resolve) => setTimeout(resolve, 20)); // real work of SQLite; what is tested does not depend on how long
  const second = desk.afterDeath(["hello"]);
  expect(await second.backend.hasSession(SESSION)).toBe(false);
  expect(desk.started()).toBe(0);
  await second.run();
  expect(inShort((await second.state())?.history ?? [])).toEqual(["user: go", "model: hello"]);
});

test("a process whose lease was taken over cannot write any more, and says so in its result", async () => {
  const first = openDesk(script, { tools: [stepTool([])] });
  const run = first.backend.run(first.query());
  await run.next();
  const second = first.afterDeath(["mine now"]);
  await second.run({ prompt: "taken", resume: true });
  const rest: Event[] = [];
  await expect(
    (async () => {
      for (let next = await run.next(); !next.done; next = await run.next()) rest.push(next.value);
    })(),
  ).rejects.toMatchObject({ code: "lease-lost" });
  expect(rest.at(-1)).toMatchObject({ kind: "result", payload: { isError: true, errorKind: "lease-lost" } });
  expect(inShort((await second.state())?.history ?? [])).toEqual(["user: taken", "model: mine now"]);
});
