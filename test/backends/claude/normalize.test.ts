import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { normalize } from "../../../src/backends/claude/index.ts";
import { EVENT_KINDS, type Event } from "../../../src/messages/event.ts";

const FIXTURES = new URL("./fixtures/", import.meta.url);

/** Recorded from the real CLI by `children/record.ts`. */
test.each(["tools", "refused", "subagent", "compacted", "overloaded", "no-key"])(
  "recorded messages give these events, byte for byte: %s",
  async (name) => {
    const lines = (await readFile(new URL(`${name}.jsonl`, FIXTURES), "utf8")).trimEnd().split("\n");
    const toolName = (tool: string) => tool.replace("mcp__flower__", "");
    const events = lines.flatMap((line) => normalize(JSON.parse(line), { agent: "worker", step: "work", iteration: 1, toolName }));
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    await expect(text).toMatchFileSnapshot(fileURLToPath(new URL(`${name}.events.jsonl`, FIXTURES)));
  },
);

const ORIGIN = { agent: "claude", iteration: 0 };

function plain(events: readonly Event[]): unknown {
  return JSON.parse(JSON.stringify(events));
}

function assistant(content: unknown, more: object = {}, inner: object = {}): object {
  return { type: "assistant", message: { role: "assistant", model: "m", content, ...inner }, parent_tool_use_id: null, ...more };
}

function user(content: unknown, more: object = {}): object {
  return { type: "user", message: { role: "user", content }, parent_tool_use_id: null, ...more };
}

const event = (kind: string, text: string, payload: object, tool = "") => ({ kind, text, tool, payload: { ...ORIGIN, ...payload } });
const apiError = "API Error: Connection error.";

const CASES: readonly (readonly [string, unknown, readonly object[]])[] = [
  [
    "an error by its model's name",
    assistant([{ type: "text", text: apiError }], {}, { model: "<synthetic>" }),
    [event("error", apiError, { synthetic: true, errorKind: "offline" })],
  ],
  [
    "an error by the SDK's flag",
    assistant([{ type: "text", text: "API Error: 500" }], { error: "server_error" }),
    [event("error", "API Error: 500", { synthetic: true, errorKind: "overloaded" })],
  ],
  [
    "an error by the transcript's flag",
    assistant([{ type: "text", text: "API Error: odd" }], { isApiErrorMessage: true }),
    [event("error", "API Error: odd", { synthetic: true })],
  ],
  [
    "prose that quotes an error is prose",
    assistant([{ type: "text", text: "API Error: they say" }]),
    [event("text", "API Error: they say", { model: "m" })],
  ],
  [
    "usage stands on the last of several blocks, the context on each",
    assistant(
      [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "so" },
      ],
      {},
      {
        usage: { input_tokens: 1, cache_read_input_tokens: 20, cache_creation_input_tokens: 300, output_tokens: 4 },
      },
    ),
    [
      event("thinking", "hm", { context: 321, model: "m" }),
      event("text", "so", {
        context: 321,
        model: "m",
        usage: { inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300, outputTokens: 4 },
      }),
    ],
  ],
  [
    "a call in one line: path before command before pattern",
    assistant([{ type: "tool_use", id: "t1", name: "X", input: { pattern: "p", command: "c", file_path: "f" } }]),
    [event("tool_call", "f", { id: "t1", input: { pattern: "p", command: "c", file_path: "f" }, model: "m" }, "X")],
  ],
  [
    "a call in one line: else the first short text",
    assistant([{ type: "tool_use", id: "t1", name: "X", input: { n: 1, long: "x".repeat(300), short: "s" } }]),
    [event("tool_call", "s", { id: "t1", input: { n: 1, long: "x".repeat(300), short: "s" }, model: "m" }, "X")],
  ],
  [
    "a result as a list",
    user([
      {
        type: "tool_result",
        tool_use_id: "t1",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]),
    [event("tool_result", "a\nb", { toolUseId: "t1", isError: false })],
  ],
  [
    "a long result is cut at 500",
    user([{ type: "tool_result", tool_use_id: "t1", content: "y".repeat(600), is_error: true }]),
    [event("tool_result", "y".repeat(500), { toolUseId: "t1", isError: true })],
  ],
  [
    "a result with an image",
    user([{ type: "tool_result", tool_use_id: "t1", content: [{ type: "image", source: { media_type: "image/png", data: "" } }] }]),
    [event("tool_result", "[image image/png]", { toolUseId: "t1", isError: false })],
  ],
  [
    "a result of nothing",
    user([{ type: "tool_result", tool_use_id: "t1" }]),
    [event("tool_result", "", { toolUseId: "t1", isError: false })],
  ],
  ["a prompt as text", user("do it"), [event("prompt", "do it", {})]],
  [
    "a subagent's task",
    user([{ type: "text", text: "look" }], { parent_tool_use_id: "t1", subagent_type: "helper" }),
    [event("prompt", "look", { subagent: "helper", parentToolUseId: "t1" })],
  ],
  [
    "a subagent that is not named",
    assistant([{ type: "text", text: "hi" }], { parent_tool_use_id: "t1" }),
    [event("text", "hi", { subagent: "subagent", parentToolUseId: "t1", model: "m" })],
  ],
  [
    "a compaction, in snake case",
    {
      type: "system",
      subtype: "compact_boundary",
      compact_metadata: { trigger: "manual", pre_tokens: 72, post_tokens: 445, duration_ms: 115 },
    },
    [event("reset", "compact_boundary", { trigger: "manual", preTokens: 72, postTokens: 445, micro: false, subtype: "compact_boundary" })],
  ],
  [
    "a compaction, in camel case",
    { type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 9, postTokens: 2 } },
    [event("reset", "compact_boundary", { trigger: "auto", preTokens: 9, postTokens: 2, micro: false, subtype: "compact_boundary" })],
  ],
  [
    "a micro-compaction",
    { type: "system", subtype: "microcompact_boundary", microcompactMetadata: { trigger: "auto", preTokens: 9, tokensSaved: 3 } },
    [event("reset", "microcompact_boundary", { trigger: "auto", preTokens: 9, micro: true, subtype: "microcompact_boundary" })],
  ],
  [
    "a session that begins anew",
    { type: "conversation_reset", new_conversation_id: "n", trigger: "clear" },
    [event("reset", "conversation_reset", { trigger: "clear", micro: false, subtype: "conversation_reset" })],
  ],
  [
    "another notice",
    { type: "system", subtype: "api_retry", attempt: 1, session_id: "s", uuid: "u" },
    [event("system", "api_retry", { data: { attempt: 1 } })],
  ],
  ["a notice of a type of its own", { type: "rate_limit_event", info: 1 }, [event("system", "rate_limit_event", { data: { info: 1 } })]],
  [
    "a result",
    {
      type: "result",
      subtype: "success",
      is_error: false,
      result: "all done",
      session_id: "s",
      num_turns: 2,
      total_cost_usd: 9,
      modelUsage: {
        a: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4, costUSD: 0.5 },
        b: { inputTokens: 10, outputTokens: 20, cacheReadInputTokens: 30, cacheCreationInputTokens: 40, costUSD: 0.25 },
      },
    },
    [
      event("result", "all done", {
        sessionId: "s",
        costUsd: 0.75,
        numIterations: 2,
        isError: false,
        usage: { inputTokens: 11, cacheReadTokens: 33, cacheWriteTokens: 44, outputTokens: 22, costUsd: 0.75 },
      }),
    ],
  ],
  [
    "a result of unknown price",
    {
      type: "result",
      subtype: "success",
      result: "",
      session_id: "s",
      num_turns: 1,
      modelUsage: { a: { inputTokens: 1, costUSD: 0.5, costBasis: "unknown" } },
    },
    [
      event("result", "", {
        sessionId: "s",
        numIterations: 1,
        isError: false,
        usage: { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
      }),
    ],
  ],
  [
    "a result at the limit of iterations",
    {
      type: "result",
      subtype: "error_max_turns",
      is_error: true,
      errors: ["Reached maximum number of turns (2)"],
      session_id: "s",
      num_turns: 3,
    },
    [
      event("result", "Reached maximum number of turns (2)", {
        sessionId: "s",
        numIterations: 3,
        isError: true,
        errorKind: "iteration-limit",
      }),
    ],
  ],
  [
    "a result at the budget",
    {
      type: "result",
      subtype: "error_max_budget_usd",
      is_error: true,
      errors: ["Reached maximum budget ($0.5)"],
      session_id: "s",
      num_turns: 2,
    },
    [event("result", "Reached maximum budget ($0.5)", { sessionId: "s", numIterations: 2, isError: true, errorKind: "budget" })],
  ],
  ["a type that we do not know", { type: "brand_new", data: 1 }, [{ kind: "unknown", text: "brand_new", tool: "", payload: {} }]],
  ["no message", null, [{ kind: "unknown", text: "object", tool: "", payload: {} }]],
  ["a message without what its type promises", { type: "assistant" }, [{ kind: "unknown", text: "assistant", tool: "", payload: {} }]],
  [
    "a fragment",
    { type: "stream_event", event: { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "fr" } } },
    [event("delta", "fr", { of: "text", block: 2 })],
  ],
  ["the rest of a stream", { type: "stream_event", event: { type: "message_stop" } }, []],
];

