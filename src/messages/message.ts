import type { Json } from "../core/json.ts";
import type { Usage } from "./usage.ts";

/** Who a message is from. `system` exists for the seed's sake and is never stored: instructions are not history. */
export type Role = "user" | "model" | "tool" | "system";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** Opaque data of the provider that made the part; goes back to that provider only. */
  readonly providerMetadata?: Json;
}

export interface ImagePart {
  readonly type: "image";
  /** IANA media type, e.g. `image/png`. */
  readonly mediaType: string;
  /** The image's bytes in base64, without a `data:` prefix. */
  readonly data: string;
}

export interface JsonPart {
  readonly type: "json";
  readonly value: Json;
}

export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly providerMetadata?: Json;
}

export interface CallPart {
  readonly type: "call";
  /** Ours, not the provider's: unique in the session, in a form that every provider accepts. */
  readonly callId: string;
  /** The tool's name. */
  readonly name: string;
  readonly args: Json;
  readonly providerMetadata?: Json;
}

export type ResultContent = TextPart | ImagePart | JsonPart;

export interface ResultPart {
  readonly type: "result";
  readonly callId: string;
  /** The tool's name. */
  readonly name: string;
  readonly content: readonly ResultContent[];
  readonly isError: boolean;
  /** A guard or a person refused the call; the tool never ran. */
  readonly denied?: true;
}

export type Part = TextPart | ImagePart | ReasoningPart | CallPart | ResultPart;

/** One entry of a session's history. Frozen by convention: messages are shared, never changed. */
export interface Message {
  readonly id: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  /** ISO instant, UTC. */
  readonly at: string;
  /** On model and tool messages: the agent that spoke, or whose calls these results answer. */
  readonly agent?: string;
  /** On model messages: where the reply came from. */
  readonly provider?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** On model messages: the reply was cut at the model's output limit. */
  readonly cut?: true;
  /** On user messages: a person, or the framework speaking in its own name (mail notice, interrupt words …). */
  readonly origin?: "person" | "framework";
  /** The reply was cut by an abort; it stands in the journal and never becomes history. */
  readonly aborted?: true;
}

/** What a caller may pass as a user message. */
export type UserInput = string | readonly (TextPart | ImagePart)[];

/** The parts of a user's input. */
export function toParts(input: UserInput): readonly (TextPart | ImagePart)[] {
  return typeof input === "string" ? [{ type: "text", text: input }] : input;
}

/** A message's prose: its text parts in order, joined without a separator. */
export function textOf(message: Pick<Message, "parts">): string {
  let text = "";
  for (const part of message.parts) if (part.type === "text") text += part.text;
  return text;
}

/** A message's calls, in order. */
export function callsOf(message: Pick<Message, "parts">): readonly CallPart[] {
  return message.parts.filter((part): part is CallPart => part.type === "call");
}

/** The readable text of a tool result: text parts as they are, JSON as JSON, images as `[image type]`. */
export function resultText(content: readonly ResultContent[]): string {
  return content.map(contentText).join("\n");
}

function contentText(part: ResultContent): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "json":
      return typeof part.value === "string" ? part.value : JSON.stringify(part.value);
    case "image":
      return `[image ${part.mediaType}]`;
    default:
      return part satisfies never;
  }
}
