import assert from "node:assert/strict";
import type { Event } from "../messages/event.ts";
import { tool } from "../tools/tool.ts";
import { step, steps } from "./backend-calls.ts";
import { shownIn } from "./backend-model.ts";
import { type BackendCase, type BackendStage, expectHolds, expectPlayed, type Played, QUIET } from "./backend-stage.ts";

/** The 2 s of guarantee 7, and what a machine that does other things too may add. */
const LIMIT_MS = 5_000;
const STEPPED = ["0 prompt: go", "1 tool_call step: ", "1 tool_result step: step 1 done"];
const STOPPED = [...STEPPED, "1 result:  (1 iterations, 10 in, 5 out)"];

/** How a query is stopped from outside. */
export const steeringCases: readonly BackendCase[] = [
  {
    name: "an interrupt stops between iterations, with everything finished; the person's words go on in the same session",
    guarantee: 6,
    async run(stage) {
      let interrupted = false;
      const ring = tool({
        name: "step",
        description: "The person presses the button while it runs.",
        parameters: { type: "object" },
        execute: () => {
          interrupted = true;
          return "step 1 done";
        },
      });
      const agent = stage.agent({ tools: [ring] });
      stage.says([steps(1), "no"]);
      const first = await stage.play({ agent, steering: { ...QUIET, interrupted: () => interrupted } });
      expectPlayed(first, STOPPED, { kind: "interrupted", text: "" });
      stage.says(["as you say"]);
      const second = await stage.play({ agent, prompt: "do it otherwise", promptFrom: "person", resume: true });
      assert.deepEqual(second.outcome, { kind: "done", text: "as you say" });
      for (const part of ["tool: step 1 done", "user: do it otherwise"]) expectHolds(shownIn(stage.asked[1]), part);
      assert.equal(stage.asked.length, 2);
    },
  },
  {
    name: "a query that was interrupted before it began asks the model nothing, and its prompt is to be given again",
    guarantee: 6,
    async run(stage) {
      const played = await stage.play({ steering: { ...QUIET, interrupted: () => true } });
      expectPlayed(played, ["0 prompt: go", "0 result:  (0 iterations, 0 in, 0 out)"], { kind: "interrupted", text: "" });
      assert.equal(stage.asked.length, 0);
    },
  },
  {
    name: "a notice reaches the model with the next call, once",
    guarantee: 6,
    async run(stage) {
      const notices = [undefined, "mail has come"];
      stage.says([steps(1), steps(2), "done"]);
      const played = await stage.play({
        agent: stage.agent({ tools: [step] }),
        steering: { ...QUIET, notice: () => notices.shift() },
      });
      assert.deepEqual(played.outcome, { kind: "done", text: "done" });
      const times = stage.asked.map((view) => shownIn(view).split("mail has come").length - 1);
      assert.deepEqual(times, [0, 1, 1]);
    },
  },
  {
    name: "a budget that is used up stops before the next model call, with all that was spent seen",
    guarantee: 6,
    async run(stage) {
      let seen = 0;
      stage.says([{ ...steps(1), usage: { input: 500 } }, "more"]);
      const played = await stage.play({
        agent: stage.agent({ tools: [step] }),
        steering: { ...QUIET, overBudget: () => (seen > 400 ? `${seen} of 400` : undefined) },
        onEvent: (event) => {
          if (event.kind === "tool_call") seen += event.payload.usage?.inputTokens ?? 0;
        },
      });
      expectPlayed(played, [...STEPPED, "1 result:  (1 iterations, 500 in, 5 out)"], { kind: "budget", text: "", reason: "500 of 400" });
      assert.equal(await stage.fixture.backend.hasSession("s1"), true);
    },
  },
  {
    name: "a full context stops there; the level asked about is the newest call's",
    guarantee: 6,
    async run(stage) {
      const levels: number[] = [];
      stage.says([{ ...steps(1), usage: { input: 321 } }, "more"]);
      const contextFull = (context: number) => levels.push(context) > 1;
      const played = await stage.play({ agent: stage.agent({ tools: [step] }), steering: { ...QUIET, contextFull } });
      expectPlayed(played, [...STEPPED, "1 result:  (1 iterations, 321 in, 5 out)"], { kind: "context-full", text: "" });
      assert.deepEqual(levels, [0, 321]);
    },
  },
  {
    name: "an agent at its limit of iterations answers once more without tools",
    guarantee: 10,
    async run(stage) {
      stage.says([steps(1), "so far: one step"]);
      const played = await stage.play({ agent: stage.agent({ tools: [step], limits: { maxIterations: 1 } }) });
      const lines = [...STEPPED, "2 text: so far: one step", "2 result: so far: one step (2 iterations, 20 in, 10 out)"];
      expectPlayed(played, lines, { kind: "iteration-limit", text: "so far: one step" });
    },
  },
  {
    name: "an abort while the model is silent ends the query within 2 s with its reason, and nothing of it stays",
    guarantee: 7,
    async run(stage) {
      stage.says(() => new Promise<never>(() => {}));
      const { error, started } = await abortOnce(stage, () => stage.asked.length === 1);
      assert.deepEqual([error, started], ["stop now", 0]);
      assert.equal(await stage.fixture.backend.hasSession("s1"), false);
    },
  },
  {
    name: "an abort while a tool is deaf ends the query within 2 s; the session goes on, and the call is not made again",
    guarantee: 7,
    async run(stage) {
      let called = 0;
      const deaf = tool({
        name: "deaf",
        description: "Hears nothing.",
        parameters: { type: "object" },
        execute: () => {
          called++;
          return new Promise<never>(() => {});
        },
      });
      const agent = stage.agent({ tools: [deaf] });
      stage.says([{ text: "I wait", calls: [{ name: "deaf" }] }]);
      const { error, events } = await abortOnce(stage, () => called === 1, { agent });
      assert.equal(error, "stop now");
      const last = events.at(-1) as Event;
      assert.equal(last.kind === "result" && last.payload.errorKind, "aborted");
      stage.says(["still here"]);
      const later = await stage.play({ agent, prompt: "and?", resume: true });
      assert.deepEqual([later.outcome, called], [{ kind: "done", text: "still here" }, 1]);
      expectHolds(shownIn(stage.asked.at(-1)), "model: I wait");
    },
  },
];

/** Runs a query until something has come about, aborts it, and sees that it ends in time with nothing after it but its result. */
async function abortOnce(stage: BackendStage, ready: () => boolean, change: Parameters<BackendStage["play"]>[0] = {}): Promise<Played> {
  const controller = new AbortController();
  let after = 0;
  const onEvent = () => void (controller.signal.aborted && after++);
  const running = stage.play({ ...change, signal: controller.signal, onEvent });
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 10));
  const at = performance.now();
  controller.abort("stop now");
  const played = await running;
  const ms = performance.now() - at;
  assert.ok(ms < LIMIT_MS, `the query ended ${Math.round(ms)} ms after the abort`);
  assert.equal(after, 1, "only the result comes after an abort");
  return played;
}
