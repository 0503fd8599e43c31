import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../folder.ts";
import { startScript } from "../script.ts";
import { openJob } from "./children/subagent-job.ts";

test("a process killed while a subagent two levels down waits for a person: the next one asks the same question and goes on there", async () => {
  const folder = newFolder();
  const child = startScript("runtime/children/subagent-job", folder);
  let session = "";
  for (let line = await child.line(); line !== "asked Which colour?"; line = await child.line()) {
    if (line === undefined) throw new Error("It ended before it asked.");
    if (line.startsWith("session ")) session = line.slice(8);
  }
  await child.kill();

  const job = openJob(folder);
  const run = job.run(session);
  while (job.channel.pending().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(job.channel.pending().map(({ id, path }) => [id, path])).toEqual([["q1", ["main", "mid", "leaf"]]]);
  job.channel.answer("q1", "blue");
  expect(await run).toMatchObject({ ok: true, text: "main done", resumed: true });
  expect(await readFile(join(folder, "steps.txt"), "utf8")).toBe("step\n"); // the finished iteration was kept
  expect(job.channel.asks.map((ask) => [ask.id, ask.answer])).toEqual([["q1", "blue"]]);
  await job.runtime.close();
  await job.channel.close();
});
