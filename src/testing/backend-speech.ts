import assert from "node:assert/strict";
import type { ModelView } from "./backend-model.ts";
import { type BackendCase, expectHolds, expectPlayed } from "./backend-stage.ts";

const SUM = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;

/** What the model says, and what it is told of itself. */
export const speechCases: readonly BackendCase[] = [
  {
    name: "prose is a text, the outcome's text, and the text of the result",
    guarantee: 1,
    async run(stage) {
      stage.says(["hello"]);
      const played = await stage.play();
      expectPlayed(played, ["0 prompt: go", "1 text: hello", "1 result: hello (1 iterations, 10 in, 5 out)"], {
        kind: "done",
        text: "hello",
      });
      expectHolds(stage.asked[0]?.system, "You are the worker.");
      assert.deepEqual(stage.asked[0]?.tools, [], "an agent has the tools that it lists and no others");
    },
  },
  {
    name: "thinking comes before the words, and is not one of them",
    guarantee: 1,
    async run(stage) {
      stage.says([{ thinking: "what to say", text: "hello" }]);
      const lines = ["0 prompt: go", "1 thinking: what to say", "1 text: hello", "1 result: hello (1 iterations, 10 in, 5 out)"];
      expectPlayed(await stage.play(), lines, { kind: "done", text: "hello" });
    },
  },
  {
    name: "fragments are given when they are asked for, and make up the text",
    guarantee: 1,
    async run(stage) {
      stage.says(["hello there"]);
      const lines = ["0 prompt: go", "1 delta: hello there", "1 text: hello there", "1 result: hello there (1 iterations, 10 in, 5 out)"];
      expectPlayed(await stage.play({ deltas: true }), lines, { kind: "done", text: "hello there" });
    },
  },
  {
    name: "a reply's usage and context level stand on its last block, and all usage adds up to the result's",
    guarantee: 2,
    async run(stage) {
      stage.says([{ thinking: "so", text: "hello", usage: { input: 100, output: 7 } }]);
      const { events } = await stage.play();
      const told = events.flatMap(({ kind, payload }) => (kind === "thinking" || kind === "text" ? [payload as object] : []));
      assert.deepEqual(told.map((payload) => "usage" in payload), [false, true]); // biome-ignore format: one fact
      const last = events.find((event) => event.kind === "text");
      assert.equal(last?.payload.context, 100);
      const result = events.at(-1);
      assert.ok(result?.kind === "result");
      assert.deepEqual([result.payload.usage?.inputTokens, result.payload.usage?.outputTokens], [100, 7]);
      assert.equal(result.payload.sessionId, "s1");
    },
  },
  {
    name: "an answer in a given form is the outcome's text, as JSON",
    guarantee: 10,
    async run(stage) {
      const agent = stage.agent({ outputSchema: SUM });
      stage.says(handsIn({ sum: 3 }));
      const played = await stage.play({ agent });
      assert.deepEqual({ ...played.outcome, text: JSON.parse(played.outcome?.text ?? "") }, { kind: "done", text: { sum: 3 } });
      expectPlayed(played, ["0 prompt: go", '0 result: {"sum":3} (0 iterations, 0 in, 0 out)'], { kind: "done", text: '{"sum":3}' });
    },
  },
];

/** A backend asks for a form by a tool of its own, or in words. */
function handsIn(answer: { readonly sum: number }) {
  return ({ tools, heard }: ModelView) => {
    const [tool] = tools;
    if (tool === undefined) return JSON.stringify(answer);
    return heard.some(({ from }) => from === "tool") ? "done" : { calls: [{ name: tool, args: answer }] };
  };
}
