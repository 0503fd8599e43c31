import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { goalFile, handIn, verdict } from "./lines.ts";
import { openWork } from "./work.ts";

test("what a person accepted as unverifiable is settled for later processes too: they are not asked about it again", async () => {
  const unverifiable = handIn(verdict(["passed", "unverifiable"]));
  const checks = ["it says hello", "it runs on macOS"];
  const work = await openWork({ worker: ["done"], judge: unverifiable }, { checks, answers: ["Accept this result and go on"] });
  await work.run();
  await work.stage.runtime.close();
  await writeFile(work.goalPath, goalFile("it says goodbye", "it runs on macOS"));
  const later = work.stage.again({ judge: unverifiable });
  await later.run(work.workflow);
  expect(work.questions).toHaveLength(1);
  expect(later.tasks("verdict").map(({ payload }) => payload.state)).toEqual(["achieved"]);
  expect(later.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
});
