import { expect, test } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder } from "./cli.ts";
import { type ModelScript, serveModel } from "./model-server.ts";
import { isAccepted, neverSatisfied, REQUEST, smallJob, write } from "./small-job.ts";

test("work that no round brings to the goal is reported as failed, with the step and the judge's reason", async () => {
  let round = 0;
  const worker = smallJob();
  const server = await serveModel(
    smallJob({
      worker: (view) => (view.news.length > 0 ? worker(view) : write(`greeting-${++round}.txt`, "Hello\n")),
      judge: neverSatisfied,
    }),
  );
  const folder = await newFolder();
  const { code, stdout } = await flower([REQUEST], { cwd: folder, env: server.env() });

  const books = new Books(folder);
  expect(code).toBe(1);
  expect(await books.labels()).toEqual([
    ...["clarify", "goal"],
    ...["work", "work·judge#1", "work#round2", "work·judge#2", "work#round3", "work·judge#3"],
  ]);
  const reason = "the goal was not reached in 3 rounds. The greeting lacks warmth.";
  expect(await books.end()).toEqual({ type: "run-end", outcome: "failed", exitCode: 1, failedAt: "work", reason });
  const lastLines = stdout.trimEnd().split("\n").slice(-2).join(" ");
  expect(lastLines).toMatch(/failed · at work .* exit code 1/);
  expect(lastLines).toContain(reason);
  expect((await books.lineage()).outcome).toBe("failed");
});

test("a judge of the same work is shown the same in every round: no earlier verdict, no number of the round", async () => {
  const server = await serveModel(smallJob({ judge: neverSatisfied }));
  const folder = await newFolder();
  await flower([REQUEST, "--rounds", "2"], { cwd: folder, env: server.env() });

  const [first, second, ...more] = server.requests.filter((view) => view.role === "judge" && view.replies === 0);
  expect(more).toEqual([]);
  expect(second?.texts).toEqual(first?.texts);
});

test("a goal that cannot be reached stops the run at once, and with nobody there to decide it is no success", async () => {
  const impossible: ModelScript = (view) => {
    if (isAccepted(view)) return { text: "The verdict is in." };
    const checks = [{ number: 1, state: "failed", evidence: "greeting.txt: Hello" }];
    return { calls: [{ name: "verdict", args: { checks, reason: "No.", impossible: "The printer is on fire." } }] };
  };
  const server = await serveModel(smallJob({ judge: impossible }));
  const folder = await newFolder();
  const { code } = await flower([REQUEST], { cwd: folder, env: server.env() });
  const books = new Books(folder);
  expect(code).toBe(1);
  expect(await books.labels()).toEqual(["clarify", "goal", "work", "work·judge#1"]);
  expect(await books.payloads("ask")).toMatchObject([{ purpose: "goal", state: "timeout" }]);
  const reason = expect.stringMatching(/nobody was there to decide: The printer is on fire/);
  expect(await books.end()).toMatchObject({ outcome: "failed", failedAt: "work", reason });
});
