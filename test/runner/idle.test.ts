import { describe, expect, it } from "vitest";
import type { Engine, EnginePart } from "../../src/engines/engine.ts";
import { NO_USAGE } from "../../src/messages/usage.ts";
import { deferred, eventsOf, rejection, settle, stage, stoppedClock } from "./stage.ts";

/** An engine that says each part when it is told to, deaf to its signal. */
function engineOnCue() {
  const cues = Array.from({ length: 10 }, () => deferred<EnginePart>());
  let cued = 0;
  let closed = false;
  const engine: Engine = {
    provider: "cued",
    model: "cued-1",
    async *stream() {
      try {
        for (const cue of cues) yield await cue.promise;
      } finally {
        closed = true;
      }
    },
    withModel: () => engine,
  };
  const say = async (part: EnginePart) => {
    cues[cued++]!.resolve(part);
    await settle();
  };
  return { engine, say, isClosed: () => closed };
}

const finish: EnginePart = { type: "finish", reason: "stop", usage: NO_USAGE };
const text = { type: "block", of: "text", text: "Hello." } as const;

function listening() {
  const clock = stoppedClock();
  const cue = engineOnCue();
  const { runner } = stage([], { engine: cue.engine, clock, idleTimeoutMs: 120_000 });
  const run = runner.stream("s", "hi");
  return { clock, run, runner, ...cue };
}

describe("a model that falls silent", () => {
  it("is given up after the idle timeout, and the error may be tried again", async () => {
    const { clock, run } = listening();
    await clock.advance(119_999);
    const failure = rejection(run.response);
    await clock.advance(1);
    expect(await failure).toMatchObject({ code: "engine-idle", retryable: true });
    expect((await eventsOf(run)).at(-1)).toMatchObject({ kind: "result", payload: { isError: true, errorKind: "engine-idle" } });
    expect(clock.timers).toBe(0);
  });

  it("is not given up while pings come, however long", async () => {
    const { clock, run, say } = listening();
    for (let i = 0; i < 5; i++) {
      await clock.advance(119_000);
      await say({ type: "alive" });
    }
    await say(text);
    await clock.advance(119_000);
    await say(finish);
    expect((await run.response).content).toBe("Hello.");
    expect(clock.timers).toBe(0);
  });

  it("has its time counted from the last sign of life", async () => {
    const { clock, run, say } = listening();
    const failure = rejection(run.response);
    await clock.advance(100_000);
    await say({ type: "alive" });
    await clock.advance(119_999);
    await say(text);
    await clock.advance(120_000);
    expect(await failure).toMatchObject({ code: "engine-idle" });
  });
});

describe("a model's stream", () => {
  it("that ends without a finish is cut, never an answer", async () => {
    const engine: Engine = {
      provider: "cut",
      model: "cut-1",
      async *stream() {
        yield { type: "delta", of: "text", text: "Hel" } as const;
      },
      withModel: () => engine,
    };
    const { runner } = stage([], { engine });
    expect(await rejection(runner.run("s", "hi"))).toMatchObject({ code: "stream-cut", retryable: true });
    expect(await runner.session("s")).toBeUndefined();
  });

  it("is closed when its reply is complete, and when the turn is aborted", async () => {
    const done = listening();
    await settle();
    await done.say(text);
    await done.say(finish);
    await done.run.response;
    await settle();
    expect(done.isClosed()).toBe(true);
    const cut = listening();
    await settle();
    await cut.say({ type: "alive" });
    cut.run.abort();
    await rejection(cut.run.response);
    await cut.say({ type: "alive" });
    expect(cut.isClosed()).toBe(true);
  });
});
