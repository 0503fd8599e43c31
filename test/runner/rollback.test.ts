import { describe, expect, it } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { FlowerError } from "../../src/core/errors.ts";
import { INTERRUPTED_RESULT } from "../../src/messages/history.ts";
import { failAt } from "../../src/testing/faults.ts";
import type { SessionStoreFixture } from "../../src/testing/session-store.ts";
import { sqliteFixture } from "../sessions/fixtures.ts";
import { calling, deferred, eventsOf, plainTool, rejection, STORES, type Stage, stage, stoppedClock } from "./stage.ts";
import { transcript } from "./transcript.ts";

/** How the second turn of the conversation fails, after it has handed over from A to B. */
interface Failure {
  readonly how: string;
  /** What B's model does in the failing turn. */
  readonly step?: object | Error;
  readonly tool?: () => unknown;
  readonly fail?: (stage: Stage & { readonly clock: ReturnType<typeof stoppedClock> }, abort: (reason: unknown) => void) => unknown;
  readonly error: object;
}

const wall = new Error("the client left");

const FAILURES: readonly Failure[] = [
  { how: "the engine fails", step: new FlowerError("overloaded", "busy"), error: { code: "overloaded" } },
  { how: "the answer is withheld", step: { text: "I", finish: "content-filter" }, error: { code: "content-filter" } },
  {
    how: "a tool fails it",
    step: calling("work"),
    tool: () => {
      throw new FlowerError("fatal-tool-error", "no licence");
    },
    error: { code: "fatal-tool-error" },
  },
  { how: "it is aborted", step: calling("hang"), fail: (_stage, abort) => abort(wall), error: wall },
  { how: "its time is up", step: calling("hang"), fail: ({ clock }) => clock.advance(60_000), error: { code: "turn-timeout" } },
];

function cast(tool: () => unknown, hang: () => Promise<void>): Agent {
  const work = plainTool("work", tool as never);
  const b = new Agent({ name: "B", tools: [plainTool("hang", hang), work], handoffs: ["A"] });
  return new Agent({ name: "A", tools: [plainTool("look")], handoffs: [b] });
}

/** Plays: a turn with A; a turn that hands over to B and fails; a turn with A. */
async function playFailure({ step, tool, fail, error }: Failure, fixture: SessionStoreFixture, historyWindow?: { turns: number }) {
  const clock = stoppedClock();
  const hanging = deferred();
  const gate = deferred();
  const hang = () => {
    hanging.resolve();
    return gate.promise;
  };
  const script = [calling("look"), "One.", calling("look", "transfer_to_b"), step ?? calling("hang"), "Three."];
  const staged = stage(script as never, { startingAgent: cast(tool ?? (() => "done"), hang), fixture, clock, historyWindow });
  await staged.runner.run("s", "first");
  const before = await staged.store.read("s");
  const run = staged.runner.stream("s", "second", { timeoutMs: 60_000 });
  if (fail) {
    await hanging.promise;
    await fail({ ...staged, clock }, (reason) => run.abort(reason));
  }
  const failure = await rejection(run.response);
  if (error instanceof Error) expect(failure).toBe(error);
  else expect(failure).toMatchObject(error);
  gate.resolve();
  return { ...staged, before, clock };
}

describe.each(STORES)("a turn over the %s store that fails because", (_name, make) => {
  it.each(FAILURES)("$how leaves history and active agent as they were, and the next turn clean", async (failure) => {
    const { runner, store, engine, before, clock } = await playFailure(failure, make());
    expect(await store.read("s")).toEqual(before);
    expect((await store.turns("s")).map((turn) => turn.status)).toEqual(["committed", "rolled-back"]);
    expect(await runner.run("s", "third")).toMatchObject({ content: "Three.", activeAgentName: "A" });
    expect(transcript(engine.requests.at(-1)!.messages)).toEqual([
      "user: first",
      "A: look({})",
      "results: look=look done",
      "A: One.",
      "user: third",
    ]);
    expect(clock.timers).toBe(0);
  });

  it.each(FAILURES)("$how is undone also when a window cuts what is sent", async (failure) => {
    const { runner, store, engine, before } = await playFailure(failure, make(), { turns: 1 });
    expect(await store.read("s")).toEqual(before);
    await runner.run("s", "third");
    expect(transcript(engine.requests.at(-1)!.messages)).toEqual(["user: third"]);
    expect((await store.read("s"))?.history).toHaveLength(6);
  });

  it.each(FAILURES)("$how can be read in its journal", async (failure) => {
    const { store } = await playFailure(failure, make());
    const [, { turnId, reason } = { turnId: "" }] = await store.turns("s");
    const messages = (await store.journal("s", turnId)).flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    expect(transcript(messages).slice(0, 3)).toEqual([
      "user: second",
      "A: look({}) transfer_to_b({})",
      "results: look=look done transfer_to_b=The conversation is now with B.",
    ]);
    expect(reason).toBeTruthy();
  });
});

describe.each(STORES)("a turn over the %s store", (_name, make) => {
  it.each(["commit:before", "commit:inside"] as const)("whose store fails at %s leaves nothing, and the next one works", async (point) => {
    const { runner } = stage(["One.", "Two."], { fixture: make(failAt(point)) });
    await rejection(runner.run("s", "first"));
    await runner.run("s", "second");
    expect(transcript((await runner.session("s"))!.history)).toEqual(["user: second", "Helper: Two."]);
  });

  it("that is committed is answered for, whatever happens when the session is given back", async () => {
    const { runner } = stage(["One."], { fixture: make(failAt("release:after")) });
    expect((await runner.run("s", "first")).content).toBe("One.");
  });
});

describe("a turn that loses its session to another process", () => {
  it("is stopped, and writes nothing more", async () => {
    const fixture = sqliteFixture();
    const working = deferred();
    let stopped: unknown;
    const work = plainTool(
      "work",
      (_args, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            stopped = signal.reason;
            resolve("late");
          });
          working.resolve();
        }),
    );
    const loser = stage([calling("work")], { tools: [work], fixture });
    const lost = rejection(loser.runner.run("s", "first"));
    await working.promise;
    fixture.expireLeases?.();
    const store = await fixture.reopen();
    const winner = stage(["Mine."], { tools: [work], sessionStore: store });
    const run = winner.runner.stream("s", "second");
    const [event] = await eventsOf(run);
    expect(event).toMatchObject({ kind: "task", payload: { code: "turn-discarded", data: { paused: false } } });
    expect(event?.kind === "task" && JSON.stringify(event.payload)).toContain('"name":"work"');
    await fixture.clock.advance(60_000); // the loser tries to renew its lease
    expect(await lost).toMatchObject({ code: "lease-lost" });
    expect(stopped).toMatchObject({ code: "lease-lost" });
    expect(transcript((await store.read("s"))!.history)).toEqual(["user: second", "Helper: Mine."]);
    expect(JSON.stringify(await store.read("s"))).not.toContain(INTERRUPTED_RESULT);
  });
});
