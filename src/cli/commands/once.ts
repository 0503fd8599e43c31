import { resolve } from "node:path";
import { Agent, BUILTIN_TOOL_NAMES, type BuiltinToolName } from "../../agents/agent.ts";
import { FlowerError } from "../../core/errors.ts";
import { HumanChannel } from "../../human/channel.ts";
import { worker } from "../../runtime/roles.ts";
import { Runtime } from "../../runtime/runtime.ts";
import { Workbench } from "../../workbench/workbench.ts";
import { Step } from "../../workflow/step.ts";
import { Workflow } from "../../workflow/workflow.ts";
import { drive } from "../drive.ts";
import { openMcp } from "../mcp.ts";
import type { OnceOptions } from "../program.ts";
import { languageFrom } from "../report-failure.ts";
import { runLimits } from "../run-limits.ts";
import { Screen } from "../screen.ts";
import { voiceFrom } from "../voice.ts";
import { questionTimeout } from "./go.ts";

/** One agent, once, without clarifying, goal or judge. Gives the exit code. */
export async function once(prompt: string, options: OnceOptions): Promise<number> {
  if (prompt.trim() === "") throw new FlowerError("bad-input", "There is nothing to do: the prompt is empty.");
  const workspace = resolve(options.workspace);
  const runDir = resolve(workspace, options.runDir);
  const language = languageFrom(options.lang, process.env);
  const { engine, backend, model } = await voiceFrom(options);
  const screen = new Screen({ language, color: options.color, verbose: options.verbose, json: options.json });
  const workbench = new Workbench(workspace, { language }).ensure();
  const channel = new HumanChannel({ timeoutMs: questionTimeout(options, screen), logPath: workbench.questionsPath(), language });
  await using mcp = await openMcp(options.mcp, language);
  const tools = [...toolNames(options.tools ?? ""), ...channel.tools, ...mcp.tools];
  const role = worker({ tools: channel.tools, instructions: options.instructions });
  const step = new Step("once", {
    agent: new Agent({ name: "agent", model, instructions: role.instructions, tools, permissions: role.permissions }),
    prompt,
  });
  const workflow = new Workflow([step], { name: "once", channel, workbench, request: prompt, continuous: false });
  const runtime = new Runtime({
    workspace,
    runDir,
    language,
    engine,
    backend,
    workbench,
    ...runLimits(options, process.env),
  });
  mcp.attach(channel, runtime.signal);
  return await drive({ workflow, channel, runtime, screen, notices: mcp.notices });
}

function toolNames(text: string): readonly BuiltinToolName[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.map((name) => {
    const known = BUILTIN_TOOL_NAMES.find((builtin) => builtin === name);
    if (!known) throw new FlowerError("bad-input", `There is no built-in tool "${name}". There are: ${BUILTIN_TOOL_NAMES.join(", ")}.`);
    return known;
  });
}
