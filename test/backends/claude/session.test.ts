import { expect, test } from "vitest";
import { tool } from "../../../src/tools/tool.ts";
import { inShort, openDesk } from "./desk.ts";
import type { ModelRequest } from "./messages-server.ts";
import { needsSdk } from "./needs-sdk.ts";

needsSdk();

const step = tool({ name: "step", description: "A step.", parameters: { type: "object" }, execute: () => "stepped" });

/** What the model was told, the CLI's own reminders left out. */
function told(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).flatMap(({ role, content }) => {
    const blocks = (typeof content === "string" ? [{ type: "text", text: content }] : content) as readonly Record<string, unknown>[];
    return blocks.flatMap((block) => {
      if (block["type"] === "text")
        return String(block["text"]).startsWith("<system-reminder>") ? [] : [`${role}: ${String(block["text"])}`];
      return [`${role}: [${String(block["type"])}]`];
    });
  });
}

test("a session goes on where it was, in another process, and spends only what is new", async () => {
  const desk = await openDesk([{ text: "first", calls: [{ name: "step" }] }, "one"], { tools: [step] });
  expect(await desk.backend.hasSession("s1")).toBe(false);
  await desk.run();
  expect(await desk.backend.hasSession("s1")).toBe(true);
  const later = await openDesk(["two"], { tools: [step] }, desk);
  expect(await later.backend.hasSession("s1")).toBe(true);
  const { outcome, events } = await later.run({ prompt: "and now?", resume: true });
  expect(outcome).toEqual({ kind: "done", text: "two" });
  expect(told(later.server.asked[0])).toEqual([
    "user: go",
    "assistant: first",
    "assistant: [tool_use]",
    "user: [tool_result]",
    "assistant: one",
    "user: and now?",
  ]);
  expect(events.at(-1)?.payload).toMatchObject({ sessionId: "s1", numIterations: 1, usage: { inputTokens: 10, outputTokens: 5 } });
  expect(later.started()).toBe(1);
});

test("a fork begins as a copy, up to the given iteration, and leaves the other session as it was", async () => {
  const desk = await openDesk([{ text: "first", calls: [{ name: "step" }] }, "one", "copied", "cut"], { tools: [step] });
  await desk.run();
  await desk.run({ sessionId: "s2", prompt: "in the copy", fork: { from: "s1" } });
  expect(told(desk.server.asked[2])).toEqual([
    "user: go",
    "assistant: first",
    "assistant: [tool_use]",
    "user: [tool_result]",
    "assistant: one",
    "user: in the copy",
  ]);
  await desk.run({ sessionId: "s3", prompt: "earlier", fork: { from: "s1", at: 1 } });
  expect(told(desk.server.asked[3])).toEqual([
    "user: go",
    "assistant: first",
    "assistant: [tool_use]",
    "user: [tool_result]",
    "user: earlier",
  ]);
  expect(desk.started()).toBe(3);
  await expect(desk.run({ sessionId: "s4", fork: { from: "s1", at: 9 } })).resolves.toMatchObject({ error: { code: "not-found" } });
  await expect(desk.run({ sessionId: "s5", fork: { from: "none" } })).resolves.toMatchObject({ error: { code: "not-found" } });
});

test("an interrupt during tools stops after their results, before the next model call; the same session goes on with the words", async () => {
  let interrupted = false;
  const ringing = tool({
    name: "ringing",
    description: "The person presses the button while it runs.",
    parameters: { type: "object" },
    execute: () => {
      interrupted = true;
      return "rung";
    },
  });
  const desk = await openDesk([{ calls: [{ name: "ringing" }] }, "as you say"], { tools: [ringing] });
  const steering = { interrupted: () => interrupted, overBudget: () => undefined, contextFull: () => false, notice: () => undefined };
  const first = await desk.run({ steering });
  expect(first.outcome).toEqual({ kind: "interrupted", text: "" });
  expect(inShort(first.events).slice(-2)).toEqual(["tool_result: rung", "result: "]);
  expect(desk.server.asked).toHaveLength(1);
  const { outcome } = await desk.run({ prompt: "do it otherwise", promptFrom: "person", resume: true });
  expect(outcome).toEqual({ kind: "done", text: "as you say" });
  expect(told(desk.server.asked[1])).toEqual(["user: go", "assistant: [tool_use]", "user: [tool_result]", "user: do it otherwise"]);
});

test("a query that was interrupted before it began asks the model nothing", async () => {
  const desk = await openDesk([]);
  const steering = { interrupted: () => true, overBudget: () => undefined, contextFull: () => false, notice: () => undefined };
  const { outcome, events } = await desk.run({ steering });
  expect(outcome?.kind).toBe("interrupted");
  expect(inShort(events)).toEqual(["prompt: go", "result: "]);
  expect(desk.started()).toBe(0);
});

test("a notice reaches the model with the next call", async () => {
  const notices = [undefined, "mail has come"];
  const desk = await openDesk([{ calls: [{ name: "step" }] }, "read"], { tools: [step] });
  const steering = { interrupted: () => false, overBudget: () => undefined, contextFull: () => false, notice: () => notices.shift() };
  await desk.run({ steering });
  expect(JSON.stringify(desk.server.asked[0]?.messages)).not.toContain("mail has come");
  expect(JSON.stringify(desk.server.asked[1]?.messages)).toContain("mail has come");
});

test("two queries of one session do not run at the same time", async () => {
  const desk = await openDesk([() => new Promise<never>(() => {})]);
  const abort = new AbortController();
  const first = desk.run({ signal: abort.signal });
  await expect.poll(() => desk.server.asked.length, { timeout: 20_000 }).toBe(1);
  const second = await desk.run();
  expect(second.error).toMatchObject({ code: "session-busy" });
  expect(second.events.at(-1)?.kind).toBe("result");
  abort.abort("enough");
  await first;
});
