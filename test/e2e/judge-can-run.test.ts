import { expect, test } from "vitest";
import { flower, newFolder } from "./cli.ts";
import { serveModel } from "./model-server.ts";
import { bash, isAccepted, REQUEST, smallJob, verdict } from "./small-job.ts";

test.each([
  [["--judge-can-run"], 0, "Hello, world"],
  [[], 1, "not available"],
])("%j: what the judge's own command gives, and what comes of it", async (args, exitCode, seen) => {
  const results: string[] = [];
  const server = await serveModel(
    smallJob({
      judge(view) {
        if (isAccepted(view)) return { text: "The verdict is in." };
        if (view.news.length === 0) return bash("cat greeting.txt; rm greeting.txt");
        results.push(view.news.join());
        return verdict(view.news.join().includes("Hello, world") ? "passed" : "failed");
      },
    }),
  );
  const folder = await newFolder();
  const { code, stdout } = await flower([REQUEST, "--rounds", "1", ...args], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(exitCode);
  expect(results[0]).toContain(seen);
  const tools = (role: string) => server.requests.find((view) => view.role === role)?.tools.includes("Bash");
  expect([tools("judge"), tools("goal-setter"), tools("clarifier")]).toEqual([exitCode === 0, exitCode === 0, false]);
  expect((await flower(["status", "--json"], { cwd: folder })).stdout).toContain(exitCode === 0 ? '"achieved"' : '"not_yet"');
});
