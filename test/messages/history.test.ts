import { expect, test } from "vitest";
import { isFlowerError } from "../../src/core/errors.ts";
import { assertHistory, checkHistory, type HistoryProblem, interruptedResult } from "../../src/messages/history.ts";
import type { Message } from "../../src/messages/message.ts";
import { call, model, result, system, text, tool, user } from "./conversation.ts";

const image = { type: "image", mediaType: "image/png", data: "AA==" } as const;
const reasoning = { type: "reasoning", text: "hm" } as const;
const twin = user("a");

const valid: readonly (readonly [string, readonly Message[]])[] = [
  ["nothing", []],
  ["a question", [user("a")]],
  ["two questions in a row", [user("a"), user("b")]],
  ["an answer with reasoning and an image", [user("a"), model(reasoning, "b", image)]],
  ["one call", [user("a"), model(call("1")), tool(result("1")), model("b")]],
  ["three calls in order", [user("a"), model("x", call("1"), call("2"), call("3")), tool(result("1"), result("2"), result("3"))]],
  ["calls in two replies", [user("a"), model(call("1")), tool(result("1")), model(call("2")), tool(result("2")), model("b")]],
  ["a notice between iterations", [user("a"), model(call("1")), tool(result("1")), user("mail", { origin: "framework" }), model("b")]],
];

test.each(valid)("%s is valid", (_what, history) => {
  expect(checkHistory(history)).toEqual([]);
  expect(() => assertHistory(history, "here")).not.toThrow();
});

type Broken = readonly [HistoryProblem["rule"], string, number, readonly Message[]];

const broken: readonly Broken[] = [
  ["unique-ids", "the same message twice", 1, [twin, twin]],
  [
    "unique-calls",
    "a call id in two replies",
    3,
    [user("a"), model(call("1")), tool(result("1")), model(call("1")), tool(result("1")), model("b")],
  ],
  ["unique-calls", "a call id twice in one reply", 1, [user("a"), model(call("1"), call("1")), tool(result("1"))]],
  ["call-has-result", "a call at the end", 1, [user("a"), model(call("1"))]],
  ["call-has-result", "a question between call and result", 1, [user("a"), model(call("1")), user("b"), tool(result("1"))]],
  ["call-has-result", "one of two calls without a result", 1, [user("a"), model(call("1"), call("2")), tool(result("2"))]],
  ["call-has-result", "two results for one call", 1, [user("a"), model(call("1")), tool(result("1"), result("1"))]],
  ["result-has-call", "results at the beginning of an answer", 1, [user("a"), tool(result("1"))]],
  ["result-has-call", "results after a reply without calls", 2, [user("a"), model("b"), tool(result("1"))]],
  ["result-has-call", "a second tool message", 3, [user("a"), model(call("1")), tool(result("1")), tool(result("1"))]],
  ["result-has-call", "a result nobody asked for", 2, [user("a"), model(call("1")), tool(result("1"), result("9"))]],
  ["results-follow-calls", "results in another order", 2, [user("a"), model(call("1"), call("2")), tool(result("2"), result("1"))]],
  ["roles", "a system message", 1, [user("a"), system("be nice")]],
  ["roles", "a call by a user", 0, [{ ...user("a"), parts: [call("1")] }]],
  ["roles", "a result in a reply", 1, [user("a"), model(result("1"))]],
  ["roles", "text among results", 2, [user("a"), model(call("1")), tool(text("x"), result("1"))]],
  ["starts-with-user", "an answer first", 0, [model("a")]],
];

test.each(broken)("%s: %s is reported at its message", (rule, _what, index, history) => {
  const problems = checkHistory(history);
  expect(problems.map((problem) => [problem.rule, problem.index])).toContainEqual([rule, index]);
});

test("every problem is reported, and the first is in the error, with the place", () => {
  const history = [model("a"), system("b"), model(call("1"))];
  expect(checkHistory(history).map((problem) => problem.rule)).toEqual(["starts-with-user", "roles", "roles", "call-has-result"]);
  try {
    assertHistory(history, "session s1");
    expect.unreachable();
  } catch (error) {
    expect(isFlowerError(error, "history-invalid")).toBe(true);
    expect(String(error)).toContain("session s1: message 0: A history begins with a user message");
    expect((error as { details: { problems: unknown[] } }).details.problems).toHaveLength(4);
  }
});

test("a call cut off by a death becomes whole with the neutral result", () => {
  const cut = call("1", "Bash");
  const answer = interruptedResult(cut);
  expect(answer).toMatchObject({ callId: "1", name: "Bash", isError: true });
  expect(checkHistory([user("a"), model(cut), tool(answer)])).toEqual([]);
});
