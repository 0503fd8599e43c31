import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ResultPart } from "../../src/messages/message.ts";
import { type ToolContext, tool, toolOutput } from "../../src/tools/tool.ts";
import { calling, deferred, eventsOf, ofKind, plainTool, STORES, settle, stage, until } from "./stage.ts";
import { transcript } from "./transcript.ts";

const add = tool({
  name: "add",
  description: "Adds two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => String(a + b),
});

describe.each(STORES)("tool calls over the %s store", (_name, make) => {
  it("run side by side, and their results stand in the order of the calls", async () => {
    const gates = { slow: deferred(), quick: deferred() };
    const started: string[] = [];
    const waiting = (name: "slow" | "quick") =>
      plainTool(name, async () => {
        started.push(name);
        await gates[name].promise;
        return name;
      });
    const { runner } = stage([calling("slow", "quick"), "Done."], { tools: [waiting("slow"), waiting("quick")], fixture: make() });
    const run = runner.stream("s", "go");
    await until(() => started.length === 2);
    gates.quick.resolve();
    for await (const event of run) if (event.kind === "tool_result") break;
    gates.slow.resolve();
    expect((await run.response).toolCallsExecuted).toEqual(["quick", "slow"]);
    expect(ofKind(await eventsOf(run), "tool_result").map((event) => event.text)).toEqual(["quick", "slow"]);
    expect(transcript((await runner.session("s"))!.history)[2]).toBe("results: slow=slow quick=quick");
  });

  it("keep results as they were when the tool gave them, whatever it does with its data later", async () => {
    const cart: string[] = [];
    const put = plainTool("put", () => {
      cart.push("apple");
      return { cart };
    });
    const { runner } = stage([calling("put"), calling("put"), "Two apples."], { tools: [put], fixture: make() });
    await runner.run("s", "two apples");
    expect(transcript((await runner.session("s"))!.history).filter((line) => line.startsWith("results"))).toEqual([
      'results: put={"cart":["apple"]}',
      'results: put={"cart":["apple","apple"]}',
    ]);
  });

  it("keep the arguments as the model gave them, whatever the tool does with its own", async () => {
    const spoil = plainTool("spoil", (args) => void Object.assign(args as object, { path: "/home/me" }));
    const { runner } = stage([{ calls: [{ name: "spoil", args: { path: "." } }] }, "Done."], { tools: [spoil], fixture: make() });
    await runner.run("s", "go");
    expect(transcript((await runner.session("s"))!.history)[1]).toBe('Helper: spoil({"path":"."})');
  });

  it("give data that JSON cannot hold in a form that it can", async () => {
    const odd = plainTool("odd", () => ({ big: 2n ** 64n, when: new Date(0), nothing: undefined }) as never);
    const { runner } = stage([calling("odd"), "Done."], { tools: [odd], fixture: make() });
    await runner.run("s", "go");
    expect(transcript((await runner.session("s"))!.history)[2]).toBe(
      'results: odd={"big":"18446744073709551616","when":"1970-01-01T00:00:00.000Z"}',
    );
  });
});

