import { expect, test } from "vitest";
import { handIn, verdict } from "./lines.ts";
import { openWork, reports } from "./work.ts";

test("what a person says during the last judging reopens the work, and is judged", async () => {
  let spoken = false;
  const work = await openWork(
    {
      worker: reports(2),
      judge: [
        async () => {
          if (!spoken) await work.channel.send("also say goodbye");
          spoken = true;
          return verdict(["passed"]);
        },
        "That is it.",
        ...handIn(verdict(["passed", "passed"])),
      ],
      goalSetter: [
        { calls: [{ name: "goal", args: { statement: "greet", checks: [{ text: "it says hello" }, { text: "it says goodbye" }] } }] },
        "That is it.",
      ],
    },
    { keepsMail: true },
  );
  await work.run();
  expect(work.stage.prompt("worker", 1)).toContain("also say goodbye");
  expect(work.stage.tasks("verdict").map((event) => event.payload.checks.length)).toEqual([1, 2]);
  expect(work.stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
  expect(work.channel.pendingMail).toEqual([]);
});

test("an interrupt during the last judging is not lost: the work goes on with its words", async () => {
  let spoken = false;
  const work = await openWork({
    worker: reports(2),
    judge: [
      () => {
        if (!spoken) work.stage.runtime.interrupt("in French, please");
        spoken = true;
        return verdict(["passed"]);
      },
      "That is it.",
      ...handIn(verdict(["passed"])),
    ],
  });
  await work.run();
  expect(work.stage.prompt("worker", 1)).toContain("in French, please");
});
