import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agents/agent.ts";
import type { Script } from "../../src/engines/scripted.ts";
import { calling, plainTool, rejection, STORES, stage } from "./stage.ts";
import { transcript } from "./transcript.ts";

const startingAgent = new Agent({
  name: "Clerk",
  instructions: "Extract.",
  outputSchema: z.object({ total: z.number() }),
  tools: [plainTool("look")],
});

function clerk(script: Script, make = STORES[0][1], maxToolIterations = 10) {
  return stage(script, { startingAgent, fixture: make(), maxToolIterations });
}

describe.each(STORES)("a structured answer over the %s store", (_name, make) => {
  it("is parsed, also out of a code fence, after tools", async () => {
    const { runner, engine } = clerk([calling("look"), '```json\n{"total": 12}\n```'], make);
    expect(await runner.run("s", "total?")).toMatchObject({ output: { total: 12 }, finishReason: "done" });
    expect(engine.requests[0]?.instructions).toMatch(/^Extract\.\n\n.*JSON Schema.*\n.*"total"/);
  });

  it("of the wrong form is told to the model once, which then can give the right one", async () => {
    const { runner, engine } = clerk(['{"total": "twelve"}', '{"total": 12}'], make);
    const response = await runner.run("s", "total?");
    expect(response).toMatchObject({ output: { total: 12 }, content: '{"total": 12}', iterations: 2 });
    const lines = transcript((await runner.session("s"))!.history);
    expect(lines[2]).toMatch(/^framework: Your answer does not have the required form: total: .*number/);
    expect(transcript(engine.requests[1]!.messages)).toEqual(lines.slice(0, 3));
  });

  it("is criticised without doubled full stops, whether or not the schema's own words end in one", async () => {
    const amount = z.object({ total: z.number("Give a number."), currency: z.string("Name the currency") });
    const { runner } = stage(["{}", "{}"], { startingAgent: startingAgent.with({ outputSchema: amount }), fixture: make() });
    const run = runner.stream("s", "total?");
    const said = "total: Give a number; currency: Name the currency";
    expect(await rejection(run.response)).toMatchObject({
      message: `The answer of agent "Clerk" does not match its outputSchema: ${said}.`,
      details: { issues: ["total: Give a number.", "currency: Name the currency"] },
    });
    const wrong = clerk(["{}", '{"total": 1}'], make);
    await wrong.runner.run("s", "total?");
    expect(transcript((await wrong.runner.session("s"))!.history)[2]).toMatch(/[^.]\. Answer again with the JSON alone\.$/);
  });

  it("that is wrong twice fails the turn", async () => {
    const { runner } = clerk(["Twelve.", "Twelve!", '{"total": 1}'], make);
    expect(await rejection(runner.run("s", "total?"))).toMatchObject({ code: "output-invalid", details: { issues: ["it is not JSON"] } });
    expect(await runner.session("s")).toBeUndefined();
    expect((await runner.run("s", "total?")).output).toEqual({ total: 1 });
  });
});

describe("a structured answer", () => {
  it("is demanded of the last answer at the iteration limit, too", async () => {
    const { runner } = clerk([calling("look"), "Twelve.", '{"total": 12}'], undefined, 1);
    expect(await runner.run("s", "total?")).toMatchObject({ output: { total: 12 }, finishReason: "iteration-limit", iterations: 3 });
    const stubborn = clerk([calling("look"), "Twelve.", "Twelve!"], undefined, 1);
    expect(await rejection(stubborn.runner.run("s", "total?"))).toMatchObject({ code: "output-invalid" });
  });

  it("is read by the schema of the agent that answers, not of the one that was asked", async () => {
    const writer = new Agent({ name: "Writer" });
    const clerkWithHelp = startingAgent.with({ handoffs: [writer] });
    const { runner } = stage([calling("transfer_to_writer"), "Twelve."], { startingAgent: clerkWithHelp });
    expect(await runner.run("s", "total?")).toMatchObject({ content: "Twelve.", output: undefined, finishReason: "done" });
  });
});
