import { type Tool, type ToolReturn, tool, toolOutput } from "../tools/tool.ts";
import type { Ask } from "./ask.ts";
import type { Mail } from "./mail.ts";

/** What the model's two tools need of the channel. */
export interface HumanToolsHost {
  ask(question: string, options: { options?: readonly string[]; signal: AbortSignal; path: readonly string[]; key: string }): Promise<Ask>;
  takeMail(options: { key: string }): Promise<readonly Mail[]>;
  /** The fixed answers for questions that nobody answered. */
  readonly texts: FixedTexts;
}

export interface FixedTexts {
  readonly overBudget: string;
  readonly timeout: string;
  readonly declined: string;
}

export const ASK_TOOL_NAME = "mcp__human__ask";

const EMPTY_QUESTION = "The question was empty, so nobody was asked. Ask again with one clear question, or go on by your own judgement.";
const EMPTY_INBOX = "The inbox is empty: the person has said nothing new.";

/** `mcp__human__ask` and `mcp__human__inbox`. */
export function makeHumanTools(host: HumanToolsHost): readonly Tool[] {
  return Object.freeze([makeAskTool(host), makeInboxTool(host)]);
}

function makeAskTool(host: HumanToolsHost): Tool {
  return tool({
    name: ASK_TOOL_NAME,
    description:
      "Asks the person one question and waits for the answer. Use it for real forks that only the person can decide; say what " +
      "you would do otherwise. Give options when the answer is a choice. When nobody answers you are told how to go on.",
    parameters: {
      type: "object",
      properties: {
        question: { type: "string", description: "One clear question, understandable without your context." },
        options: { type: "array", items: { type: "string" }, description: "Answers to choose from; the person may say something else." },
      },
      required: ["question"],
    },
    timeoutMs: Number.POSITIVE_INFINITY, // how long a person may take is the channel's business
    idempotent: true, // the same call enters the same question again
    parallel: true,
    async execute(args, context) {
      const { question, options } = args as { question: string; options?: readonly string[] };
      const { signal, path } = context;
      return replyTo(await host.ask(question, { options, signal, path, key: keyOf(context) }), host.texts);
    },
  });
}

function makeInboxTool(host: HumanToolsHost): Tool {
  return tool({
    name: "mcp__human__inbox",
    description: "Gives what the person has said unasked since the last look, without waiting. Look after each stage of work.",
    parameters: { type: "object", properties: {} },
    idempotent: true, // the same call is given the same mail again
    parallel: true,
    async execute(_args, context) {
      const mail = await host.takeMail({ key: keyOf(context) });
      return mail.length === 0 ? EMPTY_INBOX : mail.map((item) => `The person said at ${item.at}:\n\n${item.text}`).join("\n\n");
    },
  });
}

function keyOf(context: { readonly sessionId: string; readonly callId: string }): string {
  return `${context.sessionId}/${context.callId}`;
}

function replyTo(ask: Ask, texts: FixedTexts): ToolReturn {
  switch (ask.state) {
    case "answered":
      return `The person answered after ${(ask.waitedMs / 1000).toFixed(1)} s:\n\n${ask.answer}`;
    case "declined":
      return ask.answer === "" ? texts.declined : `${texts.declined}\n\nThe person's reason: ${ask.answer}`;
    case "timeout":
      return texts.timeout;
    case "over_budget":
      return texts.overBudget;
    default:
      return toolOutput(EMPTY_QUESTION, { isError: true });
  }
}
