import { expect, test } from "vitest";
import * as claims from "./soak/claims.ts";
import { CUT_COMMANDS, KILLS, LOSSES, STARTS, spendNight } from "./soak/night.ts";
import { SoakJob } from "./soak/soak-job.ts";

test("a job of hundreds of iterations, with kills, lost networks, full contexts and a person who speaks, loses, repeats and miscounts nothing", async () => {
  const job = await SoakJob.begin();
  const { code, stdout } = await spendNight(job);
  expect(code, stdout).toBe(0);
  expect(job.missed).toEqual([]);
  expect(job.processes).toHaveLength(STARTS);
  expect(job.processes.filter(({ child }) => child.signalCode === "SIGKILL")).toHaveLength(KILLS);
  expect(job.model.calls.length).toBeGreaterThanOrEqual(400);
  claims.expectGoalInEachGeneration(job);
  await claims.expectEveryWordHeard(job);
  await claims.expectCostsAgree(job);
  await claims.expectEachEffectOnce(job, CUT_COMMANDS);
  await claims.expectBooksOfSessions(job);
  await claims.expectLossesSurvived(job, LOSSES);
  await claims.expectNothingLeft(job);
}, 240_000);
