import { describe, expect, it } from "vitest";
import { ContextHandoff } from "../../src/runtime/context-handoff.ts";

function handoff(options: { readonly window?: number; readonly maxGenerations?: number } = {}) {
  return new ContextHandoff({ step: "work", language: "en", window: 100_000, ...options }); // warns at 50,000, full at 60,000
}

describe("a step's context levels", () => {
  it("are announced once in a generation, before the line", () => {
    const context = handoff();
    expect(context.note(49_999)).toBeUndefined();
    expect(context.note(50_000)?.payload).toEqual({ phase: "near", step: "work", context: 50_000, window: 100_000, at: 60_000 });
    expect(context.note(55_000)).toBeUndefined();
    context.note(61_000);
    expect(context.plan(false)).toEqual({ do: "write" });
    expect(context.succeed(false)).toBeUndefined();
    context.note(10_000);
    expect(context.note(51_000)?.payload.phase).toBe("near");
  });

  it("are full at the line, not before", () => {
    const context = handoff();
    expect([59_999, 60_000].map((level) => context.isFull(level))).toEqual([false, true]);
  });

  it("that begin over the line end the step at the second session: a floor is no reason for a loop", () => {
    const context = handoff();
    context.note(70_000);
    expect(context.plan(false)).toEqual({ do: "assemble" }); // nothing was done yet that only the model could tell
    context.succeed(true);
    context.note(70_000);
    expect(context.plan(false)).toMatchObject({ do: "stop", code: "context-floor-exceeded" });
  });

  it("of a resumed session say nothing about where sessions begin", () => {
    const context = handoff();
    context.resumed();
    context.note(70_000);
    expect(context.plan(false)).toEqual({ do: "write" });
  });

  it("at which the provider refused lower the window, and no document is asked for in a session that takes nothing more", () => {
    const context = handoff();
    context.note(5_000);
    context.note(40_000);
    expect(context.plan(true)).toEqual({ do: "assemble" });
    expect(context.limits).toMatchObject({ window: 40_000, at: 24_000 });
  });

  it("two documents in a row by machine end the step with advice", () => {
    const context = handoff();
    for (const level of [10_000, 61_000]) context.note(level);
    context.plan(false);
    expect(context.succeed(true)).toBeUndefined();
    for (const level of [10_000, 61_000]) context.note(level);
    context.plan(false);
    expect(context.succeed(true)).toMatchObject({ do: "stop", code: "context-overflow", message: expect.stringContaining("headroom") });
  });

  it("a document of the model's own between two by machine starts the count anew", () => {
    const context = handoff();
    for (const degraded of [true, false, true]) {
      for (const level of [10_000, 61_000]) context.note(level);
      context.plan(false);
      expect(context.succeed(degraded)).toBeUndefined();
    }
  });

  it("the last generation that is allowed ends the step with advice", () => {
    const context = handoff({ maxGenerations: 2 });
    for (const level of [10_000, 61_000]) context.note(level);
    context.plan(false);
    context.succeed(false);
    for (const level of [10_000, 61_000]) context.note(level);
    expect(context.plan(false)).toMatchObject({ do: "stop", message: expect.stringContaining("maxGenerations") });
  });
});
