import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agents/agent.ts";
import { ScriptedEngine, type ScriptedReply } from "../../../src/engines/scripted.ts";
import { Runner } from "../../../src/runner/runner.ts";
import { toolOutput } from "../../../src/tools/tool.ts";
import { calling, plainTool } from "../stage.ts";
import { WIRE_FORMATS, type WireFormat } from "./providers.ts";
import { talkTo } from "./talk.ts";

const picture = { type: "image", mediaType: "image/png", data: Buffer.from("picture ".repeat(20)).toString("base64") } as const;

const lookTools = [
  plainTool("look", () => "seen"),
  plainTool("nothing", () => ""),
  plainTool("blank", () => " \n"),
  plainTool("empty", () => toolOutput([])),
  plainTool("photograph", () => toolOutput([picture])),
  plainTool("fail", () => toolOutput([{ type: "text", text: "broken" }, picture], { isError: true })),
];

/** What A's model says in the first turn; then it hands over to B, whose provider reads all of it. */
const PASTS: readonly (readonly [what: string, replies: readonly (ScriptedReply | string)[]])[] = [
  ["tools of every outcome", [calling("look", "nothing", "blank", "empty", "photograph", "fail", "look")]],
  [
    "names that nobody offers",
    [calling("", "my tool!", "__proto__", "constructor", "toString", "9lives", "a".repeat(80), "查询", "a.b:c")],
  ],
  [
    "arguments that are none",
    [
      {
        calls: [
          { name: "look", args: '{"a": 1, "b":', malformed: true },
          { name: "look", args: [1] },
          { name: "look", args: "x" },
        ],
      },
    ],
  ],
  ["words beside its calls, and thoughts", [{ reasoning: "hm", text: "Let me see.", ...calling("look") }]],
  ["blank words beside its calls", [{ reasoning: " ", text: "  \n", ...calling("look") }]],
];

/** The bodies of the requests that a provider gets when B answers with it, after A's past and a handoff. */
async function bodiesAfter(format: WireFormat, replies: readonly (ScriptedReply | string)[], withTools: boolean, question = "And?") {
  await using talk = await talkTo(format);
  const b = new Agent({
    name: "B",
    instructions: withTools ? "Be brief." : "",
    engine: talk.engine(() => "Here."),
    settings: format.settings,
    tools: withTools ? [plainTool("help")] : [],
  });
  const engine = new ScriptedEngine([...replies, calling("transfer_to_b")]);
  const startingAgent = new Agent({ name: "A", engine, tools: lookTools, handoffs: [b] });
  await using runner = new Runner({ startingAgent });
  await runner.run("s", [{ type: "text", text: "Hi." }, picture]);
  await runner.run("s", question);
  expect(talk.bodies).toHaveLength(2);
  return talk.bodies;
}

describe.each(WIRE_FORMATS)("$name takes", (format) => {
  for (const [what, replies] of PASTS) {
    it(`a past with ${what}`, async () => {
      const bodies = await bodiesAfter(format, replies, true);
      expect(bodies.flatMap(format.problems)).toEqual([]);
    });
  }

  it("a question without a word", async () => {
    expect((await bodiesAfter(format, [], true, "")).flatMap(format.problems)).toEqual([]);
  });

  it("a blank question", async () => {
    expect((await bodiesAfter(format, [], true, " \n")).flatMap(format.problems)).toEqual([]);
  });

  it("a past with tools in the hands of an agent that has none", async () => {
    expect((await bodiesAfter(format, [calling("look")], false)).flatMap(format.problems)).toEqual([]);
  });

  it("a past with an answer that was empty", async () => {
    await using talk = await talkTo(format);
    const startingAgent = new Agent({ name: "A", engine: talk.engine(() => ({})), settings: format.settings });
    await using runner = new Runner({ startingAgent });
    await runner.run("s", "Hi.");
    await runner.run("s", "Hello?");
    expect(talk.bodies.flatMap(format.problems)).toEqual([]);
  });

  it("the question for an answer of another form", async () => {
    await using talk = await talkTo(format);
    const answers = ["seven", '{"n": 7}'];
    const engine = talk.engine(() => answers.shift()!);
    const outputSchema = { type: "object", required: ["n"] };
    await using runner = new Runner({ startingAgent: new Agent({ name: "A", engine, settings: format.settings, outputSchema }) });
    await runner.run("s", "How many?");
    expect(talk.bodies.flatMap(format.problems)).toEqual([]);
  });

  it("the last question at the limits, with tools withheld", async () => {
    await using talk = await talkTo(format);
    const answers = [calling("transfer_to_b"), calling("look"), "Enough."];
    const engine = talk.engine(() => answers.shift()!);
    const startingAgent = new Agent({
      name: "A",
      engine,
      settings: format.settings,
      handoffs: [new Agent({ name: "B" })],
      tools: lookTools,
    });
    await using runner = new Runner({ startingAgent, maxHandoffsPerTurn: 0, maxToolIterations: 2 });
    expect((await runner.run("s", "Hi.")).finishReason).toBe("iteration-limit");
    expect(talk.bodies.flatMap(format.problems)).toEqual([]);
  });
});
