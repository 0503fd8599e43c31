import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../../src/agents/agent.ts";
import { type RecordedRequest, type ScriptedAnswer, ScriptedEngine } from "../../src/engines/scripted.ts";
import { textOf } from "../../src/messages/message.ts";
import { tool } from "../../src/tools/tool.ts";

/** Tools whose every run is noted in a file; only `look` may run twice. */
export const TOOLS = ["charge", "send", "look"] as const;
export type ToolName = (typeof TOOLS)[number];

export interface Noting {
  /** Where runs are noted. */
  readonly folder: string;
  readonly needsApproval?: boolean;
}

/** An agent with three tools that note `name:turn` in a file when they run. */
export function notingAgent({ folder, needsApproval = false }: Noting): Agent {
  const tools = TOOLS.map((name) =>
    tool({
      name,
      description: `Does ${name}.`,
      parameters: { type: "object", properties: { turn: { type: "string" } }, required: ["turn"] },
      idempotent: name === "look",
      needsApproval,
      execute: ({ turn }) => {
        appendFileSync(join(folder, "ran.txt"), `${name}:${turn}\n`);
        return `${name} done`;
      },
    }),
  );
  return new Agent({ name: "Noting", tools });
}

/** What ran, as `name:turn`, in order. */
export function whatRan(folder: string): readonly string[] {
  const file = join(folder, "ran.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/**
 * A model that asks for all three tools at once, and answers when it has the results; it just answers to "hello". To words with
 * commas in between it asks for one charge each.
 */
export function notingModel(): ScriptedEngine {
  return new ScriptedEngine(answer);
}

function answer({ messages }: RecordedRequest): ScriptedAnswer {
  const turn = textOf(messages.findLast((message) => message.role === "user")!);
  if (turn === "hello") return "Hello!";
  if (messages.at(-1)!.role === "tool") return `Done with ${turn}.`;
  const words = turn.split(",");
  if (words.length > 1) return { calls: words.map((word) => ({ name: "charge", args: { turn: word } })) };
  return { calls: TOOLS.map((name) => ({ name, args: { turn } })) };
}
