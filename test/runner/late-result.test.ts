import { once } from "node:events";
import { expect, it } from "vitest";
import { calling, deferred, eventsOf, ofKind, plainTool, rejection, STORES, settle, stage, stoppedClock } from "./stage.ts";

/** A tool that heeds no signal: it ends when its gate does. */
function deafTool() {
  const gate = deferred<string>();
  const working = deferred();
  const tool = plainTool("deaf", () => {
    working.resolve();
    return gate.promise;
  });
  return { gate, working: working.promise, tool };
}

it.each(STORES)("a result after the tool's timeout is dropped, and an event of the turn says so (%s)", async (_name, make) => {
  const clock = stoppedClock();
  const { gate, working, tool } = deafTool();
  const answer = deferred();
  const script = [calling("deaf"), () => answer.promise.then(() => "Sorry.")];
  const { runner } = stage(script, { tools: [tool], clock, toolTimeoutMs: 1_000, fixture: make() });
  const run = runner.stream("s", "go");
  await working;
  await clock.advance(1_000);
  gate.resolve("the secret result");
  await settle();
  answer.resolve();
  const { turnId } = await run.response;
  const events = await eventsOf(run);
  const [call] = ofKind(events, "tool_call");
  const notices = ofKind(events, "task");
  expect(notices).toMatchObject([
    {
      text: '"deaf" gave a result after its call had been given up; the result was dropped.',
      payload: { type: "notice", code: "late-result", data: { turnId, callId: call!.payload.id, name: "deaf" } },
    },
  ]);
  expect(JSON.stringify([events, await runner.session("s")])).not.toContain("secret");
});

it("a result after the turn is over is dropped, and a warning of the process says whose it was", async () => {
  const { gate, working, tool } = deafTool();
  const { runner, store } = stage([calling("deaf")], { tools: [tool] });
  const run = runner.stream("s", "go");
  await working;
  run.abort();
  await rejection(run.response);
  const warned = once(process, "warning");
  gate.resolve("the secret result");
  const [warning] = await warned;
  const [turn] = await store.turns("s");
  const [call] = ofKind(await eventsOf(run), "tool_call");
  const facts = { code: "late-result", sessionId: "s", turnId: turn!.turnId, callId: call!.payload.id, tool: "deaf" };
  expect(warning).toMatchObject({ name: "FlowerWarning", message: expect.stringContaining("heed context.signal"), ...facts });
  expect(warning.message).not.toContain("secret");
  expect(await runner.session("s")).toBeUndefined();
});

it("a tool that fails once it is stopped, as it should, leaves no trace", async () => {
  const clock = stoppedClock();
  const heeding = plainTool("heeding", (_args, { signal }) => once(signal, "abort").then(() => Promise.reject(new Error("stopped"))));
  const { runner } = stage([calling("heeding"), "Sorry."], { tools: [heeding], clock, toolTimeoutMs: 1_000 });
  const run = runner.stream("s", "go");
  await settle();
  await clock.advance(1_000);
  await run.response;
  expect(ofKind(await eventsOf(run), "task")).toEqual([]);
});
