import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { coordinator, worker } from "../../../src/runtime/roles.ts";
import { onBoth } from "./on-both.ts";
import { type Call, MODEL, openSite, voice } from "./site.ts";

const bash = (id: string, command: string): Call => ({ id, name: "Bash", args: { command, description: "x" } });

onBoth(
  "what a tool writes into the workbench is in its index after the call, and a session is told what is new when it goes on",
  async (backend) => {
    const site = await openSite(backend);
    const { workbench } = site.runtime;
    workbench.ensure();
    await workbench.write("notes/plan.md", "# desc: the plan\n");
    writeFileSync(join(site.work, "make.cjs"), `require("fs").writeFileSync(".flower/artifacts/by-program.txt", "x")`);
    const seen: string[] = [];
    const look = (): readonly Call[] => {
      seen.push(readFileSync(workbench.indexPath, "utf8"));
      return [];
    };
    const then = (call: Call) => () => [...look(), call];
    const agent = worker({ model: MODEL, instructions: voice("worker") });
    const first = await site.run(agent, {
      worker: [
        [{ id: "write", name: "Write", args: { file_path: ".flower/artifacts/by-write.txt", content: "x" } }],
        then(bash("command", "echo x > .flower/artifacts/by-command.txt")),
        then(bash("program", "node make.cjs")),
        then(bash("nothing", "true")),
      ],
    });
    expect(["write", "command", "program"].map((name, at) => seen[at]?.includes(`artifacts/by-${name}.txt`))).toEqual([true, true, true]);
    expect(first.heard("worker")).toMatch(/# Workbench[\s\S]*notes\/plan\.md — the plan[\s\S]*\n\ngo/);
    const { sessionId } = first.result;
    const second = await site.run(agent, {}, "second", { resume: sessionId });
    expect(second.heard("worker")).toMatch(/Files of the workbench now[\s\S]*artifacts\/by-program\.txt[\s\S]*\n\nsecond/);
    const third = await site.run(agent, {}, "third", { resume: sessionId });
    expect(third.heard("worker").split("Files of the workbench now")).toHaveLength(2);
  },
);

const GLANCES = ["ls -a", "cat a.txt | head -1", "git --version", "grep -n alpha a.txt"];
const DEEDS = [
  "touch made",
  "cat a.txt > made",
  "cat a.txt; touch made",
  "bash -c 'touch made'",
  "cat $(touch made)",
  "find . -exec touch made \\;",
  "env",
  "cat ../a.txt",
  "npm test",
];

onBoth("a coordinator may look and hand work on; whatever else it would run is refused, with whom to give it to", async (backend) => {
  const site = await openSite(backend);
  writeFileSync(join(site.work, "a.txt"), "alpha\n");
  const hand = worker({ name: "hand", description: "d", model: MODEL, instructions: voice("hand") });
  const main = coordinator({ name: "main", model: MODEL, instructions: voice("main"), subagents: [hand] });
  const start = { id: "start", name: "Agent", args: { description: "d", prompt: "p", subagent_type: "hand" } };
  const { outcomes } = await site.run(main, {
    main: [[...GLANCES, ...DEEDS].map((command) => bash(command, command)), [start]],
    hand: [[bash("done by hand", "cat a.txt > by-hand")]],
  });
  expect(GLANCES.filter((command) => outcomes.get(command)?.isError)).toEqual([]);
  const words = DEEDS.map((command) => outcomes.get(command)?.text ?? "");
  expect(words.filter((text) => !/on purpose[\s\S]*Give the task to a subagent with the tool Agent[\s\S]*may be run/.test(text))).toEqual(
    [],
  );
  expect(outcomes.get("start")?.text).toContain("hand is done");
  expect(readFileSync(join(site.work, "by-hand"), "utf8")).toBe("alpha\n");
  expect(() => readFileSync(join(site.work, "made"))).toThrow("ENOENT");
});
