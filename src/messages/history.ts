import { FlowerError } from "../core/errors.ts";
import { type CallPart, callsOf, type Message, type ResultPart } from "./message.ts";

/** One way in which a history breaks its rules. `index` is the message's position. */
export interface HistoryProblem {
  readonly index: number;
  readonly rule:
    | "unique-ids"
    | "unique-calls"
    | "results-follow-calls"
    | "call-has-result"
    | "result-has-call"
    | "roles"
    | "starts-with-user";
  readonly message: string;
}

/**
 * Checks what every stored history keeps to, and every provider demands:
 * 1. message ids are unique; call ids are unique in the session;
 * 2. a model message with calls is followed at once by one tool message with exactly one result per call, in the calls' order;
 * 3. no result lacks its call;
 * 4. it begins with a user message, holds no `system` message, and parts stand only where they belong.
 * Returns every problem found; an empty list means valid.
 */
export function checkHistory(messages: readonly Message[]): readonly HistoryProblem[] {
  const problems: HistoryProblem[] = [];
  const ids = new Set<string>();
  const callIds = new Set<string>();
  const report = (index: number, rule: HistoryProblem["rule"], message: string) => problems.push({ index, rule, message });

  let before: readonly CallPart[] = []; // the calls of the message before
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message;
    if (ids.has(message.id)) report(index, "unique-ids", `Message id ${message.id} appears twice.`);
    ids.add(message.id);
    if (index === 0 && message.role !== "user")
      report(index, "starts-with-user", `A history begins with a user message, not ${message.role}.`);
    checkParts(message, index, report);
    if (message.role === "tool" && before.length === 0) report(index, "result-has-call", "Tool results without a call before them.");
    before = message.role === "model" ? callsOf(message) : NO_CALLS;
    for (const call of before) {
      if (callIds.has(call.callId)) report(index, "unique-calls", `Call id ${call.callId} appears twice.`);
      callIds.add(call.callId);
    }
    if (before.length > 0) checkAnswered(before, messages[index + 1], index, report);
  }
  return problems;
}

const NO_CALLS: readonly CallPart[] = [];

type Report = (index: number, rule: HistoryProblem["rule"], message: string) => void;

const ALLOWED: Readonly<Record<Message["role"], readonly string[]>> = {
  user: ["text", "image"],
  model: ["text", "reasoning", "call", "image"],
  tool: ["result"],
  system: [],
};

function checkParts(message: Message, index: number, report: Report): void {
  if (message.role === "system") report(index, "roles", "System messages are never stored.");
  for (const part of message.parts) {
    if (!ALLOWED[message.role].includes(part.type)) report(index, "roles", `A ${message.role} message cannot hold a ${part.type} part.`);
  }
}

function checkAnswered(calls: readonly CallPart[], next: Message | undefined, index: number, report: Report): void {
  if (next?.role !== "tool") {
    for (const call of calls) report(index, "call-has-result", `Call ${call.callId} (${call.name}) has no result.`);
    return;
  }
  const answered: string[] = [];
  for (const part of next.parts) if (part.type === "result") answered.push(part.callId);
  if (answered.length === calls.length && answered.every((id, at) => id === calls[at]?.callId)) return;
  for (const call of calls) {
    const times = answered.filter((id) => id === call.callId).length;
    if (times !== 1) report(index, "call-has-result", `Call ${call.callId} (${call.name}) has ${times} results.`);
  }
  for (const id of answered) {
    if (!calls.some((call) => call.callId === id)) report(index + 1, "result-has-call", `Result ${id} has no call before it.`);
  }
  if (answered.length === calls.length) report(index + 1, "results-follow-calls", "Results stand in another order than their calls.");
}

/** Throws `history-invalid`, naming the first problem, when the history breaks a rule. */
export function assertHistory(messages: readonly Message[], where: string): void {
  const problems = checkHistory(messages);
  const first = problems[0];
  if (first === undefined) return;
  throw new FlowerError("history-invalid", `${where}: message ${first.index}: ${first.message}`, { details: { problems } });
}

/** The text a call gets when its process ended before its result was known. */
export const INTERRUPTED_RESULT = "Interrupted before a result was recorded; the effect is unknown. Check the state before doing it again.";

/** One error result for a call that will never get its own. */
export function interruptedResult(call: CallPart): ResultPart {
  return { type: "result", callId: call.callId, name: call.name, content: [{ type: "text", text: INTERRUPTED_RESULT }], isError: true };
}

/** How much of a history is sent to the model. Whole turns only: never between a call and its result. */
export interface HistoryWindow {
  /** At most this many of the newest turns. */
  readonly turns?: number;
  /** At most about this many tokens, estimated at 4 characters each; the newest turn is always kept. */
  readonly tokens?: number;
}

const CHARS_PER_TOKEN = 4;

/** The newest part of the history that fits the window. A turn begins at a person's message. What is stored is not cut. */
export function windowHistory(messages: readonly Message[], window: HistoryWindow | undefined): readonly Message[] {
  if (!window || (window.turns === undefined && window.tokens === undefined)) return messages;
  const starts: number[] = [];
  messages.forEach((message, index) => {
    if (message.role === "user" && message.origin !== "framework") starts.push(index);
  });
  let from = messages.length;
  let turns = 0;
  let chars = 0;
  for (let i = starts.length - 1; i >= 0; i--) {
    const start = starts[i] as number;
    for (let m = start; m < from; m++) chars += JSON.stringify(messages[m]?.parts).length;
    const tooMany = window.turns !== undefined && turns + 1 > window.turns;
    const tooLong = window.tokens !== undefined && chars > window.tokens * CHARS_PER_TOKEN;
    if (turns > 0 && (tooMany || tooLong)) break;
    from = start;
    turns++;
  }
  return from === 0 || turns === 0 ? messages : messages.slice(from);
}
