import { shown } from "../core/check-options.ts";
import { FlowerError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { type ImagePart, type TextPart, toParts, type UserInput } from "../messages/message.ts";

/** Throws `bad-input` for what names no session. */
export function checkSessionId(sessionId: unknown): void {
  if (typeof sessionId === "string" && sessionId !== "") return;
  const given = sessionId === "" ? "an empty one" : shown(sessionId);
  throw new FlowerError(
    "bad-input",
    `A session id must be a text that is not empty, not ${given}. It names one conversation: turns with the same id share a history.`,
  );
}

/** The parts of a user's message; throws `bad-input` for what is none. */
export function checkedParts(input: UserInput): readonly (TextPart | ImagePart)[] {
  if (typeof input !== "string" && (!Array.isArray(input) || input.length === 0)) {
    throw new FlowerError("bad-input", `A message must be a text or a list of text and image parts, not ${shown(input)}.`);
  }
  const parts = toParts(input);
  if (typeof input !== "string") parts.forEach(checkPart);
  return parts;
}

function checkPart(part: unknown, index: number): void {
  const problem = problemOf(part);
  if (problem !== undefined) throw new FlowerError("bad-input", `Part ${index + 1} of the message ${problem}.`);
}

function problemOf(part: unknown): string | undefined {
  if (!isRecord(part)) return `is ${shown(part)}, not a text or image part`;
  const { type, text, mediaType, data } = part;
  if (type === "text") return typeof text === "string" ? undefined : "is of type text and has no text";
  if (type !== "image") return `has the type ${JSON.stringify(type)}; it must be "text" or "image"`;
  if (typeof mediaType !== "string" || mediaType === "") return 'is an image without a mediaType, e.g. "image/png"';
  if (typeof data !== "string" || data === "") return "is an image without data (its bytes in base64)";
  return data.startsWith("data:") ? 'is an image whose data begins with "data:"; give the base64 alone' : undefined;
}
