import type { RuntimeOptions } from "../runtime/runtime-options.ts";
import type { Environment } from "../tools/builtin/environment.ts";
import { type ContextOptions, contextHandoffFrom } from "./context-options.ts";
import type { GlobalOptions } from "./program.ts";
import { resilienceFrom } from "./resilience.ts";

/** What bounds a Runtime, by the command line and the environment: money, retries, context. Throws `bad-input` for what contradicts itself. */
export function runLimits(
  options: Pick<GlobalOptions, "budget"> & ContextOptions,
  env: Environment,
): Pick<RuntimeOptions, "budget" | "resilience" | "contextHandoff"> {
  return { budget: { usd: options.budget }, resilience: resilienceFrom(env), contextHandoff: contextHandoffFrom(options, env) };
}
