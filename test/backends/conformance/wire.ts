import type { Json } from "../../../src/core/json.ts";
import type { CaseModel, Heard, ModelSays, ModelView } from "../../../src/testing/backend.ts";
import { type MessagesServer, type ModelAnswer, type ModelFailure, type ModelRequest, serveMessages } from "../claude/messages-server.ts";

/** The model of a case behind the Messages API: the same bytes for every backend. */
export function serveCase(model: CaseModel): Promise<MessagesServer> {
  return serveMessages(async (request) => toAnswer(await model.answer(toView(request))));
}

const FAILURES = {
  overloaded: { status: 529, type: "overloaded_error", message: "Overloaded" },
  auth: { status: 401, type: "authentication_error", message: "invalid x-api-key" },
  "context-overflow": { status: 400, type: "invalid_request_error", message: "prompt is too long: 250000 tokens > 200000 maximum" },
} as const satisfies Readonly<Record<string, ModelFailure>>;

function toAnswer(says: ModelSays): ModelAnswer {
  return typeof says === "object" && "failure" in says ? FAILURES[says.failure] : says;
}

function toView({ system, messages, tools }: ModelRequest): ModelView {
  return { system, tools, heard: messages.flatMap(({ role, content }) => blocksOf(content).map((block) => toHeard(role, block))) };
}

type Block = Readonly<Record<string, Json>>;

function blocksOf(content: Json | undefined): readonly Block[] {
  if (Array.isArray(content)) return content as readonly Block[]; // as the Messages API has them
  return content === undefined ? [] : [{ type: "text", text: content }];
}

function toHeard(role: string, block: Block): Heard {
  switch (block["type"]) {
    case "tool_use":
      return { from: "model", text: `[${String(block["name"]).replace(/^mcp__flower__/, "")}]` };
    case "tool_result":
      return { from: "tool", text: blocksOf(block["content"]).map(({ text }) => String(text)).join("\n") }; // biome-ignore format: one fact
    case "thinking":
      return { from: "model", text: `(${String(block["thinking"])})` };
    default:
      return { from: role === "assistant" ? "model" : "user", text: String(block["text"]) };
  }
}
