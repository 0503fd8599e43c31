import stringWidth from "string-width";
import { expect, test } from "vitest";
import { StatusLine } from "../../../src/cli/terminal/status.ts";
import { type Event, makeEvent } from "../../../src/messages/event.ts";
import { NO_USAGE } from "../../../src/messages/usage.ts";
import { initialStatus, knownCost, reduceStatus, type StatusState } from "../../../src/server/status-state.ts";
import { call, question, result, say, speech, step } from "./events.ts";

const after = (events: readonly Event[]): StatusState =>
  events.reduce((state, event, i) => reduceStatus(state, event, 1000 * (i + 1)), initialStatus(0));

const verdict = (round: number, state: "achieved" | "not_yet") =>
  makeEvent("task", "", { type: "verdict", step: "work", round, state, reason: "", checks: [] });
const ended = (costUsd?: number) =>
  makeEvent("result", "", { step: "work", agent: "worker", iteration: 2, sessionId: "s", numIterations: 2, isError: false, costUsd });
const paid = (costUsd: number | undefined) => say("x", { usage: NO_USAGE, costUsd });
const unpriced = makeEvent("text", "x", speech({ usage: { ...NO_USAGE, costUsd: undefined } }));

test.each<[string, readonly Event[], Partial<StatusState>]>([
  ["a step sets the place and round 1", [step("work", 2, 3)], { step: { name: "work", index: 2, total: 3 }, round: 1 }],
  ["a rejection opens the next round", [step("work", 1, 1), verdict(1, "not_yet")], { round: 2 }],
  ["an achieved verdict does not", [step("work", 1, 1), verdict(1, "achieved")], { round: 1 }],
  [
    "a call is what is going on",
    [call("1", "Bash", "ls")],
    { activity: { kind: "tool", agent: "worker", tool: "Bash", text: "ls", since: 1000 } },
  ],
  [
    "its result gives back to the model",
    [call("1", "Bash", "ls"), result("1", "")],
    { activity: { kind: "model", agent: "worker", since: 2000 } },
  ],
  [
    "of parallel calls the newest that runs is shown",
    [call("1", "Bash", "a"), call("2", "Bash", "b"), result("2", "")],
    { activity: { kind: "tool", agent: "worker", tool: "Bash", text: "a", since: 1000 } },
  ],
  ["a question comes before a call", [call("1", "Bash", "a"), question("?")], { activity: { kind: "question", id: "q1", since: 2000 } }],
  ["an answered question gives way", [question("?"), question("?", { state: "answered" })], { activity: { kind: "model", since: 2000 } }],
  ["the level is the main thread's", [say("a", { context: 500 }), say("b", { context: 9, subagent: "hand" })], { context: 500 }],
  [
    "a near handoff tells the line",
    [makeEvent("handoff", "", { phase: "near", step: "work", context: 120, window: 200, at: 150 })],
    { context: 120, handoffAt: 150 },
  ],
  [
    "a done handoff forgets the level",
    [
      say("a", { context: 500 }),
      makeEvent("handoff", "", { phase: "done", step: "w", context: 1, window: 2, degraded: false, path: "", sections: [] }),
    ],
    { context: undefined },
  ],
  [
    "the end stops the clock",
    [call("1", "Bash", "a"), makeEvent("task", "", { type: "run-end", outcome: "achieved", exitCode: 0 })],
    { endedAt: 2000, calls: [], activity: { kind: "idle" } },
  ],
])("%s", (_title, events, expected) => {
  const state = after(events);
  for (const key of Object.keys(expected) as (keyof StatusState)[]) expect(state[key], key).toEqual(expected[key]);
});

test.each<[string, readonly Event[], ReturnType<typeof knownCost>]>([
  ["nothing was used", [say("x")], undefined],
  ["replies add up", [paid(0.25), paid(0.5)], { usd: 0.75, complete: true }],
  ["a query's total replaces its replies", [paid(0.25), paid(0.5), ended(1)], { usd: 1, complete: true }],
  ["a query without a total keeps them", [paid(0.25), ended()], { usd: 0.25, complete: true }],
  ["an unknown price is not free", [paid(0.25), unpriced], { usd: 0.25, complete: false }],
])("cost: %s", (_title, events, cost) => {
  expect(knownCost(after(events))).toEqual(cost);
});

test("an unknown kind changes nothing", () => {
  const state = initialStatus(0);
  expect(reduceStatus(state, { kind: "hologram", text: "", tool: "", payload: {} } as unknown as Event, 1)).toBe(state);
});

test("the line shows activity, place, round, gauge, cost and time", () => {
  let now = 0;
  const line = new StatusLine({ language: "en", color: false, handoffAt: 150_000, clock: { now: () => now, after: () => () => {} } });
  const context = { context: 75_000, usage: NO_USAGE, costUsd: 0.5 };
  for (const event of [step("work", 3, 3), verdict(1, "not_yet"), say("x", context), call("1", "Bash", "npm test\nls")]) line.event(event);
  now = 62_000;
  expect(line.render(110)).toMatch(/^⠋ worker · Bash npm test ⏎ ls 1m02s +3\/3 work · round 2 · ████░░░░ 75k\/150k · \$0\.50 · 1m02s$/);
});

test.each([1, 10, 20, 40, 60, 80, 200])("at %i columns the line fits", (width) => {
  const line = new StatusLine({ language: "zh", color: true, handoffAt: 150_000 });
  for (const event of [step("确认需求", 1, 3), say("x", { context: 75_000 }), call("1", "Bash", "界".repeat(200))]) line.event(event);
  expect(stringWidth(line.render(width))).toBeLessThanOrEqual(width);
});
