import { Agent } from "../../../src/agents/agent.ts";
import { whitelistGuard } from "../../../src/guards/whitelist.ts";
import { tool, toolOutput } from "../../../src/tools/tool.ts";
import type { ModelScript } from "./messages-server.ts";

/** What a fixture was recorded from. */
export interface Scenario {
  readonly name: string;
  readonly agent: Agent;
  readonly script: ModelScript;
  readonly files?: Readonly<Record<string, string>>;
  readonly prompts?: readonly string[];
}

const MODEL = "claude-sonnet-4-5";

const list = tool({
  name: "list",
  description: "Lists.",
  parameters: { type: "object" },
  execute: () =>
    toolOutput([
      { type: "text", text: "first" },
      { type: "text", text: "second" },
    ]),
});

function worker(options: ConstructorParameters<typeof Agent>[0] | Omit<ConstructorParameters<typeof Agent>[0], "name">): Agent {
  return new Agent({ name: "worker", model: MODEL, instructions: "You are the worker.", ...options });
}

const helper = new Agent({ name: "helper", description: "Looks.", model: MODEL, instructions: "You are the helper.", tools: ["Read"] });

const delegating: ModelScript = (request) => {
  const results = JSON.stringify(request.messages).split('"tool_result"').length - 1;
  if (request.system.includes("You are the helper.")) {
    return results > 0
      ? { thinking: "enough", text: "it says alpha" }
      : { text: "I look", calls: [{ name: "Read", args: { file_path: "a.txt" } }] };
  }
  return results > 0
    ? "all done"
    : { text: "look, please", calls: [{ name: "Agent", args: { description: "a look", prompt: "read a.txt" } }] };
};

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "tools",
    agent: worker({ tools: ["Read", "Bash", list] }),
    files: { "a.txt": "alpha\nbeta\n" },
    script: [
      {
        thinking: "let me see",
        text: "I look",
        calls: [{ name: "Read", args: { file_path: "a.txt" } }],
        usage: { input: 3, cacheRead: 1000, cacheWrite: 20, output: 50 },
      },
      { calls: [{ name: "list" }] },
      { calls: [{ name: "Bash", args: { command: "echo no; exit 3" } }] },
      "done",
    ],
  },
  {
    name: "refused",
    agent: worker({ tools: ["Bash"], guards: [whitelistGuard(["Read"])] }),
    script: [{ calls: [{ name: "Bash", args: { command: "true" } }] }, { calls: [{ name: "Nope" }] }, "ok"],
  },
  { name: "subagent", agent: worker({ subagents: [helper] }), files: { "a.txt": "alpha\n" }, script: delegating },
  {
    name: "compacted",
    agent: worker({}),
    prompts: ["go", "/compact", "and now?"],
    script: ["done", "<summary>The work is done.</summary>", "still done"],
  },
  { name: "overloaded", agent: worker({}), script: () => ({ status: 529, type: "overloaded_error", message: "Overloaded" }) },
  { name: "no-key", agent: worker({}), script: () => ({ status: 401, type: "authentication_error", message: "invalid x-api-key" }) },
];
