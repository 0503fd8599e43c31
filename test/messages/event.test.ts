import { expect, test } from "vitest";
import { EVENT_KINDS, eventToString, makeEvent } from "../../src/messages/event.ts";

const speech = { agent: "worker", iteration: 1 } as const;
const secret = { connection: "open", self: undefined as unknown };
secret.self = secret; // not even JSON-safe

test("raw is there for who asks, and no copy or serialisation carries it", () => {
  const event = makeEvent("text", "hello", speech, { raw: secret });
  expect(event.raw).toBe(secret);
  expect(Object.keys(event)).toEqual(["kind", "text", "tool", "payload"]);
  expect(JSON.parse(JSON.stringify(event))).toEqual({ kind: "text", text: "hello", tool: "", payload: speech });
  expect({ ...event }).not.toHaveProperty("raw");
  expect(structuredClone(event)).not.toHaveProperty("raw");
  expect(Object.assign({}, event)).not.toHaveProperty("raw");
});

test("without raw there is none", () => {
  expect("raw" in makeEvent("text", "hello", speech)).toBe(false);
});

test("the tool stands in a tool call only", () => {
  expect(makeEvent("tool_call", "ls", { ...speech, id: "c1", input: {} }, { tool: "Bash" }).tool).toBe("Bash");
  expect(makeEvent("text", "hello", speech).tool).toBe("");
});

test.each([
  ["a tool call", { kind: "tool_call", text: "ls -l", tool: "Bash" }, "[Bash] ls -l"],
  ["a tool call without a summary", { kind: "tool_call", text: "", tool: "Bash" }, "[Bash] "],
  ["a text", { kind: "text", text: "hello", tool: "" }, "hello"],
  ["an empty text", { kind: "text", text: "", tool: "" }, "<text>"],
  ["a notice without words", { kind: "reset", text: "", tool: "" }, "<reset>"],
] as const)("%s reads as a line", (_what, event, line) => {
  expect(eventToString(event)).toBe(line);
});

test("the kinds are the fifteen of the boundary, then ours, none twice", () => {
  expect(EVENT_KINDS.slice(0, 15)).toEqual(
    "text thinking prompt tool_call tool_result result error reset system task unknown ask retry step handoff".split(" "),
  );
  expect(EVENT_KINDS.slice(15)).toEqual(["transfer", "delta"]);
  expect(new Set(EVENT_KINDS).size).toBe(EVENT_KINDS.length);
});
