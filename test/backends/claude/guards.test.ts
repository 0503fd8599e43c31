import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { permissionGuard } from "../../../src/guards/permission.ts";
import { whitelistGuard } from "../../../src/guards/whitelist.ts";
import type { PendingCall } from "../../../src/runner/approval.ts";
import type { CallGuard } from "../../../src/tools/call.ts";
import { tool } from "../../../src/tools/tool.ts";
import { openDesk } from "./desk.ts";
import { needsSdk } from "./needs-sdk.ts";

needsSdk();

function resultsOf(events: readonly { readonly kind: string; readonly text: string }[]): readonly string[] {
  return events.flatMap(({ kind, text }) => (kind === "tool_result" ? [text] : []));
}

const step = tool({ name: "step", description: "A step.", parameters: { type: "object" }, execute: () => "stepped" });

test("a whitelist holds for every tool, ours and the CLI's; the model reads why", async () => {
  const desk = await openDesk(
    [
      { calls: [{ name: "Bash", args: { command: "touch made" } }, { name: "step" }, { name: "Read", args: { file_path: "a.txt" } }] },
      "ok",
    ],
    { tools: ["Bash", "Read", step], guards: [whitelistGuard(["Read"])] },
  );
  await desk.write("a.txt", "alpha");
  const { events, outcome } = await desk.run();
  expect(outcome?.kind).toBe("done");
  const refusals = resultsOf(events).filter((text) => text.includes("not available to this agent, on purpose"));
  expect(refusals).toHaveLength(2);
  expect(resultsOf(events)).toContain("1\talpha");
  expect(existsSync(join(desk.folder, "made"))).toBe(false);
  expect(JSON.stringify(desk.server.asked[1]?.messages)).toContain("not available to this agent, on purpose");
});

test("the same permission rules decide, and the same person is asked", async () => {
  const asked: string[] = [];
  const answers: ("allow" | "deny")[] = ["allow", "deny"];
  const desk = await openDesk(
    [
      { calls: [{ name: "Bash", args: { command: "touch first" } }] },
      { calls: [{ name: "Bash", args: { command: "touch second" } }] },
      { calls: [{ name: "Write", args: { file_path: "third", content: "x" } }] },
      "ok",
    ],
    { tools: ["Bash", "Write"] },
  );
  const guard = permissionGuard({
    permissions: { mode: "default", deny: ["Write(third)"] },
    workspace: desk.folder,
    addDirs: [],
    ask: async ({ detail }) => {
      asked.push(detail);
      return answers.shift() ?? "nobody";
    },
  });
  const { events } = await desk.run({ guards: [guard] });
  expect(asked).toEqual(["touch first", "touch second"]);
  expect(["first", "second", "third"].map((name) => existsSync(join(desk.folder, name)))).toEqual([true, false, false]);
  expect(resultsOf(events)[1]).toContain("A person refused this call");
  expect(resultsOf(events)[2]).toContain("the rule Write(third) forbids it");
});

test("a call that its tool wants consent for goes to the person, with what it was made with", async () => {
  const asked: PendingCall[] = [];
  const risky = tool({
    name: "risky",
    description: "Does it.",
    parameters: { type: "object", properties: { n: { type: "number" } } },
    needsApproval: true,
    execute: () => "did it",
  });
  const desk = await openDesk([{ calls: [{ name: "risky", args: { n: 1 } }] }, { calls: [{ name: "risky", args: { n: 2 } }] }, "ok"], {
    tools: [risky],
  });
  const { events } = await desk.run({
    approve: async (call) => {
      asked.push(call);
      return { approve: asked.length === 1, reason: "once is enough" };
    },
  });
  expect(asked.map(({ name, args, agent }) => ({ name, args, agent }))).toEqual([
    { name: "risky", args: { n: 1 }, agent: "worker" },
    { name: "risky", args: { n: 2 }, agent: "worker" },
  ]);
  expect(resultsOf(events)[0]).toBe("did it");
  expect(resultsOf(events)[1]).toContain("once is enough");
});

test("a guard after a call sees the outcome, and may replace that of a command and of our own tools", async () => {
  const seen: string[] = [];
  const shorten: CallGuard = {
    after(call, outcome) {
      seen.push(call.name);
      return { ...outcome, content: [{ type: "text", text: `short ${call.name}` }] };
    },
  };
  const desk = await openDesk(
    [
      { calls: [{ name: "Bash", args: { command: "echo long" } }] },
      { calls: [{ name: "step" }] },
      { calls: [{ name: "Bash", args: { command: "exit 3" } }] },
      "ok",
    ],
    { tools: ["Bash", step] },
  );
  const { events } = await desk.run({ guards: [shorten] });
  expect(seen).toEqual(["Bash", "step", "Bash"]);
  expect(resultsOf(events).slice(0, 2)).toEqual(["short Bash", "short step"]);
});

test("a guard that throws fails the query, and nothing of the call is done", async () => {
  const desk = await openDesk([{ calls: [{ name: "Bash", args: { command: "touch made" } }] }, "no"], { tools: ["Bash"] });
  const guard: CallGuard = {
    before() {
      throw new Error("the guard is broken");
    },
  };
  const { error } = await desk.run({ guards: [guard] });
  expect(error).toMatchObject({ message: "the guard is broken" });
  expect(existsSync(join(desk.folder, "made"))).toBe(false);
});

test("tools of a channel keep their names, and a waiting question holds the query", async () => {
  const { HumanChannel } = await import("../../../src/human/channel.ts");
  const channel = new HumanChannel({ timeoutMs: null });
  const desk = await openDesk(
    [{ calls: [{ name: "mcp__human__ask", args: { question: "Which one?" } }] }, { calls: [{ name: "mcp__human__inbox" }] }, "ok"],
    { tools: channel.tools },
  );
  channel.send("mind the gap");
  const answering = channel.nextAsk().then((ask) => channel.answer(ask?.id ?? "", "the left one"));
  const { events } = await desk.run();
  await answering;
  expect(events.filter(({ kind }) => kind === "tool_call").map(({ tool }) => tool)).toEqual(["mcp__human__ask", "mcp__human__inbox"]);
  expect(resultsOf(events)[0]).toContain("the left one");
  expect(resultsOf(events)[1]).toContain("mind the gap");
  expect(desk.server.asked[0]?.tools).toEqual(["mcp__human__ask", "mcp__human__inbox"]);
});

test("credentials that are not the CLI's own do not reach it", async () => {
  const { cliEnvironment } = await import("../../../src/backends/claude/query-options.ts");
  const env = cliEnvironment({
    PATH: "/bin",
    GITHUB_TOKEN: "t",
    OPENAI_API_KEY: "k",
    ANTHROPIC_API_KEY: "a",
    CLAUDE_CODE_MAX_RETRIES: "7",
  });
  expect(env).toMatchObject({ PATH: "/bin", ANTHROPIC_API_KEY: "a", CLAUDE_CODE_MAX_RETRIES: "7" });
  expect(Object.keys(env)).not.toContain("GITHUB_TOKEN");
  expect(Object.keys(env)).not.toContain("OPENAI_API_KEY");
});
