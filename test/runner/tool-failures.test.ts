import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { CallGuard } from "../../src/tools/call.ts";
import { calling, deferred, eventsOf, ofKind, plainTool, rejection, STORES, stage, stoppedClock, until } from "./stage.ts";
import { transcript } from "./transcript.ts";

const SECRET = "cannot connect to postgres://admin:hunter2@10.0.0.7/main";

function failing() {
  throw new Error(SECRET);
}

describe.each(STORES)("a tool that throws, over the %s store", (_name, make) => {
  it("gives the model a trace id and nothing of the error; the event's detail has all of it under that id", async () => {
    const { runner, store, engine } = stage([calling("query"), "Sorry."], { tools: [plainTool("query", failing)], fixture: make() });
    const run = runner.stream("s", "how many?");
    const { turnId } = await run.response;
    const [result] = ofKind(await eventsOf(run), "tool_result");
    const trace = /\(trace (\w{8})\)/.exec(result!.text)?.[1];
    expect(result?.payload.isError).toBe(true);
    expect(result?.payload.detail).toContain(`[${trace}] Error: ${SECRET}`);
    expect(result?.payload.detail).toContain("tool-failures.test.ts");
    for (const kept of [engine.requests, await store.journal("s", turnId), await store.read("s"), result?.text]) {
      expect(JSON.stringify(kept)).not.toContain("hunter2");
    }
    expect(JSON.stringify(engine.requests[1]?.messages)).toContain(trace);
  });

  it("does not keep its siblings from their results", async () => {
    const tools = [plainTool("query", failing), plainTool("look")];
    const { runner } = stage([calling("query", "look", "query"), "Sorry."], { tools, fixture: make() });
    expect((await runner.run("s", "go")).toolCallsExecuted.toSorted()).toEqual(["look", "query", "query"]);
    expect(transcript((await runner.session("s"))!.history)[2]).toMatch(/^results: query!=\S.* look=look done query!=\S/);
  });

  it("fails the whole turn when it throws fatal-tool-error, and stops its siblings", async () => {
    const fatal = new FlowerError("fatal-tool-error", "The licence has expired.");
    const waiting = deferred();
    let stopped: unknown;
    const tools = [
      plainTool("wait", async (_args, { signal }) => {
        waiting.resolve();
        await once(signal, "abort");
        stopped = signal.reason;
      }),
      plainTool("check", async () => {
        await waiting.promise;
        throw fatal;
      }),
    ];
    const { runner, engine } = stage([calling("wait", "check"), "Hello."], { tools, fixture: make() });
    expect(await rejection(runner.run("s", "go"))).toBe(fatal);
    expect(stopped).toBe(fatal);
    await runner.run("s", "hi");
    expect(engine.requests[1]?.messages).toHaveLength(1);
  });
});

describe("a tool that throws", () => {
  it.each([
    ["a text", "no luck"],
    ["nothing", undefined],
    ["a promise's rejection", Promise.reject(new Error("later")).catch((error: unknown) => error)],
  ])("%s is answered for like any other", async (_what, thrown) => {
    const value = await thrown;
    const odd = plainTool("odd", () => {
      throw value;
    });
    const { runner } = stage([calling("odd"), "Sorry."], { tools: [odd] });
    expect((await runner.run("s", "go")).content).toBe("Sorry.");
  });

  it("later, when its turn is over, harms nothing", async () => {
    const clock = stoppedClock();
    const gate = deferred();
    const started = deferred();
    const deaf = plainTool("deaf", () => {
      started.resolve();
      return gate.promise.then(failing);
    });
    const { runner } = stage([calling("deaf"), "Sorry."], { tools: [deaf], clock, toolTimeoutMs: 1_000 });
    const run = runner.stream("s", "go");
    await started.promise;
    await clock.advance(1_000);
    await run.response;
    gate.resolve();
    await runner.close();
  });
});

describe("a tool's time", () => {
  it("is its own timeout, else the Runner's; then its signal aborts and the model reads why", async () => {
    const clock = stoppedClock();
    const aborted: string[] = [];
    let started = 0;
    const hanging = (name: string, timeoutMs?: number) =>
      plainTool(
        name,
        (_args, { signal }) =>
          new Promise((_resolve, reject) => {
            started++;
            signal.addEventListener("abort", () => {
              aborted.push(`${name} after ${clock.now() - start} ms`);
              reject(signal.reason);
            });
          }),
        { timeoutMs },
      );
    const tools = [hanging("own", 5_000), hanging("default")];
    const { runner } = stage([calling("own", "default"), "Sorry."], { tools, clock, toolTimeoutMs: 20_000 });
    const start = clock.now();
    const run = runner.run("s", "go");
    await until(() => started === 2);
    await clock.advance(20_000);
    expect((await run).content).toBe("Sorry.");
    expect(aborted).toEqual(["own after 5000 ms", "default after 20000 ms"]);
    expect(transcript((await runner.session("s"))!.history)[2]).toBe(
      'results: own!="own" was stopped after 5 s. Try a smaller piece of work. default!="default" was stopped after 20 s. Try a smaller piece of work.',
    );
    expect(clock.timers).toBe(0);
  });
});

describe("guards", () => {
  const log: string[] = [];
  const guard = (name: string, denies?: string): CallGuard => ({
    before(call) {
      log.push(`${name} before ${call.name}`);
      return denies;
    },
    after(call, outcome) {
      log.push(`${name} after ${call.name}`);
      return { ...outcome, content: [{ type: "text", text: "filed away" }] };
    },
  });

  it("run around every call, in order, unknown tools included, and may replace what the model reads", async () => {
    log.length = 0;
    const { runner } = stage([calling("look"), calling("nope"), "Done."], {
      tools: [plainTool("look")],
      guards: [guard("first"), guard("second")],
    });
    await runner.run("s", "go");
    const around = (name: string) => ["first before", "second before", "first after", "second after"].map((step) => `${step} ${name}`);
    expect(log).toEqual([...around("look"), ...around("nope")]);
    expect(transcript((await runner.session("s"))!.history)[2]).toBe("results: look=filed away");
  });

  it("deny a call with a text, and the tool does not run", async () => {
    const { runner } = stage([calling("look"), "I see."], { tools: [plainTool("look")], guards: [guard("strict", "Not today.")] });
    expect((await runner.run("s", "go")).toolCallsExecuted).toEqual([]);
    expect(transcript((await runner.session("s"))!.history)[2]).toBe("results: look!=Not today.");
  });

  it("that throw fail the turn: a check that cannot be made lets nothing pass", async () => {
    const broken = new Error("rules unreadable");
    const guards = [{ before: () => Promise.reject(broken) }];
    const ran: string[] = [];
    const look = plainTool("look", () => void ran.push("look"));
    const { runner } = stage([calling("look")], { tools: [look], guards });
    expect(await rejection(runner.run("s", "go"))).toBe(broken);
    expect(ran).toEqual([]);
  });
});
