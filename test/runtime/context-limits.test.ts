import { describe, expect, it } from "vitest";
import { contextLimits, loweredWindow } from "../../src/runtime/context-limits.ts";

describe("where a context handoff comes", () => {
  it.each([
    { window: 1_000_000, warnAt: 730_000, at: 750_000 },
    { window: 200_000, warnAt: 130_000, at: 150_000 },
    { window: 100_000, warnAt: 50_000, at: 60_000 },
    { window: 32_000, warnAt: 16_000, at: 19_200 },
  ])("in a window of $window it is announced at $warnAt and made at $at", ({ window, warnAt, at }) => {
    expect(contextLimits(window)).toEqual({ window, warnAt, at });
  });

  it("headroom of one's own goes before the rule", () => {
    expect(contextLimits(200_000, 10_000)).toEqual({ window: 200_000, warnAt: 170_000, at: 190_000 });
  });

  it("a headroom as large as the window leaves a line all the same", () => {
    expect(contextLimits(1_000, 5_000)).toMatchObject({ warnAt: 1, at: 1 });
  });

  it.each([
    { title: "what the level before had shown to fit", window: 200_000, level: 90_000, floor: 5_000, lowered: 90_000 },
    { title: "half, when no level is known", window: 200_000, level: 0, floor: 0, lowered: 100_000 },
    { title: "never below twice where sessions begin", window: 200_000, level: 30_000, floor: 25_000, lowered: 50_000 },
    { title: "never above what it was", window: 40_000, level: 39_000, floor: 30_000, lowered: 40_000 },
  ])("after an overflow the window is $title", ({ window, level, floor, lowered }) => {
    expect(loweredWindow(window, level, floor)).toBe(lowered);
  });
});