test.each(CASES)("%s", (_name, message, expected) => {
  expect(plain(normalize(message))).toEqual(expected);
});

test("an event keeps its message as raw, which no copy carries", () => {
  const message = user("hi");
  const [made] = normalize(message);
  expect(made?.raw).toBe(message);
  expect(Object.keys(made ?? {})).not.toContain("raw");
});

test("no message makes it throw, also none that throws itself; every event is plain data of a known kind", () => {
  const hostile = Object.defineProperty({ type: "assistant" }, "message", {
    get() {
      throw new Error("no");
    },
    enumerable: true,
  });
  expect(normalize(hostile)).toMatchObject([{ kind: "unknown", text: "assistant" }]);
  const words = fc.constantFrom("assistant", "user", "system", "result", "stream_event", "conversation_reset", "tool_progress", "odd");
  const blocks = fc.constantFrom("text", "thinking", "tool_use", "tool_result", "image", "odd", "server_tool_use");
  const block = fc.record(
    {
      type: blocks,
      text: fc.anything(),
      thinking: fc.anything(),
      id: fc.anything(),
      name: fc.anything(),
      input: fc.anything(),
      content: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const content = fc.oneof(fc.array(block), fc.string(), fc.anything());
  const message = fc.record(
    {
      type: fc.oneof(words, fc.anything()),
      subtype: fc.oneof(fc.constantFrom("init", "compact_boundary", "success", "error_max_turns"), fc.anything()),
      message: fc.oneof(fc.record({ content, model: fc.anything(), usage: fc.anything() }, { requiredKeys: [] }), fc.anything()),
      event: fc.anything(),
      parent_tool_use_id: fc.anything(),
      error: fc.anything(),
      compact_metadata: fc.anything(),
      modelUsage: fc.anything(),
      errors: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(message, fc.anything()), (any) => {
      for (const made of normalize(any)) {
        expect(EVENT_KINDS).toContain(made.kind);
        expect(typeof made.text).toBe("string");
        expect(JSON.parse(JSON.stringify(made))).toEqual(made);
      }
    }),
    { numRuns: 2_000 },
  );
});
