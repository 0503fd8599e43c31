import assert from "node:assert/strict";
import type { Permissions } from "../agents/agent.ts";
import { permissionGuard } from "../guards/permission.ts";
import { whitelistGuard } from "../guards/whitelist.ts";
import type { PendingCall } from "../runner/approval.ts";
import { tool } from "../tools/tool.ts";
import { step, steps } from "./backend-calls.ts";
import { shownIn } from "./backend-model.ts";
import { type BackendCase, type BackendStage, expectHolds, type Played } from "./backend-stage.ts";

/** Who decides about a call before it runs. */
export const permissionCases: readonly BackendCase[] = [
  {
    name: "a whitelist holds for tools of every kind; nothing of a refused call is done, and the model reads why",
    guarantee: 9,
    async run(stage) {
      await stage.write("a.txt", "alpha\n");
      stage.says([
        { calls: [{ name: "Bash", args: { command: "touch made" } }] },
        steps(1),
        { calls: [{ name: "Read", args: { file_path: "a.txt" } }] },
        "done",
      ]);
      const agent = stage.agent({ tools: ["Bash", "Read", step], guards: [whitelistGuard(["Read"])] });
      const played = await stage.play({ agent });
      assert.deepEqual(failures(played), [true, true, false]);
      assert.equal(await stage.read("made"), undefined);
      const why = "is not available to this agent, on purpose. Available: Read.";
      expectHolds(shownIn(stage.asked[1]), `"Bash" ${why}`);
      expectHolds(shownIn(stage.asked[2]), `"step" ${why}`);
      assert.deepEqual(texts(played).slice(0, 2).map((text) => text.includes(why)), [true, true]); // biome-ignore format: one fact
    },
  },
  {
    name: "a rule that denies is obeyed, and one that asks asks the person, whose no is final",
    guarantee: 9,
    async run(stage) {
      const asked: string[] = [];
      const permissions: Permissions = { deny: ["Write(third)"] };
      const guard = permissionGuard({
        permissions,
        workspace: stage.fixture.workspace,
        addDirs: [],
        ask: async ({ detail }) => (asked.push(detail) === 1 ? "allow" : "deny"),
      });
      stage.says([
        { calls: [{ name: "Bash", args: { command: "touch first" } }] },
        { calls: [{ name: "Bash", args: { command: "touch second" } }] },
        { calls: [{ name: "Write", args: { file_path: "third", content: "x" } }] },
        "done",
      ]);
      const played = await stage.play({ agent: stage.agent({ tools: ["Bash", "Write"] }), guards: [guard] });
      assert.deepEqual(asked, ["touch first", "touch second"]);
      assert.deepEqual(failures(played), [false, true, true]);
      const files = await Promise.all(["first", "second", "third"].map((name) => stage.read(name)));
      assert.deepEqual(files, ["", undefined, undefined]);
      expectHolds(texts(played)[1], "A person refused this call");
      expectHolds(texts(played)[2], "the rule Write(third) forbids it");
    },
  },
  {
    name: "a call that its tool wants consent for goes to the person with what it was made with",
    guarantee: 9,
    async run(stage) {
      const asked: PendingCall[] = [];
      const ran: unknown[] = [];
      const risky = tool({
        name: "risky",
        description: "Does it.",
        parameters: { type: "object", properties: { n: { type: "number" } } },
        needsApproval: true,
        execute: ({ n }) => {
          ran.push(n);
          return "did it";
        },
      });
      stage.says([{ calls: [{ name: "risky", args: { n: 1 } }] }, { calls: [{ name: "risky", args: { n: 2 } }] }, "done"]);
      const played = await stage.play({
        agent: stage.agent({ tools: [risky] }),
        approve: async (call) => ({ approve: asked.push(call) === 1, reason: "once is enough" }),
      });
      const facts = asked.map(({ name, args, agent }) => ({ name, args, agent }));
      assert.deepEqual(facts, [1, 2].map((n) => ({ name: "risky", args: { n }, agent: "worker" }))); // biome-ignore format: one fact
      assert.deepEqual([ran, failures(played)], [[1], [false, true]]);
      expectHolds(shownIn(stage.asked[2]), "once is enough");
    },
  },
  {
    name: "a guard sees the outcome of every call, and may replace that of a command and of our tools",
    guarantee: 9,
    async run(stage) {
      const seen: string[] = [];
      const guard = {
        after({ name }: { readonly name: string }) {
          seen.push(name);
          return { content: [{ type: "text" as const, text: `short ${name}` }], isError: false };
        },
      };
      stage.says([{ calls: [{ name: "Bash", args: { command: "echo long" } }] }, steps(1), "done"]);
      const played = await stage.play({ agent: stage.agent({ tools: ["Bash", step] }), guards: [guard] });
      assert.deepEqual([seen, texts(played)], [["Bash", "step"], ["short Bash", "short step"]]); // biome-ignore format: one fact
      expectHolds(shownIn(stage.asked[1]), "short Bash");
      assert.ok(!shownIn(stage.asked[1]).includes("tool: long"));
    },
  },
  {
    name: "a guard that throws fails the query, and nothing of the call is done",
    guarantee: 9,
    async run(stage: BackendStage) {
      const guard = {
        before() {
          throw new Error("the guard is broken");
        },
      };
      stage.says([{ calls: [{ name: "Bash", args: { command: "touch made" } }] }, "no"]);
      const { error } = await stage.play({ agent: stage.agent({ tools: ["Bash"] }), guards: [guard] });
      expectHolds(String(error), "the guard is broken");
      assert.equal(await stage.read("made"), undefined);
      assert.equal(stage.asked.length, 1);
    },
  },
];

function failures({ events }: Played): readonly boolean[] {
  return events.flatMap((event) => (event.kind === "tool_result" ? [event.payload.isError] : []));
}

function texts({ events }: Played): readonly string[] {
  return events.flatMap((event) => (event.kind === "tool_result" ? [event.text] : []));
}
