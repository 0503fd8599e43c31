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

/** Every kind of event, with the given text wherever a model, a tool or a file may have written it. */
export function everyKind(x: string): Event[] {
  const origin = { step: x, agent: x, iteration: 1 };
  const check = { check: x, state: "failed", evidence: x } as const;
  const handoff = { step: x, context: 1, window: 2 };
  return [
    step(x, 1, 2),
    say(x, { agent: x, step: `${x}#round2` }),
    say(x, { subagent: x }),
    makeEvent("thinking", x, speech()),
    call(x, x, x),
    result(x, x, true),
    result(x, x),
    makeEvent("result", x, { ...origin, sessionId: x, numIterations: 1, isError: true }),
    makeEvent("error", x, { ...origin, synthetic: true }),
    makeEvent("system", x, { ...origin, data: x }),
    makeEvent("unknown", x, {}),
    makeEvent("retry", "", { step: x, attempt: 2, reason: x, delayMs: 4000 }),
    makeEvent("handoff", x, { ...handoff, phase: "near", at: 1 }),
    makeEvent("handoff", x, { ...handoff, phase: "done", degraded: true, path: x, sections: [x] }),
    makeEvent("transfer", x, { ...origin, from: x, to: x, reason: x }),
    question(x, { id: x, options: [x, x], path: [x] }),
    question(x, { id: x, state: "answered", answer: x }),
    makeEvent("ask", x, { kind: "mail", id: x, state: "queued", amended: x }),
    makeEvent("task", x, { type: "goal", path: x, total: 1, unverifiable: [x] }),
    makeEvent("task", x, { type: "check", step: x, index: 1, total: 1, check: x, ok: true, evidence: x }),
    makeEvent("task", x, { type: "check", step: x, index: 1, total: 1, check: x, ok: false, evidence: x }),
    makeEvent("task", x, { type: "verdict", step: x, round: 1, state: "", reason: x, checks: [check, check] }),
    makeEvent("task", x, { type: "budget", level: "warning", limit: x, used: 1, of: 2 }),
    makeEvent("task", "", { type: "budget", level: "reached", limit: x, used: 1, of: 2 }),
    makeEvent("task", "", { type: "notice", code: x }),
    makeEvent("task", x, { type: "run-end", outcome: "failed", exitCode: 1, failedAt: x, reason: x }),
  ];
}