describe("a tool", () => {
  it("sees its session, agent, call, metadata, services and the turn so far", async () => {
    const seen: (ToolContext & { length: number })[] = [];
    const look = plainTool("look", (_args, context) => void seen.push({ ...context, length: context.history.length }));
    const { runner } = stage(["Hello.", calling("look"), "Done."], { tools: [look], services: { database: "db" } });
    await runner.run("s", "hi");
    await runner.run("s", "look", { metadata: { channel: "web" } });
    const [result] = (await runner.session("s"))!.history[4]!.parts;
    expect(seen).toMatchObject([
      {
        sessionId: "s",
        agent: "Helper",
        path: ["Helper"],
        callId: (result as ResultPart).callId,
        metadata: { channel: "web" },
        services: { database: "db" },
        length: 4,
      },
    ]);
  });

  it("can pass events of its own to whoever watches, but not after its call", async () => {
    let late = () => {};
    const look = plainTool("look", (_args, context) => {
      const emit = (text: string) => context.emit({ kind: "task", text, tool: "", payload: { type: "progress" } });
      emit("half way");
      late = () => emit("too late");
    });
    const afterwards = () => {
      late();
      return "Done.";
    };
    const { runner } = stage([calling("look"), afterwards], { tools: [look] });
    expect(ofKind(await eventsOf(runner.stream("s", "go")), "task").map((event) => event.text)).toEqual(["half way"]);
  });

  it("that must run alone waits for the calls before it, and those after it wait", async () => {
    const log: string[] = [];
    const logging = (name: string) => async () => {
      log.push(`${name} begins`);
      await settle();
      log.push(`${name} ends`);
    };
    const tools = [plainTool("free", logging("free")), plainTool("alone", logging("alone"), { parallel: false })];
    const { runner } = stage([calling("free", "free", "alone", "alone", "free"), "Done."], { tools });
    await runner.run("s", "go");
    const pair = ["free begins", "free begins", "free ends", "free ends"];
    const alone = ["alone begins", "alone ends"];
    expect(log).toEqual([...pair, ...alone, ...alone, "free begins", "free ends"]);
  });

  it("may answer with text, data, nothing, images or an error of its own", async () => {
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    const tools = [
      plainTool("text", () => "words"),
      plainTool("data", () => ({ n: 1 })),
      plainTool("nothing", () => undefined),
      plainTool("picture", () => toolOutput([{ type: "text", text: "see" }, image])),
      plainTool("refusal", () => toolOutput("closed on Sundays", { isError: true })),
    ];
    const { runner } = stage([calling("text", "data", "nothing", "picture", "refusal"), "Done."], { tools });
    await runner.run("s", "go");
    expect(transcript((await runner.session("s"))!.history)[2]).toBe(
      'results: text=words data={"n":1} nothing=Done. picture=see\n[image image/png] refusal!=closed on Sundays',
    );
  });
});

describe("a wrong call", () => {
  async function answerTo(call: { readonly name: string; readonly args?: never; readonly malformed?: true }) {
    const { runner } = stage([{ calls: [call] }, "I see."], { tools: [add] });
    const response = await runner.run("s", "go");
    expect(response).toMatchObject({ content: "I see.", toolCallsExecuted: [] });
    return transcript((await runner.session("s"))!.history)[2];
  }

  it.each(["serach", "constructor", "__proto__", "toString", ""])("of the unknown tool %j is answered with what there is", async (name) => {
    expect(await answerTo({ name })).toBe(`results: ${name}!=Tool "${name}" does not exist. Available: add.`);
  });

  it("with invalid arguments tells the model what is wrong, and it can correct them", async () => {
    const script = [{ calls: [{ name: "add", args: { a: 1, b: "2" } }] }, { calls: [{ name: "add", args: { a: 1, b: 2 } }] }, "3"];
    const { runner } = stage(script, { tools: [add] });
    expect((await runner.run("s", "1 + 2")).toolCallsExecuted).toEqual(["add"]);
    const lines = transcript((await runner.session("s"))!.history);
    expect(lines[2]).toMatch(/^results: add!=Invalid arguments for "add": b: .*number.*\. Correct them and call again\.$/);
    expect(lines[4]).toBe("results: add=3");
  });

  it.each([
    ["text that is not JSON", '{"a": 1, "b":', true],
    ["a list", [1, 2], undefined],
    ["a number", 42, undefined],
  ] as const)("whose arguments are %s never reaches the tool", async (_what, args, malformed) => {
    expect(await answerTo({ name: "add", args: args as never, malformed })).toBe(
      'results: add!=Invalid arguments for "add": they are not a JSON object. Correct them and call again.',
    );
  });

  it("whose schema itself fails is answered like a tool that throws", async () => {
    const parameters = z.object({}).refine(() => {
      throw new Error("no such table: /srv/secret.db");
    });
    const picky = tool({ name: "picky", description: "Fails.", parameters, execute: () => "ran" });
    const { runner } = stage([calling("picky"), "I see."], { tools: [picky] });
    expect((await runner.run("s", "go")).toolCallsExecuted).toEqual([]);
    expect(transcript((await runner.session("s"))!.history)[2]).toMatch(/^results: picky!="picky" failed \(trace \w{8}\)/);
  });
});
