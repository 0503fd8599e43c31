import { type Message, type Part, resultText } from "../../src/messages/message.ts";

/** A history without ids and times, one line a message: what must be equal when two histories say the same. */
export function transcript(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => `${speaker(message)}: ${message.parts.map(show).join(" ")}`);
}

function speaker({ role, agent, origin }: Message): string {
  if (role === "model") return agent ?? "model";
  if (role === "tool") return "results";
  return origin === "framework" ? "framework" : role;
}

function show(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return `(${part.text})`;
    case "image":
      return `[${part.mediaType}]`;
    case "call":
      return `${part.name}(${JSON.stringify(part.args)})`;
    case "result":
      return `${part.name}${part.isError ? "!" : ""}=${resultText(part.content)}`;
    default:
      return part satisfies never;
  }
}
