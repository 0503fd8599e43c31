import { expect, test } from "vitest";
import { Agent, type AgentOptions } from "../../src/agents/agent.ts";
import { FlowerError } from "../../src/core/errors.ts";
import { type Script, ScriptedEngine, type ScriptedReply } from "../../src/engines/scripted.ts";
import type { Event, EventOf, Speech } from "../../src/messages/event.ts";
import { checkHistory } from "../../src/messages/history.ts";
import { textOf } from "../../src/messages/message.ts";
import { tool } from "../../src/tools/tool.ts";
import { openDesk, SESSION } from "./desk.ts";
import { inShort, steps, stepTool } from "./steps.ts";

/** A subagent with a model of its own. */
function sub(name: string, script: Script, options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ name, engine: new ScriptedEngine(script), ...options });
}

function start(...types: readonly string[]): ScriptedReply {
  return {
    calls: types.map((type) => ({ name: "Agent", args: { description: "a task", prompt: `task for ${type}`, subagent_type: type } })),
  };
}

/** `reader: text found it`: who said what, in order; the main thread has no name. */
function heard(events: readonly Event[]): string[] {
  return events.map((event) => {
    const { subagent } = event.payload as Partial<Speech>;
    return `${subagent === undefined ? "" : `${subagent}: `}${event.kind} ${event.text}`;
  });
}

function result(events: readonly Event[]): EventOf<"result">["payload"] {
  const results = events.filter((event): event is EventOf<"result"> & Event => event.kind === "result");
  expect(results).toHaveLength(1);
  expect(events.at(-1)).toBe(results[0]);
  return (results[0] as EventOf<"result">).payload;
}

test("a subagent does its task in a conversation of its own; the one above reads its last message only", async () => {
  const reader = sub("reader", [steps(1), "found it"], { tools: [stepTool([])] });
  const desk = openDesk([start("reader"), "all done"], { agent: { subagents: [reader] } });
  const { events, outcome } = await desk.run();
  expect(outcome).toEqual({ kind: "done", text: "all done" });
  expect(inShort((await desk.state())?.history ?? [])).toEqual(["user: go", "model: [Agent]", "tool: found it", "model: all done"]);
  expect(heard(events)).toEqual([
    "prompt go",
    "tool_call a task",
    "reader: prompt task for reader",
    "reader: text doing 1",
    "reader: tool_call ",
    "reader: tool_result step 1 done",
    "reader: text found it",
    "tool_result found it",
    "text all done",
    "result all done",
  ]);
});

test("its events carry its name, its own count of iterations, the step, and the call that started it", async () => {
  const desk = openDesk([start("reader"), "done"], { agent: { subagents: [sub("reader", ["found"])] } });
  const { events } = await desk.run();
  const call = events.find((event): event is EventOf<"tool_call"> & Event => event.kind === "tool_call");
  for (const event of events.slice(2, 4)) {
    expect(event.payload).toMatchObject({ subagent: "reader", agent: "reader", step: "work", parentToolUseId: call?.payload.id });
  }
  expect(events.slice(2, 4).map((event) => (event.payload as Speech).iteration)).toEqual([0, 1]);
});

test("its transcript is a session of its own, named after the call; its task is its first message", async () => {
  const desk = openDesk([start("reader"), "done"], { agent: { subagents: [sub("reader", ["found"])] } });
  const { events } = await desk.run();
  const id = (events.find((event) => event.kind === "tool_call") as EventOf<"tool_call">).payload.id;
  const below = await desk.state(`${SESSION}/${id}`);
  expect(inShort(below?.history ?? [])).toEqual(["user: task for reader", "model: found"]);
  expect(below?.history[0]?.origin).toBe("framework");
});

test("what it spends and its iterations count into the one result, at every depth", async () => {
  const price = (text: string, costUsd: number): ScriptedReply => ({ text, usage: { costUsd, outputTokens: 1 } });
  const low = sub("low", [price("low", 0.04)]);
  const mid = sub("mid", [{ ...start("low"), usage: { costUsd: 0.02, outputTokens: 1 } }, price("mid", 0.08)], { subagents: [low] });
  const desk = openDesk([{ ...start("mid"), usage: { costUsd: 0.01, outputTokens: 1 } }, price("done", 0.16)], {
    agent: { subagents: [mid] },
  });
  const payload = result((await desk.run()).events);
  expect(payload.numIterations).toBe(5);
  expect(payload.usage?.outputTokens).toBe(5);
  expect(payload.usage?.costUsd).toBeCloseTo(0.31);
  expect(payload.costUsd).toBeCloseTo(0.31);
});

test("a subagent of unknown price makes the whole cost unknown, not smaller", async () => {
  const reader = sub("reader", [{ text: "found", usage: { costUsd: undefined, outputTokens: 7 } }]);
  const desk = openDesk([start("reader"), "done"], { agent: { subagents: [reader] } });
  const payload = result((await desk.run()).events);
  expect(payload.costUsd).toBeUndefined();
  expect(payload.usage).toMatchObject({ outputTokens: 7 });
  expect(payload.usage?.costUsd).toBeUndefined();
});

