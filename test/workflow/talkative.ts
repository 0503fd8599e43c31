import { FlowerError } from "../../src/core/errors.ts";
import type { RecordedRequest, Script, ScriptedAnswer, ScriptedReply } from "../../src/engines/scripted.ts";
import { type Message, resultText, textOf } from "../../src/messages/message.ts";
import { brief, goal, verdict } from "./lines.ts";
import { roleOf } from "./stage.ts";

const CENT = { costUsd: 0.01 };

/**
 * A model for every role that goes by what it is shown, not by how often it has spoken: it hands in its document, works with one
 * command, asks one question, fails once, reads its inbox when told, and ends. Each reply costs a cent.
 */
export function talkative(): Script {
  let failures = 1;
  return (request): ScriptedAnswer => {
    const last = request.messages.at(-1);
    if (roleOf(request) === "worker" && wrote(request) && failures-- > 0) return new FlowerError("offline", "No network.");
    if (last?.role === "user" && textOf(last).includes("Read the inbox")) return paid({ calls: [{ name: "mcp__human__inbox" }] });
    if (accepted(last)) return paid({ text: "That is it." });
    return paid(lineOf(request));
  };
}

function lineOf(request: RecordedRequest): ScriptedReply {
  switch (roleOf(request)) {
    case "clarifier":
      return brief();
    case "goalSetter":
      return goal([{ text: "it says hello" }]);
    case "judge":
      return verdict(["passed"]);
    default:
      if (!wrote(request)) return { text: "I write.", calls: [{ name: "Bash", args: { command: "echo hello >> greeting.txt" } }] };
      if (!asked(request)) return { calls: [{ name: "mcp__human__ask", args: { question: "Loud?" } }] };
      return { text: "It is done." };
  }
}

const paid = (reply: ScriptedReply): ScriptedReply => ({ ...reply, usage: CENT });

function resultsOf(message: Message | undefined): readonly string[] {
  return (message?.parts ?? []).flatMap((part) => (part.type === "result" ? [resultText(part.content)] : []));
}

function accepted(last: Message | undefined): boolean {
  return resultsOf(last).some((text) => text.includes("Accepted"));
}

const wrote = ({ messages }: RecordedRequest) => called(messages, "Bash");
const asked = ({ messages }: RecordedRequest) => called(messages, "mcp__human__ask");

function called(messages: readonly Message[], name: string): boolean {
  return messages.some(({ parts }) => parts.some((part) => part.type === "result" && part.name === name));
}

/** Every text and result that the model was shown in a request. */
export function shown({ messages }: RecordedRequest): string {
  return messages.map((message) => [textOf(message), ...resultsOf(message)].join("\n")).join("\n");
}
