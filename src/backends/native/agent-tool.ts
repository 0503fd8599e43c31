import type { Agent } from "../../agents/agent.ts";
import type { JsonSchema } from "../../core/schema.ts";
import { type Tool, type ToolContext, type ToolReturn, tool, toolOutput } from "../../tools/tool.ts";

/** How many agents may stand below the main one, each started by the one above. */
const MAX_DEPTH = 3;

const TOO_DEEP = `No subagent was started, on purpose: you are ${MAX_DEPTH} levels below the main agent, and that is the limit. Do this part yourself with your other tools.`;

/** What one call asks for. */
export interface Task {
  readonly subagent: Agent;
  readonly prompt: string;
}

/** The agents that an agent may start: those it declares, else, when it has the tool by name, copies of itself. */
export function startable(agent: Agent): readonly Agent[] {
  if (agent.subagents.length > 0) return agent.subagents;
  if (!agent.tools.includes("Agent")) return [];
  const description = "A copy of you, with the same tools, for any task that can be done apart.";
  return [agent.with({ name: "general-purpose", description, handoffs: [], outputSchema: undefined })];
}

/** The tool `Agent`. Calls run side by side; one that a death cut off is entered again. */
export function agentTool(subagents: readonly Agent[], start: (task: Task, context: ToolContext) => Promise<ToolReturn>): Tool {
  return tool({
    name: "Agent",
    description: describe(subagents),
    parameters: parametersFor(subagents),
    timeoutMs: Number.POSITIVE_INFINITY, // how long a subagent may take is its own limit
    idempotent: true, // the same call finds the same session and goes on in it
    parallel: true,
    async execute(args, context) {
      if (context.path.length > MAX_DEPTH) return toolOutput(TOO_DEEP, { isError: true });
      const { prompt, subagent_type: type } = args as { readonly prompt: string; readonly subagent_type: string };
      const subagent = subagents.find((one) => one.name === type) as Agent; // the schema names them all
      return start({ subagent, prompt }, context);
    },
  });
}

function describe(subagents: readonly Agent[]): string {
  const list = subagents.map(({ name, description }) => `- ${name}${description === undefined ? "" : `: ${description}`}`);
  return `Starts a subagent that does one task in a conversation of its own. Its last message is the result; nothing else of it reaches you.
- It knows nothing of your conversation: the prompt must hold all it needs (the task, paths, what to report back).
- Calls in one reply run at the same time. Put tasks that do not depend on each other into one reply.
- The person sees none of its messages. Tell them yourself what matters.
Subagents:
${list.join("\n")}`;
}

function parametersFor(subagents: readonly Agent[]): JsonSchema {
  const names = subagents.map((one) => one.name);
  return {
    type: "object",
    properties: {
      description: { type: "string", description: "The task in three to five words" },
      prompt: { type: "string", minLength: 1, description: "The task, complete" },
      subagent_type: { type: "string", enum: names, description: "Which subagent" },
    },
    required: ["description", "prompt", "subagent_type"], // also of one: rules such as Agent(name) go by it
  };
}