test("several of one reply run at the same time; each one's events keep their order, results keep the calls' order", async () => {
  let here = 0;
  let open = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  const meet = tool({
    name: "meet",
    description: "Waits until all are here.",
    parameters: { type: "object" },
    async execute() {
      if (++here === 3) open();
      await all;
      return "met";
    },
  });
  const names = ["a", "b", "c"];
  const subagents = names.map((name) => sub(name, [{ text: "first", calls: [{ name: "meet" }] }, `${name} done`], { tools: [meet] }));
  const desk = openDesk([start(...names), "done"], { agent: { subagents } });
  const { events } = await desk.run();
  for (const name of names) {
    const own = events.filter((event) => (event.payload as Speech).subagent === name).map((event) => event.kind);
    expect(own).toEqual(["prompt", "text", "tool_call", "tool_result", "text"]);
  }
  expect(inShort((await desk.state())?.history ?? [])[2]).toBe("tool: a done, b done, c done");
});

test("below the third level none is started, and the model is told why", async () => {
  let chain = sub("s4", ["never"]);
  for (const level of [3, 2, 1]) {
    const below = `s${level + 1}`;
    chain = sub(`s${level}`, [start(below), (request) => `${request.messages.at(-1)?.role === "tool" ? `s${level} done` : ""}`], {
      subagents: [chain],
    });
  }
  const desk = openDesk([start("s1"), "done"], { agent: { subagents: [chain] } });
  const { events, outcome } = await desk.run();
  expect(outcome?.text).toBe("done");
  const refused = events.find((event) => event.kind === "tool_result" && event.payload.isError);
  expect(refused?.text).toMatch(/^No subagent was started, on purpose: you are 3 levels below/);
  expect(refused?.payload).toMatchObject({ subagent: "s3" });
  expect(events.some((event) => (event.payload as Speech).subagent === "s4")).toBe(false);
});

test.each([
  [
    "a failure that another try would not mend",
    new FlowerError("auth", "The key is wrong."),
    /^The subagent "reader" failed: The key is wrong\./,
  ],
  ["a failure with nobody to wait for the network", new FlowerError("offline", "No way."), /^The subagent "reader" failed: No way\./],
])("%s is a result that the one above reads, and it goes on", async (_what, error, text) => {
  const desk = openDesk([start("reader"), "then without"], { agent: { subagents: [sub("reader", [error])] } });
  const { events, outcome } = await desk.run();
  expect(outcome).toEqual({ kind: "done", text: "then without" });
  const answer = events.find((event) => event.kind === "tool_result");
  expect(answer?.payload).toMatchObject({ isError: true });
  expect(answer?.text).toMatch(text);
});

test("a failure that is worth another try goes on in the same session", async () => {
  const reader = sub("reader", [steps(1), new FlowerError("offline", "gone"), "found"], { tools: [stepTool([])] });
  const desk = openDesk([start("reader"), "done"], { agent: { subagents: [reader] } });
  const tries: [string, number][] = [];
  const recover = async (error: FlowerError, attempt: number) => {
    tries.push([error.code, attempt]);
    return true;
  };
  const { events } = await desk.run({ recover });
  expect(tries).toEqual([["offline", 1]]);
  expect(inShort((await desk.state())?.history ?? [])[2]).toBe("tool: found");
  expect((reader.engine as ScriptedEngine).requests[2]?.messages.map((message) => message.role)).toEqual(["user", "model", "tool", "user"]);
  expect(result(events).numIterations).toBe(5); // the try that failed was a call too
});

test("an interrupt waits until subagents are back: nothing of their work is lost, and the words are for the main thread", async () => {
  let interrupted = false;
  const press = tool({
    name: "press",
    description: "The person presses the button.",
    parameters: { type: "object" },
    execute() {
      interrupted = true;
      return "pressed";
    },
  });
  const reader = sub("reader", [{ calls: [{ name: "press" }] }, "found"], { tools: [press] });
  const desk = openDesk([start("reader"), "as you say"], { agent: { subagents: [reader] } });
  const steering = { interrupted: () => interrupted, overBudget: () => undefined, contextFull: () => false, notice: () => undefined };
  expect((await desk.run({ steering })).outcome?.kind).toBe("interrupted");
  expect(inShort((await desk.state())?.history ?? [])).toEqual(["user: go", "model: [Agent]", "tool: found"]);
});

test("mail is announced to the main thread only", async () => {
  const desk = openDesk([start("reader"), "done"], { agent: { subagents: [sub("reader", ["found"])] } });
  const notices = [undefined, "mail has come"];
  const steering = { interrupted: () => false, overBudget: () => undefined, contextFull: () => false, notice: () => notices.shift() };
  await desk.run({ steering });
  expect(inShort((await desk.state())?.history ?? [])[3]).toBe("user: mail has come");
});

