import { assertHistory, checkHistory, interruptedResult } from "../messages/history.ts";
import { callsOf, type Message } from "../messages/message.ts";

/**
 * Verifies the end of a history that was just loaded, from message `from` on, and mends it in place in the one way a crash can have
 * broken it: a model message whose calls got no results is followed by results that say so. They are the same at every load, so
 * nothing need be written. Throws `history-invalid`, naming the session and the message, for anything else.
 */
export function verifyLoaded(history: Message[], from: number, sessionId: string): void {
  const start = turnStart(history, from);
  const part = start === 0 ? history : history.slice(start);
  if (checkHistory(part).length === 0) return;
  const mended = part.flatMap((message, index) => (isUnanswered(message, part[index + 1]) ? [message, toResults(message)] : [message]));
  assertHistory(mended, `Session "${sessionId}"`);
  history.splice(start, history.length - start, ...mended);
}

/** The newest user message before `from`: a history is valid from there on by itself. */
function turnStart(history: readonly Message[], from: number): number {
  let start = from;
  while (start > 0 && history[start]?.role !== "user") start--;
  return start;
}

function isUnanswered(message: Message, next: Message | undefined): boolean {
  return message.role === "model" && callsOf(message).length > 0 && next?.role !== "tool";
}

function toResults(message: Message): Message {
  return {
    id: `${message.id}-interrupted`,
    role: "tool",
    parts: callsOf(message).map(interruptedResult),
    at: message.at,
    agent: message.agent,
  };
}
