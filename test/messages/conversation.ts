import type { CallPart, Message, Part, ResultPart } from "../../src/messages/message.ts";

let ids = 0;

function message(role: Message["role"], parts: readonly Part[], extra: Partial<Message> = {}): Message {
  return { id: `m${++ids}`, role, parts, at: "2026-01-01T00:00:00.000Z", ...extra };
}

export function text(words: string): Part {
  return { type: "text", text: words };
}

export function user(words: string, extra: Partial<Message> = {}): Message {
  return message("user", [text(words)], { origin: "person", ...extra });
}

export function call(callId: string, name = "look"): CallPart {
  return { type: "call", callId, name, args: {} };
}

export function result(callId: string, name = "look"): ResultPart {
  return { type: "result", callId, name, content: [{ type: "text", text: "seen" }], isError: false };
}

export function model(...parts: readonly (Part | string)[]): Message {
  return message(
    "model",
    parts.map((part) => (typeof part === "string" ? text(part) : part)),
  );
}

export function tool(...parts: readonly Part[]): Message {
  return message("tool", parts);
}

export function system(words: string): Message {
  return message("system", [text(words)]);
}