test("an abort ends what runs below with it and tells what was spent there; the next start goes on with the subagent", async () => {
  const abort = new AbortController();
  const reader = sub(
    "reader",
    [
      { ...steps(1), usage: { costUsd: 0.5 } },
      () => {
        abort.abort(new FlowerError("aborted", "enough"));
        return new Promise<never>(() => {});
      },
      "found",
    ],
    { tools: [stepTool([])] },
  );
  const desk = openDesk([start("reader"), "done"], { agent: { subagents: [reader] } });
  const { events, error } = await desk.run({ signal: abort.signal });
  expect(error).toMatchObject({ code: "aborted", message: "enough" });
  expect(result(events)).toMatchObject({ isError: true, errorKind: "aborted", costUsd: 0.5, numIterations: 3 });
  const again = await desk.run({ prompt: "go on", resume: true });
  expect(again.outcome).toEqual({ kind: "done", text: "done" });
  const history = (await desk.state())?.history ?? [];
  expect(checkHistory(history)).toEqual([]);
  expect(inShort(history)).toEqual(["user: go", "model: [Agent]", "tool: found", "user: go on", "model: done"]);
  const resumed = (reader.engine as ScriptedEngine).requests[2]?.messages ?? [];
  expect(inShort(resumed).slice(0, 3)).toEqual(["user: task for reader", "model: doing 1, [step]", "tool: step 1 done"]);
});

test("its own limits are its own: iterations, money, time", async () => {
  const limited = sub("limited", [steps(1), "so far: one step"], { tools: [stepTool([])], limits: { maxIterations: 1 } });
  const poor = sub("poor", [{ ...steps(1), usage: { costUsd: 0.2 } }, "never"], { tools: [stepTool([])], limits: { maxBudgetUsd: 0.1 } });
  const desk = openDesk([start("limited", "poor"), "done"], { agent: { subagents: [limited, poor] } });
  const { outcome } = await desk.run();
  expect(outcome).toEqual({ kind: "done", text: "done" });
  const results = inShort((await desk.state())?.history ?? [])[2] ?? "";
  expect(results).toContain("so far: one step\n\n[It was stopped at its limit of 1 iterations");
  expect(results).toContain('The subagent "poor" was stopped before it could report: Its own budget of $0.10 is used up.');
});

test("a copy of itself is what an agent starts that has the tool and no subagents of its own", async () => {
  const asked: (readonly string[])[] = [];
  const desk = openDesk(
    (request) => {
      asked.push(request.tools.map((item) => item.name));
      if (textOf(request.messages[0] ?? { parts: [] }) === "apart") return "done apart";
      return request.messages.length === 1
        ? { calls: [{ name: "Agent", args: { description: "d", prompt: "apart", subagent_type: "general-purpose" } }] }
        : "done";
    },
    { agent: { tools: [stepTool([]), "Agent"] } },
  );
  const { events } = await desk.run();
  expect(asked).toEqual(Array.from({ length: 3 }, () => ["step", "Agent"]));
  expect(heard(events)).toContain("general-purpose: text done apart");
});

test("a subagent without an engine speaks with the one of the agent that starts it", async () => {
  const engine = new ScriptedEngine([start("reader"), "found", "done"]);
  const desk = openDesk([], { agent: { engine, subagents: [new Agent({ name: "reader" })] } });
  expect((await desk.run()).outcome?.text).toBe("done");
  expect(engine.requests).toHaveLength(3);
});

test("the model is told which subagents there are and what they are for; a wrong name is told with the right ones", async () => {
  const reader = sub("reader", ["found"], { description: "reads logs" });
  const desk = openDesk([start("writer"), "done"], { agent: { subagents: [reader, sub("tester", [])] } });
  await desk.run();
  const offered = desk.engine.requests[0]?.tools[0];
  expect(offered?.description).toMatch(/- reader: reads logs\n- tester$/);
  expect(offered?.parameters).toMatchObject({ required: ["description", "prompt", "subagent_type"] });
  const refused = inShort((await desk.state())?.history ?? [])[2] ?? "";
  expect(refused).toMatch(/reader.*tester/);
});

test("an agent that can start none is offered no such tool", async () => {
  const desk = openDesk(["hello"], { tools: [stepTool([])] });
  await desk.run();
  expect(desk.engine.requests[0]?.tools.map((item) => item.name)).toEqual(["step"]);
});

test("a reader that takes its time slows subagents down; they do not run ahead of it", async () => {
  const reader = sub("reader", (request) => (request.messages.length < 20 ? steps(1) : "found"), { tools: [stepTool([])] });
  const desk = openDesk([start("reader"), "done"], { agent: { subagents: [reader] } });
  const run = desk.backend.run(desk.query());
  for (let next = await run.next(); !next.done; next = await run.next()) {
    if (next.value.kind === "text" && (next.value.payload as Speech).subagent === "reader") break;
  }
  await new Promise((resolve) => setTimeout(resolve, 50)); // time in which it could; what is tested does not depend on how long
  expect((reader.engine as ScriptedEngine).requests).toHaveLength(1);
  let next = await run.next();
  while (!next.done) next = await run.next();
  expect(next.value).toEqual({ kind: "done", text: "done" });
});
