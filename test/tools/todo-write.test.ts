import { expect, it } from "vitest";
import type { Event } from "../../src/messages/event.ts";
import { toolBench } from "./tool-bench.ts";

const todos = [
  { content: "Write the parser", status: "completed", activeForm: "Writing the parser" },
  { content: "Test it", status: "in_progress", activeForm: "Testing it" },
  { content: "Document it", status: "pending", activeForm: "Document it" },
];

it("a list of steps is told to whoever watches, with how far it is", async () => {
  const bench = await toolBench();
  const events: Event[] = [];
  const text = await bench.text("TodoWrite", { todos }, { emit: (event) => void events.push(event) });
  expect(text).toBe("The list is kept: 1 of 3 done.");
  expect(events).toMatchObject([
    {
      kind: "task",
      text: "1/3 Testing it",
      payload: { type: "progress", data: { todos } },
    },
  ]);
});

it("a step without a form of its own is shown as it is written", async () => {
  const bench = await toolBench();
  const events: Event[] = [];
  await bench.text("TodoWrite", { todos: [{ content: "Do", status: "in_progress" }] }, { emit: (event) => void events.push(event) });
  expect(events).toMatchObject([{ text: "0/1 Do", payload: { data: { todos: [{ activeForm: "Do" }] } } }]);
});

it("a subagent's list carries its name", async () => {
  const bench = await toolBench();
  const events: Event[] = [];
  await bench.text("TodoWrite", { todos }, { path: ["lead", "helper"], agent: "helper", emit: (event) => void events.push(event) });
  expect(events).toMatchObject([{ payload: { subagent: "helper" } }]);
});

it("a model that works on nothing is reminded", async () => {
  const bench = await toolBench();
  expect(await bench.text("TodoWrite", { todos: [{ content: "a", status: "pending" }] })).toContain("Nothing is in progress");
  expect(await bench.text("TodoWrite", { todos: [{ content: "a", status: "completed" }] })).not.toContain("Nothing is in progress");
});

it("a state that does not exist is refused", async () => {
  const bench = await toolBench();
  expect(await bench.text("TodoWrite", { todos: [{ content: "a", status: "doing" }] })).toMatch(/^ERROR: /);
});
