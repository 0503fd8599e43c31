import { isRecord, toJson } from "../../core/json.ts";
import { type Event, type EventExtra, type EventKind, type EventOf, type EventPayloads, makeEvent } from "../../messages/event.ts";
import { toNotice } from "./notices.ts";
import { toSpeech } from "./speech.ts";

/** What one message does not say by itself. */
export interface NormalizeContext {
  /** Default `claude`. */
  readonly agent?: string;
  readonly step?: string;
  /** Number of the model call; default 0. */
  readonly iteration?: number;
  /** Our name of a tool that the CLI calls otherwise. */
  readonly toolName?: (name: string) => string;
  /** The subagent that a call started, for messages that do not name it. */
  readonly subagentOf?: (toolUseId: string) => string | undefined;
}

/** One message of the SDK as a record, with what surrounds it. */
export interface Scene {
  readonly message: Readonly<Record<string, unknown>>;
  readonly context: NormalizeContext;
  /** Makes an event with agent, iteration and step in front, and the message as `raw`. */
  event<K extends EventKind>(kind: K, text: string, payload: Omit<EventPayloads[K], "agent" | "iteration" | "step">, tool?: string): Event;
}

/**
 * One message of the Claude Agent SDK as 0..n Events. Pure; never throws: what is of no known type, or broken, becomes `unknown`.
 * Fragments of a stream become `delta`, or nothing.
 */
export function normalize(message: unknown, context: NormalizeContext = {}): Event[] {
  try {
    if (isRecord(message) && typeof message["type"] === "string") {
      const scene = toScene(message, context);
      const events = toSpeech(scene) ?? toNotice(scene);
      if (events) return events;
    }
  } catch {
    // A getter that throws, a message that contradicts its type: it is unknown, like any other we cannot read.
  }
  return [makeEvent("unknown", nameOf(message), {}, { raw: message })];
}

function toScene(message: Readonly<Record<string, unknown>>, context: NormalizeContext): Scene {
  const { agent = "claude", iteration = 0, step } = context;
  const origin = { agent, iteration, ...(step === undefined ? {} : { step }) };
  return {
    message,
    context,
    event<K extends EventKind>(kind: K, text: string, payload: object, tool?: string): Event {
      const extra: EventExtra = { raw: message, ...(tool === undefined ? {} : { tool }) };
      const whole = toJson({ ...origin, ...payload }) as unknown as EventPayloads[K]; // plain data whatever the message held
      return makeEvent(kind, text, whole, extra) as EventOf<K> & Event;
    },
  };
}

function nameOf(message: unknown): string {
  try {
    const type = isRecord(message) ? message["type"] : undefined;
    return typeof type === "string" ? type : typeof message;
  } catch {
    return "object";
  }
}
