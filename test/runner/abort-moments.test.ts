import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agents/agent.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { NO_USAGE } from "../../src/messages/usage.ts";
import { tool } from "../../src/tools/tool.ts";
import { memoryFixture } from "../sessions/fixtures.ts";
import { calling, deferred, eventsOf, plainTool, rejection, settle, stage } from "./stage.ts";

const reason = { why: "the client left" };

const never = () => new Promise<never>(() => {});

describe("an abort", () => {
  it("without a reason rejects with the code aborted", async () => {
    const { runner } = stage([never]);
    const run = runner.stream("s", "hi");
    await settle();
    run.abort();
    expect(await rejection(run.response)).toMatchObject({ code: "aborted" });
  });

  it("by AbortSignal.timeout rejects with that signal's own error", async () => {
    const signal = AbortSignal.timeout(5);
    const { runner } = stage([never]);
    expect(await rejection(runner.run("s", "hi", { signal }))).toBe(signal.reason);
  });

  it.each([
    ["instructions", { startingAgent: new Agent({ name: "A", instructions: never }) }],
    ["a guard before a call", { tools: [plainTool("look")], guards: [{ before: never }] }],
    ["a guard after a call", { tools: [plainTool("look")], guards: [{ after: never }] }],
    ["the question whether approval is needed", { tools: [plainTool("look", undefined, { needsApproval: never })] }],
    ["the person who is to approve", { tools: [plainTool("look", undefined, { needsApproval: true })], approve: never }],
  ])("ends the wait for %s", async (_what, setting) => {
    const { runner } = stage([calling("look")], setting);
    const run = runner.stream("s", "hi");
    await settle();
    run.abort(reason);
    expect(await rejection(run.response)).toBe(reason);
  });

  it("while something is asked calls nothing afterwards, whatever the answer", async () => {
    const called: string[] = [];
    const asked = deferred<boolean>();
    const asking = deferred();
    const needsApproval = () => {
      asking.resolve();
      return asked.promise;
    };
    const look = plainTool("look", () => void called.push("tool"), { needsApproval });
    const approve = () => {
      called.push("approve");
      return true;
    };
    const { runner, engine, store } = stage([calling("look")], { tools: [look], approve });
    const run = runner.stream("s", "hi");
    await asking.promise;
    run.abort(reason);
    asked.resolve(true);
    await rejection(run.response);
    await settle();
    expect(called).toEqual([]);
    expect(engine.requests).toHaveLength(1);
    const [turn] = await store.turns("s");
    expect((await store.journal("s", turn!.turnId)).map((entry) => entry.type)).toEqual(["message", "message"]);
  });

  it("that comes while the instructions are made asks no model", async () => {
    const controller = new AbortController();
    const instructions = () => {
      controller.abort(reason);
      return "Speak.";
    };
    const { runner, engine } = stage([], { startingAgent: new Agent({ name: "A", instructions }) });
    expect(await rejection(runner.run("s", "hi", { signal: controller.signal }))).toBe(reason);
    expect(engine.requests).toHaveLength(0);
  });

  it("that comes while arguments are read starts no call, not even in the journal", async () => {
    const controller = new AbortController();
    const called: string[] = [];
    const parameters = z.object({}).refine(() => {
      controller.abort(reason);
      return true;
    });
    const look = tool({ name: "look", description: "Looks.", parameters, execute: () => void called.push("look") });
    const { runner, store } = stage([calling("look")], { tools: [look] });
    expect(await rejection(runner.run("s", "hi", { signal: controller.signal }))).toBe(reason);
    expect(called).toEqual([]);
    const [turn] = await store.turns("s");
    expect((await store.journal("s", turn!.turnId)).map((entry) => entry.type)).toEqual(["message", "message"]);
  });

  it("that comes with the last word of the answer leaves nothing, as long as the turn is not history", async () => {
    const controller = new AbortController();
    const engine: Engine = {
      provider: "late",
      model: "late-1",
      async *stream() {
        try {
          yield { type: "block", of: "text", text: "Done." } as const;
          yield { type: "finish", reason: "stop", usage: NO_USAGE } as const;
        } finally {
          controller.abort(reason);
        }
      },
      withModel: () => engine,
    };
    const { runner } = stage([], { engine });
    const run = runner.stream("s", "hi", { signal: controller.signal });
    expect(await rejection(run.response)).toBe(reason);
    expect((await eventsOf(run)).at(-1)).toMatchObject({ kind: "result", payload: { isError: true, errorKind: "aborted" } });
    expect(await runner.session("s")).toBeUndefined();
  });

  it("that comes together with the session leaves a turn that waits in it alone", async () => {
    const controller = new AbortController();
    let opened = 0;
    const fixture = memoryFixture((point) => {
      if (point === "open:after" && ++opened === 2) controller.abort(reason);
    });
    const tools = [plainTool("pay", undefined, { needsApproval: true })];
    const { runner } = stage([calling("pay"), "Paid."], { tools, fixture });
    const { pending } = await runner.run("s", "pay");
    expect(await rejection(runner.run("s", "never mind", { signal: controller.signal }))).toBe(reason);
    expect((await runner.resume("s", [{ callId: pending[0]!.callId, approve: true }])).content).toBe("Paid.");
  });

  it("by a tool itself lets none of the calls that wait behind it begin", async () => {
    const controller = new AbortController();
    const called: string[] = [];
    const tools = [
      plainTool("stop", () => controller.abort(reason), { parallel: false }),
      plainTool("next", () => void called.push("next"), { parallel: false }),
    ];
    const guards = [{ before: ({ name }: { readonly name: string }) => void called.push(`guard before ${name}`) }];
    const { runner, engine } = stage([calling("stop", "next")], { tools, guards });
    expect(await rejection(runner.run("s", "hi", { signal: controller.signal }))).toBe(reason);
    expect(called).toEqual(["guard before stop"]);
    expect(engine.requests).toHaveLength(1);
  });
});
