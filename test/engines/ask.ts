import type { Engine, EnginePart, EngineRequest, ToolSpec } from "../../src/engines/engine.ts";
import type { Message, Part } from "../../src/messages/message.ts";

let count = 0;

export function message(role: Message["role"], parts: readonly Part[] | string, more: Partial<Message> = {}): Message {
  const list: readonly Part[] = typeof parts === "string" ? [{ type: "text", text: parts }] : parts;
  return { id: `m${++count}`, role, parts: list, at: "2026-01-01T00:00:00.000Z", ...more };
}

const ADD: ToolSpec = {
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
};

export function request(messages: readonly Message[] | string, more: Partial<EngineRequest> = {}): EngineRequest {
  return {
    instructions: "Be brief.",
    messages: typeof messages === "string" ? [message("user", messages)] : messages,
    tools: [ADD],
    settings: {},
    ...more,
  };
}

/** Every part of one reply. */
export async function ask(engine: Engine, asked: EngineRequest | string, signal?: AbortSignal): Promise<EnginePart[]> {
  const parts: EnginePart[] = [];
  const full = typeof asked === "string" ? request(asked) : asked;
  for await (const part of engine.stream(full, signal ? { signal } : {})) parts.push(part);
  return parts;
}

/** The parts without `alive`. */
export function content(parts: readonly EnginePart[]): EnginePart[] {
  return parts.filter((part) => part.type !== "alive");
}

/** What a promise rejects with; fails when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("expected a rejection");
    },
    (error: unknown) => error,
  );
}
