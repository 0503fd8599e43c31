import { FlowerError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { type ImagePart, type TextPart, toParts, type UserInput } from "../messages/message.ts";

/** Throws `bad-input` for what names no session. */
export function checkSessionId(sessionId: unknown): void {
  if (typeof sessionId === "string" && sessionId !== "") return;
  const given = sessionId === "" ? "an empty one" : String(sessionId);
  throw new FlowerError(
    "bad-input",
    `A session id must be a text that is not empty, not ${given}. It names one conversation: turns with the same id share a history.`,
  );
}

/** The parts of a user's message; throws `bad-input` for what is none. */
export function checkedParts(input: UserInput): readonly (TextPart | ImagePart)[] {
  if (typeof input !== "string" && (!Array.isArray(input) || input.length === 0)) {
    const given = Array.isArray(input) ? "an empty list" : String(input);
    throw new FlowerError("bad-input", `A message must be a text or a list of text and image parts, not ${given}.`);
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
  if (!isRecord(part)) return `is ${String(part)}, not a text or image part`;
  const { type, text, mediaType, data } = part;
  if (type === "text") return typeof text === "string" ? undefined : "is of type text and has no text";
  if (type !== "image") return `has the type ${JSON.stringify(type)}; it must be "text" or "image"`;
  if (typeof mediaType !== "string" || mediaType === "") return 'is an image without a mediaType, e.g. "image/png"';
  return typeof data === "string" && data !== "" ? undefined : "is an image without data (its bytes in base64)";
}
