import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { newFolder } from "../folder.ts";
import { openJob } from "./children/subagent-job.ts";

test("a process killed while a subagent two levels down waits for a person: the next one asks the same question and goes on there", async () => {
  const folder = newFolder();
  const script = new URL("./children/subagent-job.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, ["--import", "tsx", script, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let session = "";
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("session ")) session = line.slice(8);
    if (line === "asked Which colour?") break;
  }
  child.kill("SIGKILL");
  await once(child, "exit");

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
