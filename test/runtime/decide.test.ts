import { expect, test } from "vitest";
import type { BackendOutcome } from "../../src/backends/backend.ts";
import { ERROR_CODES, type ErrorCode, FlowerError } from "../../src/core/errors.ts";
import { type AttemptEnd, type AttemptState, decide } from "../../src/runtime/decide.ts";

const STATE: AttemptState = { attempts: 1, maxAttempts: 6, wordsWaiting: false, unreachable: false, aborted: false };

const outcome = (kind: BackendOutcome["kind"], reason?: string): AttemptEnd => ({ kind: "outcome", outcome: { kind, text: "", reason } });
const failed = (code: ErrorCode): AttemptEnd => ({ kind: "failed", error: new FlowerError(code, `it was ${code}`) });

test.each<[string, AttemptEnd, Partial<AttemptState>, object]>([
  ["done is done", outcome("done"), {}, { do: "finish" }],
  ["done, but a person spoke meanwhile", outcome("done"), { wordsWaiting: true }, { do: "speak" }],
  ["done, but cut", { kind: "outcome", outcome: { kind: "done", text: "", cut: true } }, {}, { do: "say-again" }],
  ["cut once more", { kind: "outcome", outcome: { kind: "done", text: "", cut: true } }, { saidAgain: true }, { do: "finish" }],
  ["cut, but a person spoke", { kind: "outcome", outcome: { kind: "done", text: "", cut: true } }, { wordsWaiting: true }, { do: "speak" }],
  ["done on the last attempt", outcome("done"), { attempts: 6 }, { do: "finish" }],
  ["interrupted", outcome("interrupted"), {}, { do: "speak" }],
  ["interrupted on the last attempt: no attempt is used", outcome("interrupted"), { attempts: 6, wordsWaiting: true }, { do: "speak" }],
  ["the context is full", outcome("context-full"), {}, { do: "hand-over" }],
  ["the provider says too long", failed("context-overflow"), { attempts: 6 }, { do: "hand-over" }],
  ["the budget is used up", outcome("budget", "$2 of $1"), {}, { do: "stop", code: "budget", message: "$2 of $1" }],
  ["the budget is used up, unsaid which", outcome("budget"), {}, { do: "stop", code: "budget", message: "The budget is used up." }],
  ["the iterations are used up", outcome("iteration-limit"), { wordsWaiting: true }, { do: "stop", code: "iteration-limit" }],
  ["offline at first", failed("offline"), {}, { do: "retry", attempt: 2 }],
  ["offline for the fifth time", failed("offline"), { attempts: 5 }, { do: "retry", attempt: 6 }],
  ["offline for the sixth time", failed("offline"), { attempts: 6 }, { do: "stop", code: "offline" }],
  ["offline, and only one attempt is wanted", failed("offline"), { maxAttempts: 1 }, { do: "stop", code: "offline" }],
  ["offline, and nothing answers", failed("offline"), { unreachable: true }, { do: "await-network" }],
  [
    "offline, and nothing answers, on the last attempt: none is used",
    failed("offline"),
    { unreachable: true, attempts: 6 },
    { do: "await-network" },
  ],
  [
    "offline, and nothing answers, while a person speaks",
    failed("offline"),
    { unreachable: true, wordsWaiting: true },
    { do: "await-network" },
  ],
  ["another failure while nothing answers", failed("overloaded"), { unreachable: true }, { do: "retry", attempt: 2 }],
  ["aborted while nothing answers", failed("offline"), { unreachable: true, aborted: true }, { do: "stop", code: "aborted" }],
  ["aborted by its error", failed("aborted"), {}, { do: "stop", code: "aborted" }],
  ["aborted while the error says offline", failed("offline"), { aborted: true }, { do: "stop", code: "aborted" }],
  ["aborted while the context was full", failed("context-overflow"), { aborted: true }, { do: "stop", code: "aborted" }],
  ["the step's time is over", failed("step-timeout"), { aborted: true }, { do: "stop", code: "step-timeout" }],
])("%s", (_what, end, state, decision) => {
  expect(decide(end, { ...STATE, ...state })).toMatchObject(decision);
});

const RETRIED: readonly ErrorCode[] = ["offline", "overloaded", "rate-limited", "stream-cut", "engine-idle"];

test.each(ERROR_CODES.filter((code) => code !== "context-overflow"))("%s is tried again exactly when trying again may help", (code) => {
  const decision = decide(failed(code), STATE);
  expect(decision).toEqual(RETRIED.includes(code) ? { do: "retry", attempt: 2 } : { do: "stop", code: code, message: `it was ${code}` });
});

test("the last failure's message stays, with the number of attempts", () => {
  expect(decide(failed("offline"), { ...STATE, attempts: 6 })).toEqual({
    do: "stop",
    code: "offline",
    message: "it was offline Gave up after 6 attempts.",
  });
});

test("an error that its maker calls retryable is retried, whatever its code, and the other way round", () => {
  const again = new FlowerError("unknown", "", { retryable: true });
  const never = new FlowerError("rate-limited", "", { retryable: false });
  expect(decide({ kind: "failed", error: again }, STATE).do).toBe("retry");
  expect(decide({ kind: "failed", error: never }, STATE).do).toBe("stop");
});
