import type { Engine } from "../engines/engine.ts";
import { DEFAULT_MAX_OUTPUT_TOKENS } from "../engines/engine.ts";
import type { Message, Part, ResultContent } from "../messages/message.ts";
import { contextTokens } from "../messages/usage.ts";
import type { OpenTurn } from "./turn.ts";
import type { TurnOptions } from "./turn-loop.ts";

/** A model call that is about to be made, and what it may take at most. */
export interface PlannedCall {
  /** The call that started the subagent that asks; "" on the main thread. */
  readonly thread: string;
  readonly engine: Pick<Engine, "provider" | "model" | "endpoint">;
  /** Reckoned: what the last call is known to have had, and what came since. */
  readonly inputTokens: number;
  /** The cap that is set, else the one of engines that need one. */
  readonly outputTokens: number;
}

/** Reckons the next call of a turn. */
export function planCall(turn: OpenTurn, options: TurnOptions): PlannedCall {
  const { agent, messages } = turn;
  const last = messages.findLastIndex(({ usage }) => usage !== undefined && contextTokens(usage) > 0);
  const usage = messages[last]?.usage;
  const known = usage ? contextTokens(usage) + usage.outputTokens : tokensOf(frameOf(turn, options));
  return {
    thread: options.origin.parentToolUseId ?? "",
    engine: options.engineOf(agent),
    inputTokens: messages.slice(last + 1).reduce((sum, message) => sum + messageTokens(message), known),
    outputTokens: agent.settings.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS,
  };
}

/** What goes along with every request. Instructions that are made by a function are not known before. */
function frameOf({ agent }: OpenTurn, { graph }: TurnOptions): string {
  const { instructions } = agent;
  return `${typeof instructions === "string" ? instructions : ""}${JSON.stringify(graph.kit(agent).specs)}`;
}

/** Providers reckon a large picture at about this. */
const IMAGE_TOKENS = 1_600;

function messageTokens({ parts }: Message): number {
  return parts.reduce((sum, part) => sum + partTokens(part), 0);
}

function partTokens(part: Part | ResultContent): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return tokensOf(part.text);
    case "image":
      return IMAGE_TOKENS;
    case "call":
      return tokensOf(part.name + JSON.stringify(part.args));
    case "json":
      return tokensOf(JSON.stringify(part.value));
    case "result":
      return part.content.reduce((sum, each) => sum + partTokens(each), 0);
    default:
      return part satisfies never;
  }
}

/** Three bytes a token: a little more than English or code take, and about what Chinese takes. */
function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}
