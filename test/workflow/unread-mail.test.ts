import { expect, test } from "vitest";
import type { ScriptedReply } from "../../src/engines/scripted.ts";
import { textOf } from "../../src/messages/message.ts";
import { starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { brief, goal, handIn, verdict } from "./lines.ts";
import { openStage, type Stage } from "./stage.ts";
import { openWork, reports, type Work } from "./work.ts";

const passed = handIn(verdict(["passed"]));
const LOOK: ScriptedReply = { calls: [{ name: "Glob", args: { pattern: "*" } }] };
const heardBy = (stage: Stage, role: "worker" | "judge") => stage.requests(role).map(({ messages }) => messages.map(textOf).join("\n"));

test("mail that the worker was told of and did not read comes to it, word by word, before anything is judged", async () => {
  const speaking = async () => {
    await work.channel.send("in French, please");
    return LOOK;
  };
  const work: Work = await openWork({ worker: [speaking, "done", "done in French"], judge: passed }, { rounds: 1 });
  await work.run();
  expect(heardBy(work.stage, "worker").map((said) => said.includes("in French, please"))).toEqual([false, false, true]);
  expect(heardBy(work.stage, "judge")[0]).toContain("done in French");
  expect(work.stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved"); // the only round was not used up by it
});

test("what is said while the work is judged not yet done goes back with what is missing", async () => {
  const judging = async () => {
    await work.channel.send("in French, please");
    return verdict(["failed"]);
  };
  const work: Work = await openWork({ worker: reports(2), judge: [judging, "That is it.", ...passed] });
  await work.run();
  expect(work.stage.prompt("worker", 1)).toMatch(/in French, please[\s\S]*not reached yet/);
  expect(heardBy(work.stage, "judge")).toHaveLength(4);
});

test("mail is not said to have reached the agent before its words are in a request of it", async () => {
  const folder = newFolder();
  const flow = starterFlow("make a greeting", { workspace: folder, timeoutMs: 0 });
  const speaking = async () => {
    await flow.channel.send("in French, please");
    return goal([{ text: "it says hello" }]);
  };
  const cast = { clarifier: handIn(brief()), goalSetter: [speaking, "That is it.", "No change."], worker: ["done"], judge: passed };
  const stage = openStage(cast, { workbench: flow.workbench }, folder);
  await stage.run(flow);
  const delivered = stage.events.findIndex(
    (event) => event.kind === "ask" && event.payload.kind === "mail" && event.payload.state === "delivered",
  );
  const begins = stage.events.findIndex((event) => event.kind === "step" && event.text === "work");
  expect(delivered).toBeGreaterThan(begins);
  expect(heardBy(stage, "worker")).toEqual([expect.stringContaining("in French, please")]);
  expect(stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
});
