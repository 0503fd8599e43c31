import { FlowerError, isFlowerError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import type { Engine, EngineFinish, EnginePart } from "../engines/engine.ts";
import { isUsage } from "../messages/usage.ts";

/** The reply of an engine that does not keep to the contract of `Engine` is as good as cut: nothing of it can be trusted. */
export function contractBroken(engine: Engine, how: string): FlowerError {
  return new FlowerError("stream-cut", `The engine "${engine.provider}" broke its contract: ${how}.`);
}

/** What an engine threw, as a FlowerError: engines of others may throw anything. */
export function engineFailure(engine: Engine, error: unknown): FlowerError {
  if (isFlowerError(error)) return error;
  if (error instanceof Error) return new FlowerError("unknown", error.message, { cause: error });
  return new FlowerError("unknown", `The engine "${engine.provider}" threw ${shown(error)}.`, { cause: error });
}

function shown(error: unknown): string {
  return typeof error === "string" ? JSON.stringify(error) : isRecord(error) ? "an object that is no Error" : String(error);
}

const FINISHES: Readonly<Record<EngineFinish, true>> = { stop: true, calls: true, length: true, "content-filter": true };

/** How a part breaks the contract, or undefined. Cheap: streams are long. */
export function partProblem(part: EnginePart): string | undefined {
  switch (part?.type) {
    case "delta":
    case "block":
      if (part.of !== "text" && part.of !== "reasoning") return `a ${part.type} of unknown kind ${JSON.stringify(part.of)}`;
      return typeof part.text === "string" ? undefined : `a ${part.type} without text`;
    case "call":
      if (typeof part.name !== "string") return "a call without a name";
      return part.args === undefined ? `a call of "${part.name}" without args` : undefined;
    case "finish":
      if (!Object.hasOwn(FINISHES, part.reason)) return `an unknown finish reason ${JSON.stringify(part.reason)}`;
      return isUsage(part.usage) ? undefined : "a finish whose usage is missing or holds what is no number ≥ 0";
    case "alive":
      return undefined;
    default:
      return `an unknown part ${isRecord(part) ? `of type ${JSON.stringify((part as { type?: unknown }).type)}` : String(part)}`;
  }
}
