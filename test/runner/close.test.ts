import { describe, expect, it } from "vitest";
import { calling, deferred, plainTool, rejection, STORES, settle, stage, stoppedClock } from "./stage.ts";

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await settle();
  return settled;
}

describe.each(STORES)("closing a Runner over the %s store", (_name, make) => {
  it("waits for the turns that run and for those in line, and takes no new ones", async () => {
    const gate = deferred();
    const { runner, store } = stage([() => gate.promise.then(() => "One."), "Two."], { fixture: make() });
    const turns = [runner.run("s", "first"), runner.run("s", "second")];
    const closing = runner.close();
    expect(await rejection(runner.run("t", "third"))).toMatchObject({ code: "bad-input" });
    expect(await isSettled(closing)).toBe(false);
    gate.resolve();
    expect((await Promise.all(turns)).map((response) => response.content)).toEqual(["One.", "Two."]);
    await closing;
    expect(await rejection(store.read("s"))).toMatchObject({ code: "bad-input" });
  });

  it("aborts what still runs after the grace period of 10 s", async () => {
    const clock = stoppedClock();
    const { runner } = stage([() => new Promise<never>(() => {})], { clock, fixture: make() });
    const turn = rejection(runner.run("s", "first"));
    await settle();
    const closing = runner.close();
    await clock.advance(9_999);
    expect(await isSettled(closing)).toBe(false);
    await clock.advance(1);
    expect(await turn).toMatchObject({ code: "aborted", message: "The Runner was closed." });
    await closing;
    expect(clock.timers).toBe(0);
  });

  it("waits for tools that outlived their turn, and leaves them after the grace period", async () => {
    const clock = stoppedClock();
    const gates = [deferred(), deferred()];
    const working = deferred();
    let calls = 0;
    const deaf = plainTool("deaf", () => {
      const gate = gates[calls++]!;
      if (calls === 2) working.resolve();
      return gate.promise;
    });
    const { runner } = stage([calling("deaf", "deaf")], { tools: [deaf], clock, fixture: make() });
    const run = runner.stream("s", "go");
    await working.promise;
    run.abort();
    await rejection(run.response);
    const closing = runner.close();
    gates[0]!.resolve();
    expect(await isSettled(closing)).toBe(false);
    await clock.advance(10_000);
    await closing;
    gates[1]!.resolve();
  });

  it("is done as soon as the last outliving tool is", async () => {
    const clock = stoppedClock();
    const gate = deferred();
    const working = deferred();
    const deaf = plainTool("deaf", () => {
      working.resolve();
      return gate.promise;
    });
    const { runner } = stage([calling("deaf"), "Sorry."], { tools: [deaf], clock, toolTimeoutMs: 1_000, fixture: make() });
    const turn = runner.run("s", "go");
    await working.promise;
    await clock.advance(1_000);
    await turn;
    const closing = runner.close();
    expect(await isSettled(closing)).toBe(false);
    gate.resolve();
    await closing;
    expect(clock.timers).toBe(0);
  });

  it("twice is as good as once", async () => {
    const { runner } = stage([], { fixture: make() });
    await Promise.all([runner.close(), runner.close()]);
    await runner.close();
  });
});
