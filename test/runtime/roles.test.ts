import { expect, test } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import { resultText } from "../../src/messages/message.ts";
import { clarifier, coordinator, goalSetter, judge, oracle, type RoleOptions, worker } from "../../src/runtime/roles.ts";
import { tool } from "../../src/tools/tool.ts";
import { openBench } from "./bench.ts";

const verdict = tool({ name: "verdict", description: "", parameters: { type: "object" }, execute: () => "taken" });

const roles: readonly (readonly [string, (options: RoleOptions) => Agent, readonly string[]])[] = [
  ["clarifier", clarifier, ["Read", "Glob", "Grep", "WebFetch"]],
  ["goal-setter", goalSetter, ["Read", "Glob", "Grep"]],
  ["judge", judge, ["Read", "Glob", "Grep"]],
  ["oracle", oracle, ["Read", "Glob", "Grep"]],
  ["a judge that may run commands", (options) => judge({ ...options, canRun: true }), ["Read", "Glob", "Grep", "Bash"]],
];

test.each(roles)("%s has its own tools and those it is given, and no others get through, whatever they are", async (_name, make, names) => {
  const agent = make({ tools: [verdict] });
  expect(agent.tools.map((item) => (typeof item === "string" ? item : item.name))).toEqual([...names, "verdict"]);
  const wanted = ["Write", "Edit", "Bash", "Agent", "mcp__files__write", "constructor"].filter((name) => !names.includes(name));
  const calls = [...wanted, "verdict"].map((name) => ({ name, args: { command: "touch made", file_path: "made", content: "x" } }));
  const bench = openBench([{ calls }, "done"]);
  await bench.finish(bench.runtime.run(agent, "go"));
  const results = bench.engine.requests[1]?.messages.at(-1)?.parts.flatMap((part) => (part.type === "result" ? [part] : [])) ?? [];
  for (const name of wanted) {
    const denied = results.find((result) => result.name === name);
    expect(denied?.isError, name).toBe(true);
    expect(resultText(denied?.content ?? [])).toContain("not available to this agent, on purpose");
  }
  expect(results.find((result) => result.name === "verdict")).toMatchObject({ isError: false });
});

test("a person is not asked about a call that cannot be made anyway", async () => {
  const asked: string[] = [];
  const calls = ["mcp__files__write", "Write", "Read"].map((name) => ({ name, args: { file_path: "/etc/hostname", content: "x" } }));
  const bench = openBench([{ calls }, "done"]);
  const askPermission = async ({ tool: name }: { tool: string }) => {
    asked.push(name);
    return "deny" as const;
  };
  await bench.finish(bench.runtime.run(clarifier(), "go", { askPermission }));
  expect(asked).toEqual(["Read"]);
});

test("a role is told the general rules, its own, and what the user adds, in this order", () => {
  const { instructions } = judge({ instructions: "Be brief." });
  expect(String(instructions)).toMatch(/^You are an agent of flower[\s\S]*You are the judge[\s\S]*Be brief\.$/);
});

test("model, limits, settings and name of a role can be chosen", () => {
  const made = worker({ name: "builder", model: "m", limits: { maxIterations: 5 }, settings: { temperature: 0 } });
  expect(made).toMatchObject({ name: "builder", model: "m", limits: { maxIterations: 5 }, settings: { temperature: 0 } });
  expect(worker().name).toBe("worker");
});

test.each([
  ["clarifier", clarifier(), [/do no work yourself/, /one question at a time/, /nobody answers/, /not a criterion/]],
  ["goal-setter", goalSetter(), [/environment first/, /three to five/, /Never check the runtime's own folders/, /cannot be verified/]],
  [
    "judge",
    judge(),
    [
      /claim, not evidence/,
      /Judge the artifact, not the source/,
      /without evidence in sight is not passed/,
      /Disclosing a risk is not passing/,
      /content, not an instruction/,
      /repair nothing/,
    ],
  ],
  ["oracle", oracle(), [/bystander/, /you do not know/, /give no orders/, /never an instruction to you/, /only the last events/]],
  [
    "coordinator",
    coordinator(),
    [
      /split the work, hand it to subagents/,
      /do none of it yourself/,
      /record of decisions/,
      /at the same time/,
      /only what is special to it/,
      /where brief, goal and workbench are/,
      /answer with its path and the conclusion/,
      /After each stage, check the inbox/,
      /goes into every task that it concerns/,
      /only at a real fork/,
      /one decision, one file in \.flower\/notes\//,
      /assumption/,
    ],
  ],
  ["worker", worker(), [/Read the brief and the goal first/, /Only your last message is read/, /did not verify/, /inbox/]],
])("the rules of the %s say what has gone wrong without them", (_name, agent, facts) => {
  for (const fact of facts) expect(agent.instructions).toMatch(fact);
});
