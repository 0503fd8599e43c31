import { describe, expect, it } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { calling, eventsOf, ofKind, plainTool, STORES, stage } from "./stage.ts";
import { transcript } from "./transcript.ts";

const tools = [plainTool("look")];

describe.each(STORES)("the iteration limit over the %s store", (_name, make) => {
  it("ends in one more answer, with tools withheld, that says it was the limit", async () => {
    const { runner, engine } = stage([calling("look"), calling("look"), "As far as I got."], {
      tools,
      maxToolIterations: 2,
      fixture: make(),
    });
    const response = await runner.run("s", "search");
    expect(response).toMatchObject({ content: "As far as I got.", finishReason: "iteration-limit", iterations: 3 });
    expect(engine.requests.map((request) => request.settings.toolChoice)).toEqual([undefined, undefined, "none"]);
    expect(engine.requests[2]?.tools).toEqual(engine.requests[0]?.tools);
  });

  it("refuses calls that a model makes all the same, once, and then leaves them out: the last word is an answer", async () => {
    const stubborn = { text: "Let me look again.", ...calling("look") };
    const { runner } = stage([calling("look"), stubborn, stubborn], { tools, maxToolIterations: 1, fixture: make() });
    const run = runner.stream("s", "search");
    expect(await run.response).toMatchObject({
      content: "Let me look again.",
      finishReason: "iteration-limit",
      toolCallsExecuted: ["look"],
      iterations: 3,
    });
    const refused = "look!=No more tools can be used in this turn. Answer with what you have.";
    expect(transcript((await runner.session("s"))!.history).slice(3)).toEqual([
      "Helper: Let me look again. look({})",
      `results: ${refused}`,
      "Helper: Let me look again.",
    ]);
    const events = await eventsOf(run);
    expect(ofKind(events, "tool_result").map((event) => event.payload.toolUseId)).toEqual(
      ofKind(events, "tool_call").map((event) => event.payload.id),
    );
  });
});

describe("the iteration limit", () => {
  it("is 10 by default", async () => {
    const { runner } = stage(({ settings }) => (settings.toolChoice === "none" ? "Enough." : calling("look")), { tools });
    expect(await runner.run("s", "search")).toMatchObject({ finishReason: "iteration-limit", iterations: 11 });
  });

  it("is not reached by an answer in the last iteration", async () => {
    const { runner } = stage([calling("look"), "Found."], { tools, maxToolIterations: 2 });
    expect((await runner.run("s", "search")).finishReason).toBe("done");
  });

  it("of an agent goes before the Runner's, and counts each turn anew", async () => {
    const startingAgent = new Agent({ name: "Helper", tools, limits: { maxIterations: 1 } });
    const script = [calling("look"), "First.", calling("look"), "Second."];
    const { runner } = stage(script, { startingAgent });
    expect(await runner.run("s", "search")).toMatchObject({ content: "First.", finishReason: "iteration-limit" });
    expect(await runner.run("s", "search")).toMatchObject({ content: "Second.", finishReason: "iteration-limit" });
  });
});
