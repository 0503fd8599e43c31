import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent } from "../../../src/agents/agent.ts";
import { type RecordedRequest, type ScriptedAnswer, ScriptedEngine } from "../../../src/engines/scripted.ts";
import { HumanChannel } from "../../../src/human/channel.ts";
import { Runtime } from "../../../src/runtime/runtime.ts";
import type { StepResult } from "../../../src/runtime/step-result.ts";
import { tool } from "../../../src/tools/tool.ts";

/** The model's side as a function of the session, so that it goes on wherever the history stands. */
function following(...replies: readonly ScriptedAnswer[]): ScriptedEngine {
  return new ScriptedEngine((request: RecordedRequest) => {
    return replies[request.messages.filter((message) => message.role === "model").length] ?? "nothing is left";
  });
}

function start(type: string): ScriptedAnswer {
  return { calls: [{ name: "Agent", args: { description: "a task", prompt: "do it", subagent_type: type } }] };
}

export interface Job {
  readonly runtime: Runtime;
  readonly channel: HumanChannel;
  run(resume?: string): Promise<StepResult>;
}

/** Main → mid → leaf; the leaf notes a step in `steps.txt`, then asks the person. Whoever opens it again goes on. */
export function openJob(folder: string, tell: (line: string) => void = () => {}): Job {
  const channel = new HumanChannel({
    timeoutMs: null,
    storePath: join(folder, "asks.json"),
    onEvent: (event) => tell(`asked ${event.text}`),
  });
  const note = tool({
    name: "note",
    description: "Notes a step.",
    parameters: { type: "object" },
    execute: () => appendFileSync(join(folder, "steps.txt"), "step\n"),
  });
  const ask = { name: "mcp__human__ask", args: { question: "Which colour?" } };
  const leaf = new Agent({
    name: "leaf",
    tools: [note, ...channel.tools],
    engine: following({ calls: [{ name: "note" }] }, { calls: [ask] }, "leaf done"),
  });
  const mid = new Agent({ name: "mid", subagents: [leaf], engine: following(start("leaf"), "mid done") });
  const main = new Agent({ name: "main", subagents: [mid], engine: following(start("mid"), "main done") });
  const runtime = new Runtime({ workspace: folder });
  return {
    runtime,
    channel,
    run: (resume) => runtime.run(main, "go", { resume, onSession: (id) => tell(`session ${id}`) }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await openJob(process.argv[2] as string, console.log).run();
