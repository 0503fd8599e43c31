import type { CallGuard } from "../tools/call.ts";
import { matchesTool } from "./permission-rule.ts";

/** The runtime's own tool: by it a session whose context is full hands over. It does nothing to the world, so every role has it. */
export const HANDOFF_TOOL = "handoff_document";

/** Only these tools: exact names, or `mcp__server__*`. Everything else is denied, whether it exists or not. */
export function whitelistGuard(names: readonly string[]): CallGuard {
  const available = names.length === 0 ? "none" : names.join(", ");
  return {
    before(call) {
      if (call.name === HANDOFF_TOOL || names.some((name) => matchesTool(name, call.name))) return undefined;
      return `"${call.name}" is not available to this agent, on purpose. Available: ${available}. Do the task with these, or say in your answer what cannot be done.`;
    },
  };
}
