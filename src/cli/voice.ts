import { Option } from "commander";
import type { Backend } from "../backends/backend.ts";
import type { Engine } from "../engines/engine.ts";
import { resolveEngine } from "../engines/resolve.ts";

/** Who speaks for a run's agents: an engine in our own loop, or a backend that brings its own model. */
export interface Voice {
  readonly engine?: Engine;
  readonly backend?: Backend;
  /** For the agents, when a backend chooses by it. */
  readonly model?: string;
}

export function backendOption(): Option {
  return new Option("--backend <name>", "native: our own loop, every provider; claude: the Claude Agent SDK, when it is installed")
    .choices(["native", "claude"])
    .default("native");
}

export async function voiceFrom(options: { readonly backend: string; readonly model?: string }): Promise<Voice> {
  if (options.backend === "native") return { engine: resolveEngine({ model: options.model }) };
  const { claudeBackend } = await import("../backends/claude/claude.ts");
  return { backend: claudeBackend(), ...(options.model === undefined ? {} : { model: options.model }) };
}
