import { describe, expect, it } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { TextPart } from "../../src/messages/message.ts";
import { sqliteFixture } from "../sessions/fixtures.ts";
import { calling, plainTool, rejection, STORES, stage } from "./stage.ts";
import { transcript } from "./transcript.ts";

describe.each(STORES)("a turn over the %s store", (_name, make) => {
  it("says who answered, what ran, what it cost, and why it ended", async () => {
    const tools = [plainTool("look"), plainTool("note")];
    const script = [
      { ...calling("look", "note"), usage: { inputTokens: 10, outputTokens: 2, costUsd: 0.25 } },
      { text: "Seen.", usage: { inputTokens: 20, cacheReadTokens: 8, outputTokens: 3, costUsd: 0.5 } },
    ];
    const { runner } = stage(script, { tools, fixture: make() });
    const response = await runner.run("s", "look around");
    expect(response).toEqual({
      content: "Seen.",
      activeAgentName: "Helper",
      toolCallsExecuted: ["look", "note"],
      handoff: undefined,
      output: undefined,
      finishReason: "done",
      pending: [],
      usage: { inputTokens: 30, cacheReadTokens: 8, cacheWriteTokens: 0, outputTokens: 5, costUsd: 0.75 },
      turnId: (await runner.session("s"))?.turns[0]?.turnId,
      iterations: 2,
    });
  });

  it("becomes history as a whole, and the next turn is built on it", async () => {
    const { runner, engine } = stage([calling("look"), "Seen.", "Again."], { tools: [plainTool("look")], fixture: make() });
    await runner.run("s", "look");
    await runner.run("s", "and now?");
    const history = (await runner.session("s"))?.history ?? [];
    expect(transcript(history)).toEqual([
      "user: look",
      "Helper: look({})",
      "results: look=look done",
      "Helper: Seen.",
      "user: and now?",
      "Helper: Again.",
    ]);
    expect(engine.requests[2]?.messages).toEqual(history.slice(0, 5));
  });

  it("is listed with the session's other turns, failed ones too", async () => {
    const { runner } = stage(["Hello.", new Error("down"), "Back."], { fixture: make() });
    const first = await runner.run("s", "hi");
    await rejection(runner.run("s", "still there?"));
    const third = await runner.run("s", "and now?");
    const session = await runner.session("s");
    expect(session).toMatchObject({ id: "s", activeAgent: "Helper", metadata: {}, commit: 2 });
    expect(session?.turns.map(({ turnId, status }) => [turnId, status])).toEqual([
      [first.turnId, "committed"],
      [expect.any(String), "rolled-back"],
      [third.turnId, "committed"],
    ]);
    expect(await runner.session("unknown")).toBeUndefined();
  });

  it("merges its metadata over the session's, for itself only", async () => {
    const seen: JsonObject[] = [];
    const look = plainTool("look", (_args, context) => void seen.push(context.metadata));
    const instructions = ({ metadata }: { readonly metadata: JsonObject }) => `Speak ${String(metadata["language"])}.`;
    const startingAgent = new Agent({ name: "Helper", instructions, tools: [look] });
    const fixture = make();
    const { runner, engine } = stage([calling("look"), "1", calling("look"), "2"], { startingAgent, fixture });
    await runner.setMetadata("s", { user: "u1", language: "pt" });
    await runner.run("s", "hi", { metadata: { language: "zh", channel: "web" } });
    await runner.run("s", "hi");
    expect(seen).toEqual([
      { user: "u1", language: "zh", channel: "web" },
      { user: "u1", language: "pt" },
    ]);
    expect(engine.requests.map((request) => request.instructions)).toEqual(["Speak zh.", "Speak zh.", "Speak pt.", "Speak pt."]);
    expect((await (await fixture.reopen()).read("s"))?.metadata).toEqual({ user: "u1", language: "pt" });
  });
});

describe("metadata", () => {
  it("cannot be set while a turn is open that a dead process left, which stays to be recovered", async () => {
    const fixture = sqliteFixture();
    const dead = await fixture.store.open("s");
    await dead.begin("t");
    await dead.append({
      type: "message",
      message: { id: "m", role: "user", parts: [{ type: "text", text: "hi" }], at: "2026-01-01T00:00:00.000Z" },
    });
    fixture.expireLeases?.();
    const { runner } = stage(["Hello."], { sessionStore: await fixture.reopen() });
    expect(await rejection(runner.setMetadata("s", { a: 1 }))).toMatchObject({ code: "session-busy" });
    expect((await runner.recover("s")).content).toBe("Hello.");
    await runner.setMetadata("s", { a: 1 });
    expect(await runner.session("s")).toMatchObject({ metadata: { a: 1 }, activeAgent: "Helper" });
    await fixture.cleanup();
  });
});

describe("a turn", () => {
  it("asks instructions that are a function for each model call, and never stores them", async () => {
    let asked = 0;
    const startingAgent = new Agent({ name: "Helper", instructions: async () => `version ${++asked}`, tools: [plainTool("look")] });
    const { runner, engine } = stage([calling("look"), "Seen."], { startingAgent });
    await runner.run("s", "look");
    expect(engine.requests.map((request) => request.instructions)).toEqual(["version 1", "version 2"]);
    expect(JSON.stringify((await runner.session("s"))?.history)).not.toContain("version");
  });

  it("whose answer was cut at the output limit says so", async () => {
    const { runner } = stage([{ text: "Once upon", finish: "length" }]);
    expect(await runner.run("s", "tell")).toMatchObject({ content: "Once upon", finishReason: "length" });
  });

  it("has no cost when one of its model calls has none", async () => {
    const { runner } = stage(
      [
        { ...calling("look"), usage: { costUsd: undefined } },
        { text: "Seen.", usage: { costUsd: 1 } },
      ],
      {
        tools: [plainTool("look")],
      },
    );
    expect((await runner.run("s", "look")).usage.costUsd).toBeUndefined();
  });

  it("keeps its message as it was given, whatever the caller does with the list later", async () => {
    const { runner } = stage(["Nice."]);
    const parts: TextPart[] = [{ type: "text", text: "a picture" }];
    await runner.run("s", parts);
    parts.push({ type: "text", text: "another" });
    expect((await runner.session("s"))?.history[0]?.parts).toEqual([{ type: "text", text: "a picture" }]);
  });

  it("is refused once the Runner is closed", async () => {
    const { runner } = stage([]);
    await runner.close();
    expect(await rejection(runner.run("s", "hi"))).toMatchObject({ code: "bad-input" });
  });
});
