import { expect, onTestFinished, test } from "vitest";
import { Agent } from "../../../src/agents/agent.ts";
import { claudeBackend } from "../../../src/backends/claude/index.ts";
import type { Event } from "../../../src/messages/event.ts";
import { Runtime } from "../../../src/runtime/runtime.ts";
import { tool } from "../../../src/tools/tool.ts";
import { newFolder } from "../../folder.ts";
import { MODEL } from "./desk.ts";
import { isolatedEnvironment } from "./isolated-environment.ts";
import { type ModelScript, serveMessages } from "./messages-server.ts";
import { needsSdk } from "./needs-sdk.ts";
import { SDK } from "./sdk-file.ts";

needsSdk();

interface Place {
  readonly folder: string;
  readonly home: string;
}

async function openRuntime(script: ModelScript, place: Place) {
  const server = await serveMessages(script);
  const backend = claudeBackend({ env: isolatedEnvironment(place.home, server.url), ...(SDK === undefined ? {} : { sdk: SDK }) });
  const runtime = new Runtime({ workspace: place.folder, backend, resilience: { delayMs: 1 } });
  onTestFinished(async () => {
    await runtime.close();
    await server[Symbol.asyncDispose]();
  });
  return { server, runtime };
}

function newPlace(): Place {
  return { folder: newFolder(), home: newFolder() };
}

const step = tool({ name: "step", description: "A step.", parameters: { type: "object" }, execute: () => "stepped" });
const agent = new Agent({ name: "worker", model: MODEL, tools: [step, "Write"] });

test("an overload in mid-work is tried again in the same session, and the error is nowhere in the result", async () => {
  let down = true;
  const script: ModelScript = (request) => {
    const text = JSON.stringify(request.messages);
    if (!text.includes("stepped")) return { text: "on", calls: [{ name: "step" }] };
    if (!down) return "done";
    down = false;
    return { status: 529, type: "overloaded_error", message: "Overloaded" };
  };
  const { runtime } = await openRuntime(script, newPlace());
  const events: Event[] = [];
  const result = await runtime.run(agent, "go", { onEvent: (event) => events.push(event) });
  expect(result).toMatchObject({ ok: true, text: "done", attempts: 2, resumed: false });
  expect(events.filter(({ kind }) => kind === "retry")).toHaveLength(1);
  expect(result.numIterations).toBe(2);
});

test("a person's words at an interrupt reach the same session, and no attempt is used up", async () => {
  const stop = tool({
    name: "stop",
    description: "The person presses the button while it runs.",
    parameters: { type: "object" },
    execute: () => {
      runtime.interrupt("do it otherwise");
      return "stopped";
    },
  });
  const { runtime, server } = await openRuntime([{ calls: [{ name: "stop" }] }, "as you say"], newPlace());
  const result = await runtime.run(agent.with({ tools: [stop] }), "go");
  expect(result).toMatchObject({ ok: true, text: "as you say", attempts: 1 });
  const read = JSON.stringify(server.asked[1]?.messages);
  expect(read).toContain("stopped");
  expect(read).toContain("do it otherwise");
});

test("another process goes on in the session, and permissions hold: inside the workspace without asking, outside not at all", async () => {
  const place = newPlace();
  const outside = `${newFolder()}/x`;
  const first = await openRuntime(
    [
      {
        calls: [
          { name: "Write", args: { file_path: "made.txt", content: "x" } },
          { name: "Write", args: { file_path: outside, content: "x" } },
        ],
      },
      "one",
    ],
    place,
  );
  const results: string[] = [];
  const worker = agent.with({ permissions: { mode: "acceptEdits" } });
  const begun = await first.runtime.run(worker, "go", { onEvent: (event) => event.kind === "tool_result" && results.push(event.text) });
  expect(begun.ok).toBe(true);
  expect(results.filter((text) => text.includes("nobody is there to give it"))).toHaveLength(1);
  expect(results).toHaveLength(2);
  await first.runtime.close();
  const second = await openRuntime(["two"], place);
  const result = await second.runtime.run(worker, "and now?", { resume: begun.sessionId });
  expect(result).toMatchObject({ ok: true, text: "two", resumed: true, sessionId: begun.sessionId });
  expect(JSON.stringify(second.server.asked[0]?.messages)).toContain("and now?");
});

test("a budget that is used up stops the step, and its cost is known", async () => {
  const { runtime, server } = await openRuntime(() => ({ calls: [{ name: "step" }], usage: { input: 100_000 } }), newPlace());
  const result = await runtime.run(agent.with({ limits: { maxBudgetUsd: 0.5 } }), "go");
  expect(result).toMatchObject({ ok: false, errorKind: "budget" });
  expect(result.costUsd).toBeGreaterThan(0.5);
  expect(result.costUsd).toBeLessThan(0.7);
  expect(server.asked).toHaveLength(2);
});
