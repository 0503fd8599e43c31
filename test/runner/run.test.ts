import { describe, expect, it } from "vitest";
import type { Event } from "../../src/messages/event.ts";
import { failAt } from "../../src/testing/faults.ts";
import { memoryFixture } from "../sessions/fixtures.ts";
import { calling, eventsOf, ofKind, plainTool, rejection, STORES, settle, stage } from "./stage.ts";
import { transcript } from "./transcript.ts";

const SCRIPT = [calling("look"), { text: "All is well.", deltas: 3 }];

function looking(fixture = memoryFixture()) {
  return stage(SCRIPT, { tools: [plainTool("look")], fixture });
}

describe.each(STORES)("a stream over the %s store", (_name, make) => {
  it("is the same turn as run", async () => {
    const streamed = looking(make());
    const ran = looking(make());
    const { turnId: _a, ...one } = await streamed.runner.stream("s", "hi").response;
    const { turnId: _b, ...other } = await ran.runner.run("s", "hi");
    expect(one).toEqual(other);
    expect(transcript((await streamed.runner.session("s"))!.history)).toEqual(transcript((await ran.runner.session("s"))!.history));
  });

  it("gives its result event last, when the turn is history", async () => {
    const { runner } = looking(make());
    const lengths: [string, number | undefined][] = [];
    for await (const event of runner.stream("s", "hi")) lengths.push([event.kind, (await runner.session("s"))?.history.length]);
    expect(lengths).toEqual([
      ["prompt", undefined],
      ["tool_call", undefined],
      ["tool_result", undefined],
      ["text", undefined],
      ["result", 4],
    ]);
  });

  it("reports a commit that fails as a failed turn", async () => {
    const { runner } = looking(make(failAt("commit:before")));
    const run = runner.stream("s", "hi");
    expect((await eventsOf(run)).at(-1)).toMatchObject({ kind: "result", payload: { isError: true } });
    expect(await rejection(run.response)).toMatchObject({ message: "fault injected at commit:before" });
    expect(await runner.session("s")).toBeUndefined();
  });
});

describe("readers of a run", () => {
  it("see every event from the first, early, late, slow or several at once", async () => {
    const { runner } = looking();
    const run = runner.stream("s", "hi");
    const early = eventsOf(run);
    const slow = (async () => {
      const events: Event[] = [];
      for await (const event of run) {
        events.push(event);
        await settle();
      }
      return events;
    })();
    await run.response;
    const late = await eventsOf(run);
    expect(late.map((event) => event.kind)).toEqual(["prompt", "tool_call", "tool_result", "text", "result"]);
    expect(await early).toEqual(late);
    expect(await slow).toEqual(late);
  });

  it("may leave without stopping the turn, and without keeping the session", async () => {
    const { runner } = stage([calling("look"), "One.", "Two."], { tools: [plainTool("look")] });
    const run = runner.stream("s", "hi");
    for await (const _event of run) break;
    expect((await run.response).content).toBe("One.");
    expect((await runner.run("s", "again")).content).toBe("Two.");
  });

  it("do not hold the next turn up when they stop reading", async () => {
    const { runner } = stage(["One.", "Two."]);
    const reader = runner.stream("s", "hi")[Symbol.asyncIterator]();
    await reader.next();
    expect((await runner.run("s", "again")).content).toBe("Two.");
  });

  it("all get the turn's failure, early and late", async () => {
    const down = new Error("down");
    const { runner } = stage([down]);
    const run = runner.stream("s", "hi");
    const read = async () => {
      for await (const _event of run);
    };
    const failure = await rejection(read());
    expect(failure).toMatchObject({ code: "unknown", cause: down });
    expect(await rejection(run.response)).toBe(failure);
    expect(await rejection(read())).toBe(failure);
  });

  it("are not needed: a failed run that nobody looks at crashes nothing", async () => {
    const { runner } = stage([new Error("down"), "Fine."]);
    runner.stream("s", "hi");
    await settle();
    expect((await runner.run("s", "again")).content).toBe("Fine.");
  });
});

describe("deltas", () => {
  it("come only when asked for, and add up to the text", async () => {
    const { runner } = stage([{ reasoning: "hm", text: "All is well.", deltas: 3 }, "Plain."]);
    const events = await eventsOf(runner.stream("s", "hi", { deltas: true }));
    const deltas = ofKind(events, "delta").filter((event) => event.payload.of === "text");
    expect(deltas).toHaveLength(3);
    expect(deltas.map((event) => event.text).join("")).toBe("All is well.");
    expect(deltas.every((event) => event.payload.block === 1 && event.payload.agent === "Helper")).toBe(true);
    expect(ofKind(await eventsOf(runner.stream("s", "hi")), "delta")).toEqual([]);
  });
});

describe("the last block of a reply", () => {
  it("carries usage, model and context level, the others none", async () => {
    const reply = { reasoning: "hm", text: "Let me see.", ...calling("look"), usage: { inputTokens: 7, cacheReadTokens: 3, costUsd: 1 } };
    const { runner } = stage([reply, "Done."], { tools: [plainTool("look")] });
    const events = await eventsOf(runner.stream("s", "hi"));
    const first = events.filter((event) => "iteration" in event.payload && event.payload.iteration === 1);
    const carried = first.map((event) => [event.kind, "context" in event.payload ? event.payload.context : undefined]);
    expect(carried).toEqual([
      ["thinking", undefined],
      ["text", undefined],
      ["tool_call", 10],
      ["tool_result", undefined],
    ]);
    expect(ofKind(events, "tool_call")[0]?.payload).toMatchObject({ model: "scripted-1", usage: { inputTokens: 7 }, costUsd: 1 });
  });
});
