import { expect, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { EngineBook } from "../../src/agents/engine-book.ts";
import { ScriptedEngine } from "../../src/engines/scripted.ts";

const given = () => new ScriptedEngine([], { provider: "p", model: "m" });

test("an agent's own engine goes first, then the given one; the agent's model is asked of either", () => {
  const own = new ScriptedEngine([], { provider: "q", model: "n" });
  const book = new EngineBook({ engine: given() });
  expect(book.of(new Agent({ name: "a", engine: own })).provider).toBe("q");
  expect(book.of(new Agent({ name: "b", engine: own, model: "n-2" }))).toMatchObject({ provider: "q", model: "n-2" });
  expect(book.of(new Agent({ name: "c" }))).toMatchObject({ provider: "p", model: "m" });
  expect(book.of(new Agent({ name: "d", model: "p/m-2" }))).toMatchObject({ provider: "p", model: "m-2" });
});

test("an agent gets the same engine each time", () => {
  const book = new EngineBook({ engine: given() });
  const agent = new Agent({ name: "a", model: "m-2" });
  expect(book.of(agent)).toBe(book.of(agent));
});

test("a model of another provider than the engine's is an error before any request", () => {
  const engine = new ScriptedEngine([], { provider: "anthropic", model: "claude-x" });
  const book = new EngineBook({ engine });
  expect(() => book.of(new Agent({ name: "a", model: "openai/gpt-4o" }))).toThrow(/openai/);
  expect(engine.requests).toEqual([]);
});
