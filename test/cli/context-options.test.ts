import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { addContextOptions, type ContextOptions, contextHandoffFrom } from "../../src/cli/context-options.ts";

function read(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = addContextOptions(new Command("x").exitOverride().configureOutput({ writeErr: () => {} }));
  return contextHandoffFrom(command.parse([...args], { from: "user" }).opts<ContextOptions>(), env);
}

describe("the context window", () => {
  it("is the option, else the environment's, else what is known of the model", () => {
    expect(read(["--window", "32000"], { FLOWER_WINDOW: "64000" })).toEqual({ window: 32_000 });
    expect(read([], { FLOWER_WINDOW: "64_000" })).toEqual({ window: 64_000 });
    expect(read([], { FLOWER_WINDOW: " " })).toEqual({});
    expect(read([])).toEqual({});
  });

  it("does not matter without a handoff, so both together are an error", () => {
    expect(read(["--no-handoff"])).toBe(false);
    expect(() => read(["--no-handoff", "--window", "32000"])).toThrow("--window has no effect with --no-handoff");
  });

  it.each(["0", "-1", "3999", "32k", "1.5", ""])("cannot be %j, and the error says why", (text) => {
    expect(() => read(["--window", text])).toThrow(/whole number of tokens, 4000 or more/);
  });

  it("of the environment is checked too", () => {
    expect(() => read([], { FLOWER_WINDOW: "much" })).toThrow('FLOWER_WINDOW is "much"');
  });
});
