import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startProgram } from "./programs.ts";

test("a terminal of one's own shows the run, and what is typed answers the question, then goes to the agent", async () => {
  const program = startProgram("terminal");
  await program.printed("?? q1: Which greeting? [Hello | Good day]");
  program.child.stdin.write("Hello\nwith a smile\n");
  expect(await program.ended).toBe(0);
  const output = program.output();
  expect(output.match(/^== .*$/gm)).toEqual(["== 1/3 clarify", "== 2/3 goal", "== 3/3 work"]);
  expect(output).toContain("  q1 answered: Hello\n");
  expect(output).toContain("mail m1 queued: with a smile\n");
  expect(output).toContain("  * Write greeting.txt\n");
  expect(output.trimEnd().split("\n").at(-1)).toBe("done");
  expect(await readFile(`${program.workspace}/.flower/notes/brief.md`, "utf8")).toContain("with a smile");
});

test("with nobody there the run asks nobody, says what it would have asked, and is achieved", async () => {
  const program = startProgram("unattended");
  expect(await program.ended).toBe(0);
  const [question, outcome, log] = program.output().split("\n");
  expect([question, outcome]).toEqual(["q1 timeout: Which greeting?", "achieved"]);
  const events = await readFile(log?.replace("the log: ", "") ?? "", "utf8");
  expect(events).not.toContain('"state":"asked"');
  expect(events.trimEnd().split("\n").at(-1)).toContain('"run-end"');
});
