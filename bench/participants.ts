import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { MakeBot } from "./bot.ts";

/** A library in the comparison. */
export interface Participant {
  readonly name: string;
  /** What its users import; undefined for what is written by hand. */
  readonly package?: string;
  readonly load: () => Promise<{ readonly makeBot: MakeBot }>;
}

/** In the order of the table's columns. */
export const PARTICIPANTS: readonly Participant[] = [
  { name: "flower", package: "flower-agents", load: () => import("./peers/flower.ts") },
  { name: "floor", load: () => import("./peers/floor.ts") },
  { name: "pi-agent", package: "@mariozechner/pi-agent-core", load: () => import("./peers/pi-agent.ts") },
  { name: "ai-sdk", package: "ai", load: () => import("./peers/ai-sdk.ts") },
  { name: "openai-agents", package: "@openai/agents", load: () => import("./peers/openai-agents.ts") },
  { name: "langgraph", package: "@langchain/langgraph", load: () => import("./peers/langgraph.ts") },
  { name: "mastra", package: "@mastra/core", load: () => import("./peers/mastra.ts") },
];

export function participantOf(name: string): Participant {
  const found = PARTICIPANTS.find((participant) => participant.name === name);
  if (!found) throw new Error(`There is no participant "${name}". There are: ${PARTICIPANTS.map((item) => item.name).join(", ")}.`);
  return found;
}

export function isInstalled(participant: Participant): boolean {
  return participant.package === undefined || existsSync(fileURLToPath(new URL(`../node_modules/${participant.package}`, import.meta.url)));
}
