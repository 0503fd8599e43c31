import { type AskPayload, type Event, makeEvent, type Speech } from "../../../src/messages/event.ts";

/** The payload of something the main agent of the step `work` says. */
export function speech(extra: Partial<Speech> = {}): Speech {
  return { step: "work", agent: "worker", iteration: 1, ...extra };
}

export const say = (text: string, extra?: Partial<Speech>) => makeEvent("text", text, speech(extra));

export const call = (id: string, tool: string, text: string, extra?: Partial<Speech>) =>
  makeEvent("tool_call", text, { ...speech(extra), id, input: {} }, { tool });

export const result = (toolUseId: string, text: string, isError = false, extra?: Partial<Speech>) =>
  makeEvent("tool_result", text, { ...speech(extra), toolUseId, isError });

export const step = (name: string, index: number, total: number) => makeEvent("step", name, { index, total, resumed: false, woke: false });

type Question = Extract<AskPayload, { kind: "question" }>;

export function question(text: string, extra: Partial<Question> = {}): Event {
  return makeEvent("ask", text, {
    kind: "question",
    id: "q1",
    options: [],
    state: "asked",
    answer: "",
    remaining: -1,
    askedAt: "2025-01-01T00:00:00.000Z",
    path: ["worker"],
    purpose: "model",
    ...extra,
  });
}
