import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { HumanChannel } from "../../src/human/channel.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { abortedBecause, failedAt, roundsOf } from "../../src/workflow/ctx.ts";
import { Step } from "../../src/workflow/step.ts";
import { withGoal } from "../../src/workflow/with-goal.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { goal, handIn, verdict } from "./lines.ts";
import { openWork, reports, type Work } from "./work.ts";

const achieved = handIn(verdict(["passed"]));
const notYet = handIn(verdict(["failed"]));
const unreachable = handIn(verdict(["failed"], { impossible: "there is no X" }));
const [ACCEPT, CHANGE, WRONG] = ["Accept this result and go on", "Change the goal", "You judged wrongly, go on working"] as const;

/** The second round is judged unreachable. */
const judged = (after: readonly unknown[]) => [...notYet, ...unreachable, ...(after as typeof achieved)];

describe.each([
  ["in the middle", 3],
  ["in the last round", 2],
])("unreachable %s", (_where, rounds) => {
  test("accept: no further round, exit code 0", async () => {
    const work = await openWork({ worker: reports(2), judge: judged([]) }, { rounds, answers: [ACCEPT] });
    const ctx = await work.run();
    expect([failedAt(ctx), roundsOf(ctx), ctx["work"]]).toEqual([undefined, 2, "report 2"]);
    expect(work.stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "achieved", exitCode: 0 });
    expect(work.channel.asks[0]).toMatchObject({ state: "answered", answer: ACCEPT });
  });

  test("change: the new goal stands beside the old words, and another round is made and judged by it", async () => {
    const goalSetter = handIn(goal([{ text: "it says goodbye" }]));
    const work = await openWork({ worker: reports(3), judge: judged(achieved), goalSetter }, { rounds, answers: [CHANGE, "say goodbye"] });
    const ctx = await work.run();
    expect(await readFile(work.goalPath, "utf8")).toContain("greeting.txt says hello\n\nChanged by the person: say goodbye\n");
    expect(work.stage.prompt("worker", 2)).toContain("The person says:\n\nsay goodbye\n");
    expect(work.stage.prompt("judge", 4)).toContain("1. it says goodbye");
    expect([failedAt(ctx), roundsOf(ctx)]).toEqual([undefined, 3]);
  });

  test.each([
    ["you are wrong", WRONG],
    ["free text", "look in /opt"],
    ["an option with a condition", `${ACCEPT}, but mend the title first`],
    ["another option in other letters", CHANGE.toUpperCase()],
    ["an option with a full stop", `${ACCEPT}.`],
    ["a number with words", "1. but mend the title first"],
    ["a number as text", "1."],
    ["the key of an option", "goal.accept"],
  ])("%s is no acceptance: the words go back, word for word, and another round is made", async (_what, answer) => {
    const work = await openWork({ worker: reports(3), judge: judged(achieved) }, { rounds, answers: [answer] });
    const ctx = await work.run();
    expect(work.stage.prompt("worker", 2)).toContain(`The person says:\n\n${answer}\n\nAn independent judge looked at your work.`);
    expect([failedAt(ctx), roundsOf(ctx), work.questions.length]).toEqual([undefined, 3, 1]);
  });

  test("unreachable again after a granted round: asked again, and granted again", async () => {
    const work = await openWork(
      { worker: reports(4), judge: [...judged(unreachable), ...achieved] },
      { rounds, answers: ["look in /opt", "look in /usr"] },
    );
    const ctx = await work.run();
    expect(work.stage.prompt("worker", 3)).toContain("look in /usr");
    expect([failedAt(ctx), roundsOf(ctx), work.questions.length]).toEqual([undefined, 4, 2]);
  });

  test.each([
    ["nobody is there", undefined],
    ["the person declines", [undefined]],
    ["the person wants another goal and does not say which", [CHANGE, undefined]],
  ])("%s: the run stops at once, and says why", async (_what, answers) => {
    const work = await openWork({ worker: reports(2), judge: judged([]) }, { rounds, answers });
    const ctx = await work.run();
    expect([failedAt(ctx), roundsOf(ctx)]).toEqual(["work", 2]);
    expect(abortedBecause(ctx)).toMatch(/^The goal was judged unreachable and nobody was there to decide: /);
  });

  test("somebody is there but does not answer in time: the run stops then, not before", async () => {
    const clock = new FakeClock();
    const bare = await openWork({ worker: reports(2), judge: judged([]) });
    const work: Work = { ...bare, channel: new HumanChannel({ timeoutMs: 60_000, clock }) };
    const states: string[] = [];
    work.channel.onEvent = (event) => {
      if (event.kind !== "ask") return;
      states.push(event.payload.state);
      if (event.payload.state !== "asked") return;
      void clock.advance(59_999).then(() => {
        states.push(`${work.channel.pending().length} waiting`);
        return clock.advance(1);
      });
    };
    const step = withGoal(new Step("work", { agent: worker(), prompt: "go" }), work.channel, { goalPath: work.goalPath, rounds });
    const ctx = await work.stage.run(new Workflow([step], { channel: work.channel }));
    expect(states).toEqual(["asked", "1 waiting", "timeout"]);
    expect([failedAt(ctx), abortedBecause(ctx)]).toEqual(["work", expect.stringMatching(/nobody was there to decide: there is no X/)]);
  });
});

test("a granted round is one: not yet reached in it, and no round left, the run has failed", async () => {
  const work = await openWork({ worker: reports(3), judge: judged(notYet) }, { rounds: 2, answers: ["look in /opt"] });
  const ctx = await work.run();
  expect([failedAt(ctx), roundsOf(ctx)]).toEqual(["work", 3]);
  expect(abortedBecause(ctx)).toMatch(/^the goal was not reached in 3 rounds/);
});
