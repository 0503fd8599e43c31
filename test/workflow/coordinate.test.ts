import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RecordedRequest, ScriptedCall, ScriptedReply } from "../../src/engines/scripted.ts";
import { type ResultPart, resultText, textOf } from "../../src/messages/message.ts";
import { failedAt, verdictOf } from "../../src/workflow/ctx.ts";
import { starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { brief, goal, handIn, verdict } from "./lines.ts";
import { openStage, roleOf } from "./stage.ts";

const task = (file: string): ScriptedCall => ({
  name: "Agent",
  args: { description: `write ${file}`, prompt: `Write ${file}. Report its path.`, subagent_type: "worker" },
});
const write = (file_path: string): ScriptedReply => ({ calls: [{ name: "Write", args: { file_path, content: "hello\n" } }] });
const said = ({ messages }: RecordedRequest) => messages.map((message) => textOf(message)).join("\n");
const replies = ({ messages }: RecordedRequest) => messages.filter(({ role }) => role === "model").length;

function results({ messages }: RecordedRequest): readonly string[] {
  return (messages.at(-1)?.parts ?? [])
    .filter((part): part is ResultPart => part.type === "result")
    .map((part) => resultText(part.content));
}

/** Each of two workers waits, in its first reply, until the other has begun: they get on only side by side. */
function pair() {
  const begun: (() => void)[] = [];
  return async () => {
    await new Promise<void>((resolve) => {
      begun.push(resolve);
      if (begun.length === 2) for (const go of begun) go();
    });
  };
}

test("a coordinator hands two tasks on at the same time; its workers write, it cannot; and the work is judged", async () => {
  const workspace = newFolder();
  const bothBegun = pair();
  const lines = {
    clarifier: handIn(brief()),
    goalSetter: handIn(goal([{ text: "a.txt and b.txt say hello" }])),
    judge: handIn(verdict(["passed"])),
  };
  const coordinated: readonly ScriptedReply[] = [write("c.txt"), { calls: [task("a.txt"), task("b.txt")] }, { text: "Both are written." }];
  const coordinator: RecordedRequest[] = [];
  const next = { clarifier: 0, goalSetter: 0, judge: 0 };
  const workflow = starterFlow("write two greetings", { workspace, timeoutMs: 0, coordinate: true });
  const stage = openStage(
    async (request) => {
      const role = roleOf(request);
      if (role !== "worker") return lines[role][next[role]++] as ScriptedReply;
      if (request.tools.some(({ name }) => name === "Agent")) {
        coordinator.push(request);
        return coordinated[coordinator.length - 1] ?? "?";
      }
      const file = /Write (\w\.txt)/.exec(said(request))?.[1] ?? "?";
      if (replies(request) > 0) return `${file} is written.`;
      await bothBegun();
      return write(file);
    },
    { workbench: workflow.workbench },
    workspace,
  );
  const ctx = await stage.run(workflow);
  expect([failedAt(ctx), verdictOf(ctx)?.state]).toEqual([undefined, "achieved"]);
  expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("hello\n");
  expect(readFileSync(join(workspace, "b.txt"), "utf8")).toBe("hello\n");
  expect(existsSync(join(workspace, "c.txt"))).toBe(false);
  const [first, refused, reported] = coordinator as [RecordedRequest, RecordedRequest, RecordedRequest];
  expect(first.tools.map(({ name }) => name).toSorted()).toEqual(
    ["Agent", "Bash", "Read", "TodoWrite", "mcp__human__ask", "mcp__human__inbox", "handoff_document"].toSorted(),
  );
  expect(said(first)).toContain(workflow.workbench.briefPath());
  expect(results(refused)[0]).toContain("not available to this agent, on purpose");
  expect(results(reported)).toEqual(["a.txt is written.", "b.txt is written."]);
});

test("its workers may ask the person, and leave the inbox to it", () => {
  const workflow = starterFlow("x", { workspace: newFolder(), coordinate: true });
  const { agent } = workflow.steps.at(-1)?.options ?? {};
  const names = typeof agent === "object" ? agent.subagents[0]?.tools.map((item) => (typeof item === "string" ? item : item.name)) : [];
  expect(names).toContain("mcp__human__ask");
  expect(names).not.toContain("mcp__human__inbox");
});
