import fc from "fast-check";
import { expect, test } from "vitest";
import { checkHistory, windowHistory } from "../../src/messages/history.ts";
import type { Message } from "../../src/messages/message.ts";
import { call, model, result, tool, user } from "./conversation.ts";

let calls = 0;

/** One turn: a person's message, iterations with calls (and notices of the framework), an answer. */
const turn = fc
  .record({ words: fc.string({ maxLength: 80 }), iterations: fc.array(fc.nat({ max: 3 }), { maxLength: 3 }), notice: fc.boolean() })
  .map(({ words, iterations, notice }): readonly Message[] => {
    const middle = iterations.flatMap((count) => {
      const ids = Array.from({ length: count + 1 }, () => `c${++calls}`);
      return [model("x", ...ids.map((id) => call(id))), tool(...ids.map((id) => result(id)))];
    });
    const news = notice ? [user("mail has come", { origin: "framework" })] : [];
    return [user(words), ...middle, ...news, model("done")];
  });

const turnsOf = fc.array(turn, { minLength: 1, maxLength: 6 });
const windowOf = fc.record({ turns: fc.integer({ min: 0, max: 8 }), tokens: fc.integer({ min: 0, max: 400 }) }, { requiredKeys: [] });

const sizeOf = (messages: readonly Message[]) => messages.reduce((sum, message) => sum + JSON.stringify(message.parts).length, 0);

test("a window holds whole turns, the newest ones, at least one, and stays a valid history", () => {
  fc.assert(
    fc.property(turnsOf, windowOf, (turns, window) => {
      const history = turns.flat();
      const seen = windowHistory(history, window);
      const kept = turns.slice(turns.length - countTurns(seen));
      expect(seen).toEqual(kept.flat());
      expect(kept.length).toBeGreaterThan(0);
      expect(checkHistory(seen)).toEqual([]);
    }),
  );
});

test("a window is as large as its limits allow, and no larger", () => {
  fc.assert(
    fc.property(turnsOf, windowOf, (turns, window) => {
      const seen = windowHistory(turns.flat(), window);
      const kept = countTurns(seen);
      const fits = (count: number) => {
        const size = sizeOf(turns.slice(turns.length - count).flat());
        return (window.turns === undefined || count <= window.turns) && (window.tokens === undefined || size <= window.tokens * 4);
      };
      expect(kept === 1 || fits(kept)).toBe(true);
      expect(kept === turns.length || !fits(kept + 1)).toBe(true);
    }),
  );
});

test.each([
  ["no window", undefined],
  ["a window without limits", {}],
  ["a window that holds everything", { turns: 9 }],
])("%s gives the very same history, uncopied", (_what, window) => {
  const history = [user("a"), model("b")];
  expect(windowHistory(history, window)).toBe(history);
});

test("a history that begins with the framework's words is not cut before its first person", () => {
  const history = [user("begin", { origin: "framework" }), model("b")];
  expect(windowHistory(history, { turns: 1 })).toEqual(history);
});

function countTurns(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === "user" && message.origin !== "framework").length;
}
