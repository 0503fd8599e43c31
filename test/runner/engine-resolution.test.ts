import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { ScriptedEngine } from "../../src/engines/scripted.ts";
import { Runner } from "../../src/runner/runner.ts";
import { events, serve } from "../engines/server.ts";
import { WIRES } from "../engines/wires.ts";
import { calling, rejection, settle, stage } from "./stage.ts";

const KEYS = ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_BASE_URL"];

/** Only these variables are set, of all that could name an engine. */
function environment(variables: Readonly<Record<string, string>>): void {
  for (const name of [...KEYS, "FLOWER_MODEL", "OPENAI_BASE_URL"]) vi.stubEnv(name, variables[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe("the engine that answers", () => {
  it("is the agent's own, before the Runner's", async () => {
    const own = new ScriptedEngine(["Own."]);
    const { runner, engine } = stage([], { startingAgent: new Agent({ name: "A", engine: own }) });
    expect((await runner.run("s", "hi")).content).toBe("Own.");
    expect(engine.requests).toHaveLength(0);
  });

  it("is else the Runner's, with each agent's model", async () => {
    const b = new Agent({ name: "B", model: "large" });
    const { runner, engine } = stage([calling("transfer_to_b"), "Hello."], { startingAgent: new Agent({ name: "A", handoffs: [b] }) });
    await runner.run("s", "hi");
    expect(engine.requests.map((request) => request.model)).toEqual(["scripted-1", "large"]);
    expect((await runner.session("s"))?.history.map((message) => message.model)).toEqual([undefined, "scripted-1", undefined, "large"]);
  });

  it("cannot be of another provider than the agent's model names, and nothing is sent then", async () => {
    const engine = new ScriptedEngine([], { provider: "anthropic" });
    const { runner } = stage([], { startingAgent: new Agent({ name: "A", model: "openai/gpt-4o" }), engine });
    expect(await rejection(runner.run("s", "hi"))).toMatchObject({ code: "bad-config" });
    expect(engine.requests).toHaveLength(0);
  });

  it("is else named by the agent's model or FLOWER_MODEL, with one connection per provider for all agents and turns", async () => {
    const chat = WIRES.find((wire) => wire.name === "openai chat")!;
    await using server = await serve(events([...chat.begin("Hello."), ...chat.end]));
    environment({ OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: server.url, FLOWER_MODEL: "openai/gpt-4o-mini" });
    const other = new Agent({ name: "Other", model: "gpt-4o" });
    await using runner = new Runner({ startingAgent: new Agent({ name: "A" }) });
    await using second = new Runner({ startingAgent: other });
    runner.registerAgent(other.with({ name: "B" }));
    for (const [by, session] of [
      [runner, "s"],
      [runner, "s"],
      [runner, "t"],
      [second, "s"],
    ] as const) {
      await by.run(session, "hi");
      await settle(); // the connection goes back to its pool
    }
    expect(server.requests.map((request) => request.body["model"])).toEqual(["gpt-4o-mini", "gpt-4o-mini", "gpt-4o-mini", "gpt-4o"]);
    expect(server.connections).toBe(1);
  });

  it("that cannot be found is an error that names what to set, and leaves no turn behind", async () => {
    environment({});
    await using runner = new Runner({ startingAgent: new Agent({ name: "A" }) });
    const error = await rejection(runner.run("s", "hi"));
    expect(error).toMatchObject({ code: "no-engine" });
    expect(String(error)).toMatch(/GEMINI_API_KEY.*ANTHROPIC_API_KEY.*OPENAI_API_KEY/);
    expect(await runner.session("s")).toBeUndefined();
  });

  it("gets the Runner's apiKey only when it is the default one", async () => {
    const chat = WIRES.find((wire) => wire.name === "openai chat")!;
    await using server = await serve(events([...chat.begin("Hello."), ...chat.end]));
    environment({ OPENAI_BASE_URL: server.url });
    await using runner = new Runner({ startingAgent: new Agent({ name: "A", model: "gpt-4o" }), apiKey: "sk-given" });
    await runner.run("s", "hi");
    expect(server.requests[0]?.headers["authorization"]).toBe("Bearer sk-given");
  });
});
