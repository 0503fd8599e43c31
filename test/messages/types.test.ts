import { expect, expectTypeOf, test } from "vitest";
import type { ErrorCode } from "../../src/core/errors.ts";
import type { Json } from "../../src/core/json.ts";
import { type EVENT_KINDS, type Event, type EventKind, type EventOf, type LoggedEvent, makeEvent } from "../../src/messages/event.ts";
import type { Message, Part, Role } from "../../src/messages/message.ts";
import type { Usage } from "../../src/messages/usage.ts";

/** Compiles only while every kind is named; a UI for this version can be exhaustive. */
function area(event: Event): string {
  switch (event.kind) {
    case "text":
    case "thinking":
    case "prompt":
    case "delta":
      return event.payload.agent;
    case "tool_call":
      return event.payload.id;
    case "tool_result":
      return event.payload.toolUseId;
    case "result":
      return event.payload.sessionId;
    case "error":
    case "system":
    case "reset":
    case "transfer":
      return event.payload.agent;
    case "task":
      return event.payload.type;
    case "ask":
      return event.payload.id;
    case "retry":
    case "handoff":
      return event.payload.step;
    case "step":
      return String(event.payload.index);
    case "unknown":
      return "";
    default:
      return event satisfies never;
  }
}

test("a switch over an event's kind can be exhaustive, and each case knows its payload", () => {
  expectTypeOf<EventOf<"result">["payload"]["numIterations"]>().toEqualTypeOf<number>();
  expectTypeOf<EventOf<"result">["payload"]["errorKind"]>().toEqualTypeOf<ErrorCode | undefined>();
  expectTypeOf<EventKind>().toEqualTypeOf<(typeof EVENT_KINDS)[number]>();
  expect(area(makeEvent("retry", "", { step: "work", attempt: 2, reason: "offline" }))).toBe("work");
});

test("an event is made with the payload of its kind only", () => {
  // @ts-expect-error a retry says in which step
  makeEvent("retry", "", { attempt: 2, reason: "offline" });
  // @ts-expect-error there is no such kind
  makeEvent("no-such-kind", "", {});
  // @ts-expect-error a run ends in one of five ways
  makeEvent("task", "", { type: "run-end", outcome: "won", exitCode: 0 });
});

test("task and ask payloads narrow on their own tag", () => {
  type Task = EventOf<"task">["payload"];
  expectTypeOf<Extract<Task, { type: "run-end" }>["exitCode"]>().toEqualTypeOf<number>();
  expectTypeOf<Task["type"]>().toEqualTypeOf<"run-end" | "goal" | "check" | "verdict" | "budget" | "notice" | "progress">();
  type Ask = EventOf<"ask">["payload"];
  expectTypeOf<Extract<Ask, { kind: "mail" }>["state"]>().toEqualTypeOf<"queued" | "delivered">();
  expectTypeOf<EventOf<"handoff">["payload"]["phase"]>().toEqualTypeOf<"near" | "writing" | "done">();
});

test("a logged event is an event with its place, as plain data", () => {
  expectTypeOf<keyof LoggedEvent>().toEqualTypeOf<"run" | "seq" | "at" | "kind" | "text" | "tool" | "payload">();
  expectTypeOf<LoggedEvent["payload"]>().toEqualTypeOf<Json>();
  expectTypeOf<LoggedEvent["kind"]>().toEqualTypeOf<string>(); // a newer version's kinds are read too
});

test("messages have the roles and parts of the contract, and are read-only", () => {
  expectTypeOf<Role>().toEqualTypeOf<"user" | "model" | "tool" | "system">();
  expectTypeOf<Part["type"]>().toEqualTypeOf<"text" | "image" | "reasoning" | "call" | "result">();
  expectTypeOf<Message["usage"]>().toEqualTypeOf<Usage | undefined>();
  const message: Message = { id: "1", role: "user", parts: [], at: "2026-01-01T00:00:00.000Z" };
  // @ts-expect-error messages are shared, never changed
  message.role = "model";
  // @ts-expect-error parts too
  message.parts.push?.({ type: "text", text: "" });
});
