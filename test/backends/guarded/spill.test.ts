import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { worker } from "../../../src/runtime/roles.ts";
import { onBoth } from "./on-both.ts";
import { type Call, MODEL, openSite, voice } from "./site.ts";

const bash = (id: string, command: string): Call => ({ id, name: "Bash", args: { command, description: "x" } });

onBoth("a long result goes to a file once; reading that file, in whatever way, gives what is in it", async (backend) => {
  const site = await openSite(backend);
  const { spill, root } = site.runtime.workbench.ensure();
  symlinkSync(spill, join(site.work, "elsewhere"));
  const name = () => readdirSync(spill)[0] ?? "";
  const readings = (): readonly Call[] => [
    { id: "Read, relative", name: "Read", args: { file_path: `.flower/spill/${name()}` } },
    { id: "Read, absolute", name: "Read", args: { file_path: join(spill, name()), offset: 100, limit: 900 } },
    bash("cat, relative", `cat .flower/spill/${name()}`),
    bash("cat, absolute", `cat ${join(spill, name())}`),
    bash("cat, from the folder", `cd .flower/spill && cat ${name()}`),
    bash("cat, of all", "cd .flower/spill; cat *"),
    bash("cat, from above", `cd .flower && cat spill/${name()}`),
    bash("cat, by a variable", `D=${spill}; cat "$D"/*`),
    bash("cat, by a link", `cat elsewhere/${name()}`),
    bash("cat, by another's link", `cp -r ${root}/spill copy; cat copy/${name()}`),
    bash("grep", "grep -rh 1 .flower/spill"),
    { id: "Grep", name: "Grep", args: { pattern: "^1[67]", path: `.flower/spill/${name()}`, output_mode: "content" } },
  ];
  const agent = worker({ model: MODEL, instructions: voice("worker") });
  const { outcomes } = await site.run(agent, { worker: [[bash("long", "seq 1000 1999")], readings] });
  expect(outcomes.get("long")?.text).toMatch(/^\[[\d,]+ characters, kept in \S+spill\/[0-9a-f]{16}\.txt: read there/);
  const cut = readings().filter(({ id }) => !outcomes.get(id)?.text.includes("1777") || outcomes.get(id)?.text.includes("kept in"));
  expect(cut.map(({ id }) => [id, outcomes.get(id)?.text.slice(0, 300)])).toEqual([]);
  expect(readdirSync(spill)).toHaveLength(1);
});

onBoth("what the CLI would keep in a folder of its own, outside the workspace, lies in the spill in full", async (backend) => {
  const site = await openSite(backend);
  const { spill } = site.runtime.workbench.ensure();
  writeFileSync(join(site.work, "big.txt"), "a line of some length\n".repeat(3_000));
  const calls = [bash("command", "seq 10000 16000"), { id: "search", name: "Grep", args: { pattern: "line", output_mode: "content" } }];
  const { outcomes } = await site.run(worker({ model: MODEL, instructions: voice("worker") }), { worker: [calls] });
  for (const id of ["command", "search"]) {
    const text = outcomes.get(id)?.text ?? "";
    expect(text).toMatch(/^\[[\d,]+ characters, kept in \S+spill/);
    expect(text).not.toContain("tool-results");
  }
  expect(readdirSync(spill)).toHaveLength(2);
  if (backend === "claude")
    expect(readdirSync(spill).some((name) => readFileSync(join(spill, name), "utf8").trimEnd().endsWith("\n16000"))).toBe(true);
});
