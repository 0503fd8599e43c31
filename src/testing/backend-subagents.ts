import assert from "node:assert/strict";
import { Agent } from "../agents/agent.ts";
import { whitelistGuard } from "../guards/whitelist.ts";
import { tool } from "../tools/tool.ts";
import type { ModelView } from "./backend-model.ts";
import { type BackendCase, type BackendStage, expectPlayed, QUIET } from "./backend-stage.ts";

const look = tool({ name: "look", description: "Looks.", parameters: { type: "object" }, execute: (_args, { path }) => path.join(" > ") });

/** Agents below an agent. */
export const subagentCases: readonly BackendCase[] = [
  {
    name: "a subagent's task, speech and calls are marked; its words are not the outcome's, and what it spends is the query's",
    guarantee: 8,
    async run(stage) {
      stage.says(delegating);
      const played = await stage.play({ agent: stage.agent({ subagents: [helperOf(stage)] }) });
      expectPlayed(
        played,
        [
          "0 prompt: go",
          "1 text: look, please",
          "1 tool_call Agent: a look",
          "0 helper> prompt: look at it",
          "0 helper> text: I look",
          "0 helper> tool_call look: ",
          "0 helper> tool_result look: worker > helper",
          "0 helper> thinking: enough",
          "0 helper> text: I saw it",
          "1 tool_result Agent: I saw it",
          "2 text: all done",
          "2 result: all done (4 iterations, 9020 in, 20 out)",
        ],
        { kind: "done", text: "all done" },
      );
      const start = played.events.find((event) => event.kind === "tool_call" && event.tool === "Agent");
      const parents = played.events.flatMap(({ payload }) => ("parentToolUseId" in payload ? [payload.parentToolUseId] : []));
      assert.deepEqual(new Set(parents), new Set([start?.kind === "tool_call" ? start.payload.id : "no call"]));
    },
  },
  {
    name: "a subagent's context level is not the main thread's, and its guards are its own",
    guarantee: 8,
    async run(stage) {
      const levels: number[] = [];
      const lines: string[] = [];
      stage.says(delegating);
      const { events, outcome } = await stage.play({
        agent: stage.agent({ subagents: [helperOf(stage)] }),
        steering: { ...QUIET, contextFull: (context) => levels.push(context) < 0 },
        guardsFor: (line) => {
          lines.push(line.map(({ name }) => name).join(" > "));
          return [whitelistGuard(["Read"])];
        },
      });
      assert.deepEqual([levels, outcome?.text], [[0, 10], "all done"]);
      assert.deepEqual(new Set(lines), new Set(["worker > helper"]));
      const refused = events.find((event) => event.kind === "tool_result" && event.payload.subagent === "helper");
      assert.ok(refused?.kind === "tool_result" && refused.payload.isError, "the guards of its line decide about its calls");
    },
  },
  {
    name: "a subagent that is not declared is refused, and the model reads which there are",
    guarantee: 8,
    async run(stage) {
      const call = { name: "Agent", args: { description: "d", prompt: "p", subagent_type: "explorer" } };
      stage.says([{ calls: [call] }, "done"]);
      const { events, outcome } = await stage.play({ agent: stage.agent({ subagents: [helperOf(stage)] }) });
      const result = events.find((event) => event.kind === "tool_result");
      assert.ok(result?.kind === "tool_result" && result.payload.isError);
      assert.match(result.text, /helper/);
      assert.equal(outcome?.text, "done");
    },
  },
];

function helperOf({ fixture: { model } }: BackendStage): Agent {
  return new Agent({
    name: "helper",
    description: "Looks at things.",
    instructions: "You are the helper.",
    tools: [look],
    ...(model === undefined ? {} : { model }),
  });
}

function delegating({ system, heard }: ModelView) {
  const isBack = heard.some(({ from }) => from === "tool");
  if (system.includes("You are the helper.")) {
    if (isBack) return { thinking: "enough", text: "I saw it", usage: { input: 5000 } };
    return { text: "I look", calls: [{ name: "look" }], usage: { input: 4000 } };
  }
  if (isBack) return "all done";
  const args = { description: "a look", prompt: "look at it", subagent_type: "helper" };
  return { text: "look, please", calls: [{ name: "Agent", args }] };
}
