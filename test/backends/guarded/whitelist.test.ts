import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { Agent } from "../../../src/agents/agent.ts";
import type { Json } from "../../../src/core/json.ts";
import { HumanChannel } from "../../../src/human/channel.ts";
import { clarifier, coordinator, goalSetter, judge, oracle, type RoleOptions, worker } from "../../../src/runtime/roles.ts";
import { onBoth } from "./on-both.ts";
import { type Call, MODEL, openSite, type Report, voice } from "./site.ts";

/** Every name, with arguments that would do something. Made files carry the name of who asked. */
const CALLS: Readonly<Record<string, (who: string) => Json>> = {
  Read: () => ({ file_path: "a.txt" }),
  Write: (who) => ({ file_path: `made-${who}`, content: "x" }),
  Edit: () => ({ file_path: "a.txt", old_string: "alpha", new_string: "beta" }),
  Bash: (who) => ({ command: `touch made-${who}`, description: "x" }),
  Glob: () => ({ pattern: "*" }),
  Grep: () => ({ pattern: "alpha" }),
  WebFetch: () => ({ url: "http://127.0.0.1:1/", prompt: "x" }),
  Agent: () => ({ description: "d", prompt: "p", subagent_type: "general-purpose" }),
  Task: () => ({ description: "d", prompt: "p", subagent_type: "general-purpose" }),
  mcp__human__ask: () => ({ question: "Which?" }),
  mcp__human__inbox: () => ({}),
  NotebookEdit: (who) => ({ notebook_path: `made-${who}.ipynb`, new_source: "x", cell_type: "code", edit_mode: "insert" }),
  WebSearch: () => ({ query: "x" }),
  MultiEdit: () => ({ file_path: "a.txt", edits: [{ old_string: "alpha", new_string: "beta" }] }),
  PowerShell: (who) => ({ command: `touch made-${who}` }),
  ...named(
    "Nope mcp__x__y mcp__flower__brief SlashCommand Skill ExitPlanMode EnterPlanMode EnterWorktree AskUserQuestion TaskOutput TaskStop",
  ),
  ...named("ToolSearch Monitor SendMessage CronCreate ListMcpResourcesTool ReadMcpResourceTool StructuredOutput REPL Config LSP"),
};

function named(names: string): Record<string, () => Json> {
  return Object.fromEntries(names.split(" ").map((name) => [name, () => ({})]));
}

const READS = ["Read", "Glob", "Grep"];
const CHANNEL = ["mcp__human__ask", "mcp__human__inbox"];

/** What each role may call, and nothing else. Of Bash a coordinator may call only what looks. */
const LISTED: Readonly<Record<string, readonly string[]>> = {
  coordinator: ["Read", "Agent", "Task", ...CHANNEL],
  clarifier: [...READS, "WebFetch", ...CHANNEL],
  "goal-setter": READS,
  judge: READS,
  oracle: READS,
  worker: [...READS, "Write", "Edit", "Bash", "WebFetch"],
};

const callsOf = (who: string): readonly Call[] =>
  Object.entries(CALLS).flatMap(([name, args]) =>
    who === "coordinator" && /^(?:Agent|Task)$/.test(name) ? [] : [{ id: `${who} ${name}`, name, args: args(who) }],
  );

/** What went otherwise than the table has it. */
function surprises({ outcomes, heard }: Report, who: string): readonly string[] {
  return callsOf(who).flatMap(({ id, name }) => {
    const { text, isError } = outcomes.get(id) ?? { text: "no outcome", isError: true };
    if (LISTED[who]?.includes(name)) return isError && !/fetch/.test(text) ? [`${id} did not run: ${text}`] : [];
    const said = text.includes("No such tool available") ? sentenceAbout(name, heard(who)) : text;
    return isError && /on purpose[.:]|does not exist\. Available: /.test(said) ? [] : [`${id} was not refused on purpose: ${text}`];
  });
}

/** What is said along with the CLI's own words for a tool that it does not have. */
function sentenceAbout(name: string, heard: string): string {
  return heard.split("\n").find((line) => line.includes(`"${name}"`) && line.includes("not available to this agent")) ?? "";
}

function role(make: (options: RoleOptions) => Agent, name: string, channel?: HumanChannel): Agent {
  return make({ name, description: name, model: MODEL, instructions: voice(name), tools: channel?.tools ?? [] });
}

onBoth("a role calls what is on its list and nothing else, on the main thread and as a subagent", async (backend) => {
  const site = await openSite(backend);
  writeFileSync(join(site.work, "a.txt"), "alpha\n");
  const channel = new HumanChannel({ timeoutMs: 0 });
  const hands = [role(clarifier, "clarifier", channel), role(goalSetter, "goal-setter"), role(judge, "judge"), role(oracle, "oracle")];
  const subagents = [...hands, role(worker, "worker")];
  const main = coordinator({ name: "coordinator", model: MODEL, instructions: voice("coordinator"), subagents, tools: channel.tools });
  const starts = subagents.map(({ name }) => ({
    id: `start ${name}`,
    name: "Agent",
    args: { description: "d", prompt: "p", subagent_type: name },
  }));
  const below = Object.fromEntries(subagents.map(({ name }) => [name, [callsOf(name)]]));
  const report = await site.run(main, { coordinator: [callsOf("coordinator"), starts], ...below });
  expect(report.result.ok).toBe(true);
  expect(["coordinator", ...Object.keys(below)].flatMap((who) => surprises(report, who))).toEqual([]);
  expect(readdirSync(site.work).filter((name) => name.startsWith("made-"))).toEqual(["made-worker"]);

  const alone = await site.run(role(clarifier, "clarifier", channel), { clarifier: [callsOf("clarifier")] });
  expect(surprises(alone, "clarifier")).toEqual([]);
  expect(readdirSync(site.work).filter((name) => name.startsWith("made-"))).toEqual(["made-worker"]);
});

onBoth("below an agent that only reads every one only reads, and what is forbidden above is forbidden below", async (backend) => {
  const site = await openSite(backend);
  writeFileSync(join(site.work, "a.txt"), "alpha\n");
  const below = worker({ name: "hand", description: "d", model: MODEL, instructions: voice("hand") });
  const main = new Agent({
    ...{ name: "planner", model: MODEL, instructions: voice("planner"), tools: ["Read"], subagents: [below] },
    permissions: { mode: "plan", deny: ["Bash(ls:*)", "Read(secret/**)"] },
  });
  const calls: readonly Call[] = [
    { id: "read", name: "Read", args: { file_path: "a.txt" } },
    { id: "look", name: "Bash", args: { command: "cat a.txt", description: "x" } },
    { id: "forbidden look", name: "Bash", args: { command: "ls", description: "x" } },
    { id: "forbidden read", name: "Read", args: { file_path: "secret/a.txt" } },
    { id: "write", name: "Write", args: { file_path: "made-hand", content: "x" } },
    { id: "command", name: "Bash", args: { command: "touch made-hand", description: "x" } },
  ];
  const start = { id: "start", name: "Agent", args: { description: "d", prompt: "p", subagent_type: "hand" } };
  const { outcomes } = await site.run(main, { planner: [[start]], hand: [calls] });
  const refused = calls.filter(({ id }) => outcomes.get(id)?.isError && outcomes.get(id)?.text.includes("on purpose")).map(({ id }) => id);
  expect(refused).toEqual(["forbidden look", "forbidden read", "write", "command"]);
  expect(outcomes.get("look")?.text).toContain("alpha");
  expect(readdirSync(site.work).filter((name) => name.startsWith("made-"))).toEqual([]);
});
