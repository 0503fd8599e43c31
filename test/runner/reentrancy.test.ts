import { describe, expect, it } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import type { RecordedRequest } from "../../src/engines/scripted.ts";
import { textOf } from "../../src/messages/message.ts";
import type { Runner } from "../../src/runner/runner.ts";
import { memoryFixture } from "../sessions/fixtures.ts";
import { calling, deferred, plainTool, rejection, STORES, settle, stage } from "./stage.ts";

const refused = { code: "reentrant-turn" };

/** Calls `nest` when a person asks for it, and answers in words to everything else. */
function script(request: RecordedRequest) {
  const last = request.messages.at(-1)!;
  return last.role === "user" && textOf(last) === "nest" ? calling("nest") : "Done.";
}

/** A Runner whose one tool does something with the Runner itself. */
function nesting(act: (runner: Runner, sessionId: string) => unknown, setting: Parameters<typeof stage>[1] = {}) {
  const nest = plainTool("nest", async (_args, context) => String(await act(staged.runner, context.sessionId)));
  const staged = stage(script, { tools: [nest], ...setting });
  return staged;
}

describe.each(STORES)("a turn over the %s store that is started from inside a tool", (_name, make) => {
  it("of the same session's turn is refused at once, and the outer turn goes on", async () => {
    let inner: unknown;
    const { runner } = nesting(
      async (runner, id) => {
        inner = await rejection(runner.run(id, "hi"));
      },
      { fixture: make() },
    );
    expect((await runner.run("s", "nest")).content).toBe("Done.");
    expect(inner).toMatchObject(refused);
  });

  it("of another session runs", async () => {
    const { runner } = nesting(async (runner) => (await runner.run("other", "hi")).content, { fixture: make() });
    expect((await runner.run("s", "nest")).content).toBe("Done.");
    expect((await runner.session("other"))?.commit).toBe(1);
  });

  it("is refused with another session's turn in between", async () => {
    const seen: unknown[] = [];
    const { runner } = nesting(
      async (runner, id) => {
        if (id === "s") await runner.run("between", "nest");
        else seen.push(await rejection(runner.run("s", "hi")));
      },
      { fixture: make() },
    );
    await runner.run("s", "nest");
    expect(seen).toEqual([expect.objectContaining(refused)]);
  });
});

describe("a turn started from inside a tool", () => {
  it("is refused also through chains of promises, timers and microtasks", async () => {
    const { runner } = nesting(async (runner, id) => {
      await Promise.resolve().then(settle);
      await new Promise((resolve) => queueMicrotask(() => setTimeout(resolve, 1)));
      expect(await rejection(Promise.all([1, 2].map(() => runner.run(id, "hi"))))).toMatchObject(refused);
    });
    expect((await runner.run("s", "nest")).toolCallsExecuted).toEqual(["nest"]);
  });

  it.each([
    ["stream", (runner: Runner, id: string) => runner.stream(id, "hi").response],
    ["resume", (runner: Runner, id: string) => runner.resume(id, [])],
    ["recover", (runner: Runner, id: string) => runner.recover(id)],
    ["setMetadata", (runner: Runner, id: string) => runner.setMetadata(id, {})],
    ["discard", (runner: Runner, id: string) => runner.discard(id)],
  ])("is refused as %s, too", async (_how, act) => {
    let failure: unknown;
    const { runner } = nesting(async (runner, id) => {
      failure = await rejection(act(runner, id));
    });
    await runner.run("s", "nest");
    expect(failure).toMatchObject(refused);
  });

  it("is refused to another Runner over the same store, and runs over another store under the same id", async () => {
    const fixture = memoryFixture();
    const inner = (store = memoryFixture().store) => stage(["Inner."], { sessionStore: store }).runner;
    const same = inner(fixture.store);
    const other = inner();
    const outcomes: unknown[] = [];
    const { runner } = nesting(
      async (_runner, id) => {
        outcomes.push(await rejection(same.run(id, "hi")), (await other.run(id, "hi")).content);
      },
      { fixture },
    );
    await runner.run("s", "nest");
    expect(outcomes).toEqual([expect.objectContaining(refused), "Inner."]);
  });

  it("may begin once the outer turn is over", async () => {
    const over = deferred();
    let later: Promise<string> | undefined;
    const { runner } = nesting((runner, id) => {
      later = over.promise.then(async () => (await runner.run(id, "hi")).content);
    });
    await runner.run("s", "nest");
    over.resolve();
    expect(await later).toBe("Done.");
  });

  it("may be a guest of many turns that each started the next", async () => {
    let rounds = 0;
    const all = deferred();
    const { runner } = nesting((runner) => {
      if (++rounds === 50) all.resolve();
      else setImmediate(() => void runner.run(`s${rounds % 3}`, "nest").catch(all.reject));
    });
    await runner.run("s0", "nest");
    await all.promise;
    expect(rounds).toBe(50);
  });

  it("is seen from an agent's instructions and from needsApproval as well", async () => {
    const failures: unknown[] = [];
    const instructions = async () => {
      failures.push(await rejection(runner.run("s", "hi")));
      return "";
    };
    const needsApproval = async () => {
      failures.push(await rejection(runner.run("s", "hi")));
      return false;
    };
    const startingAgent = new Agent({ name: "A", instructions, tools: [plainTool("nest", undefined, { needsApproval })] });
    const { runner } = stage(script, { startingAgent });
    await runner.run("s", "nest");
    expect(failures).toHaveLength(3);
    for (const failure of failures) expect(failure).toMatchObject(refused);
  });
});
