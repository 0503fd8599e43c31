import { describe, expect, it } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { checkHistory } from "../../src/messages/history.ts";
import { calling, plainTool, STORES, stage } from "./stage.ts";
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

  it("answers calls that a model makes all the same, and keeps the history valid for the next turn", async () => {
    const { runner, engine } = stage([calling("look"), { text: "Hm.", ...calling("look") }, "Hello."], {
      tools,
      maxToolIterations: 1,
      fixture: make(),
    });
    const response = await runner.run("s", "search");
    expect(response).toMatchObject({ content: "Hm.", finishReason: "iteration-limit", toolCallsExecuted: ["look"] });
    await runner.run("s", "hi");
    expect(checkHistory(engine.requests[2]!.messages)).toEqual([]);
    expect(transcript(engine.requests[2]!.messages).at(-2)).toBe("results: look!=No more tools can be used in this turn.");
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
