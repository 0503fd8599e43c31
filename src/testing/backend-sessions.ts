import assert from "node:assert/strict";
import { FlowerError } from "../core/errors.ts";
import { tool } from "../tools/tool.ts";
import { step, steps } from "./backend-calls.ts";
import { shownIn } from "./backend-model.ts";
import { type BackendCase, expectFailed, expectHolds, expectPlayed } from "./backend-stage.ts";

/** What a backend may add for the model alone. */
const REMINDER = /\s*<system-reminder>[\s\S]*?<\/system-reminder>\s*/g;

/** What stays of a query, and how it goes on. */
export const sessionCases: readonly BackendCase[] = [
  {
    name: "a provider that refuses the key fails the query for good; the prompt is to be given again, to the same session",
    guarantee: 5,
    async run(stage) {
      const { backend } = stage.fixture;
      stage.says(() => ({ failure: "auth" }));
      const failed = await stage.play();
      expectFailed(failed, ["0 prompt: go", "0 result!auth: … (0 iterations, 0 in, 0 out)"], { code: "auth", retryable: false });
      assert.equal(failed.started, 0);
      assert.equal(await backend.hasSession("s1"), false);
      stage.says(["fine"]);
      const again = await stage.play();
      assert.deepEqual([again.outcome, again.started], [{ kind: "done", text: "fine" }, 1]);
      assert.equal(await backend.hasSession("s1"), true);
    },
  },
  {
    name: "a failure in mid-work is worth another try; what was finished stays, and the failure is not part of it",
    guarantee: 3,
    async run(stage) {
      const agent = stage.agent({ tools: [step] });
      stage.says([steps(1), () => ({ failure: "overloaded" }), () => ({ failure: "overloaded" }), () => ({ failure: "overloaded" })]);
      const failed = await stage.play({ agent });
      const lines = [
        "0 prompt: go",
        "1 tool_call step: ",
        "1 tool_result step: step 1 done",
        "0 result!overloaded: … (0 iterations, 10 in, 5 out)",
      ];
      expectFailed(failed, lines, { code: "overloaded", retryable: true });
      assert.equal(failed.started, 1);
      stage.says(["on again"]);
      const again = await stage.play({ agent, backend: await stage.fixture.reopen(), resume: true, prompt: "go on" });
      expectPlayed(again, ["0 prompt: go on", "1 text: on again", "1 result: on again (1 iterations, 10 in, 5 out)"], {
        kind: "done",
        text: "on again",
      });
      const shown = shownIn(stage.asked.at(-1));
      for (const part of ["user: go", "tool: step 1 done", "user: go on"]) expectHolds(shown, part);
      assert.ok(!/overloaded|API Error/i.test(shown), "the failure is not part of the conversation");
    },
  },
  {
    name: "a conversation that the provider finds too long fails with that code, and not to be tried again",
    guarantee: 3,
    async run(stage) {
      stage.says(() => ({ failure: "context-overflow" }));
      const failed = await stage.play();
      const lines = ["0 prompt: go", "0 result!context-overflow: … (0 iterations, 0 in, 0 out)"];
      expectFailed(failed, lines, { code: "context-overflow", retryable: false });
    },
  },
  {
    name: "a tool that fails the run ends the query with that error",
    guarantee: 3,
    async run(stage) {
      const fatal = tool({
        name: "fatal",
        description: "Ends it all.",
        parameters: { type: "object" },
        execute: () => {
          throw new FlowerError("fatal-tool-error", "the disk is full");
        },
      });
      stage.says([{ calls: [{ name: "fatal" }] }, "no"]);
      const { error, events } = await stage.play({ agent: stage.agent({ tools: [fatal] }) });
      assert.ok(error instanceof Error && error.message === "the disk is full", String(error));
      const last = events.at(-1);
      assert.equal(last?.kind === "result" && last.payload.errorKind, "fatal-tool-error");
      assert.equal(stage.asked.length, 1);
    },
  },
  {
    name: "a session goes on where it was, in another process, and spends only what is new",
    guarantee: 4,
    async run(stage) {
      const agent = stage.agent({ tools: [step] });
      assert.equal(await stage.fixture.backend.hasSession("s1"), false);
      stage.says([{ text: "first", ...steps(1) }, "one"]);
      await stage.play({ agent });
      const later = await stage.fixture.reopen();
      assert.equal(await later.hasSession("s1"), true);
      stage.says(["two"]);
      const played = await stage.play({ agent, backend: later, resume: true, prompt: "and now?" });
      expectPlayed(played, ["0 prompt: and now?", "1 text: two", "1 result: two (1 iterations, 10 in, 5 out)"], {
        kind: "done",
        text: "two",
      });
      assert.equal(played.started, 1);
      const told = stage.asked.at(-1)?.heard.map(({ from, text }) => `${from}: ${text.replace(REMINDER, "")}`) ?? [];
      assert.deepEqual(
        told.filter((line) => line !== "user: "),
        ["user: go", "model: first", "model: [step]", "tool: step 1 done", "model: one", "user: and now?"],
      );
    },
  },
  {
    name: "a fork begins as a copy, whole or up to an iteration, and leaves the other session as it was",
    guarantee: 4,
    async run(stage) {
      const agent = stage.agent({ tools: [step] });
      stage.says([{ text: "first", ...steps(1) }, "one", "copied", "cut", "on"]);
      await stage.play({ agent });
      await stage.play({ agent, sessionId: "s2", prompt: "in the copy", fork: { from: "s1" } });
      await stage.play({ agent, sessionId: "s3", prompt: "earlier", fork: { from: "s1", at: 1 } });
      await stage.play({ agent, prompt: "in the first", resume: true });
      const [, , copy, cut, first] = stage.asked.map(shownIn);
      for (const part of ["model: one", "user: in the copy"]) expectHolds(copy, part);
      for (const part of ["tool: step 1 done", "user: earlier"]) expectHolds(cut, part);
      assert.ok(!cut?.includes("model: one"));
      expectHolds(first, "model: one");
      assert.ok(!/in the copy|earlier/.test(first ?? ""));
      assert.deepEqual(await Promise.all(["s1", "s2", "s3", "s4"].map((id) => stage.fixture.backend.hasSession(id))), [true, true, true, false]); // biome-ignore format: one fact
    },
  },
];
