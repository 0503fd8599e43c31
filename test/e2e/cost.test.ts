import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder, startFlower } from "./cli.ts";
import { serveModel } from "./model-server.ts";
import { pidIn } from "./processes.ts";
import { REQUEST, sleepyWorker, smallJob } from "./small-job.ts";

/** 100 tokens in and 10 out, at the model's price. */
const REPLY_USD = 0.00035;

test("what the folder has cost is told to the cent after a kill, at the end of each run, and when nothing was left to do", async () => {
  const server = await serveModel(smallJob({ worker: sleepyWorker }));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const status = async () => JSON.parse((await flower(["status", "--json"], options)).stdout);
  const first = await startFlower([REQUEST], options);
  await pidIn(join(folder, "sleeper.pid"));
  await first.kill();
  const killed = await status();
  expect(killed).toMatchObject({ state: "gone", totalCostComplete: true });
  expect(killed.totalCostUsd).toBeCloseTo(server.requests.length * REPLY_USD, 8);

  const { code, stdout } = await flower([REQUEST], options);
  expect(code, stdout).toBe(0);
  const total = server.requests.length * REPLY_USD;
  expect(stdout.slice(stdout.lastIndexOf("━━ achieved"))).toMatch(/^━━ achieved · \d+s · \$0\.00\d\d · exit code 0 .*\n/);
  expect(stdout.slice(stdout.lastIndexOf("━━ achieved"))).toContain(`Total in this folder: $${total.toFixed(4)} (runs: 2)`);

  const again = await flower([], options);
  expect(again.stdout).toContain("finished already");
  expect(again.stdout).toContain("━━ done");
  const after = await flower(["status"], options);
  for (const text of ["achieved, exit code 0", "Last verdict (round 1): achieved", "✓ greeting.txt says Hello"])
    expect(after.stdout).toContain(text);
  expect(after.stdout).toContain(`Total in this folder: $${total.toFixed(4)} (runs: 3)`);

  const books = new Books(folder);
  const [run = ""] = await books.runs();
  const rows = (await books.manifest()).filter((row) => row.run === run);
  const unlogged = rows.reduce((sum, row) => sum + (row.costUsd ?? 0), 0);
  await rm(join(folder, "runs", run), { recursive: true });
  expect((await status()).totalCostUsd).toBeCloseTo(total - killed.totalCostUsd + unlogged, 8);
});

test("what nobody judged is done, not achieved", async () => {
  const server = await serveModel(smallJob());
  const options = { cwd: await newFolder(), env: server.env() };
  for (const args of [
    [REQUEST, "--clarify-only"],
    [REQUEST, "--no-goal"],
    ["once", REQUEST],
  ]) {
    const { code, stdout } = await flower(args, options);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/━━ done · .*exit code 0/);
    expect(stdout).not.toContain("achieved");
  }
  expect((await flower(["status"], options)).stdout).toContain("done, exit code 0");
});
