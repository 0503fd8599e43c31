import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agents/agent.ts";
import { Runner } from "../../../src/runner/runner.ts";
import { plainTool } from "../stage.ts";
import type { Body } from "./body.ts";
import { WIRE_FORMATS, type WireFormat } from "./providers.ts";
import { talkTo } from "./talk.ts";

/** A body to be spoilt; what is not where it is looked for fails the test by itself. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of four formats are spoilt here at any depth
type Spoilt = any;

/** Ways to spoil the body of a turn with two calls in one reply, that the rules must notice. */
const SPOILT: Readonly<Record<string, readonly (readonly [title: string, spoil: (body: Spoilt) => void])[]>> = {
  "openai chat": [
    ["a result is missing", (body) => body.messages.splice(3, 1)],
    ["a result comes twice", (body) => body.messages.push(body.messages[3])],
    ["words come between call and result", (body) => body.messages.splice(3, 0, { role: "user", content: "Well?" })],
    ["two calls have one id", (body) => (body.messages[2].tool_calls[1].id = body.messages[2].tool_calls[0].id)],
    ["an id is long", (body) => (body.messages[2].tool_calls[0].id = body.messages[3].tool_call_id = "x".repeat(41))],
    ["arguments are no JSON", (body) => (body.messages[2].tool_calls[0].function.arguments = "{")],
    ["a text is empty", (body) => (body.messages[1].content = "")],
    ["the model has the last word", (body) => body.messages.push({ role: "assistant", content: "So." })],
  ],
  "openai responses": [
    ["a result is missing", (body) => body.input.pop()],
    ["a result comes twice", (body) => body.input.push(body.input.at(-1))],
    ["reasoning stands alone", (body) => body.input.splice(3, 2)],
    ["reasoning is not encrypted", (body) => (body.input[2].encrypted_content = null)],
    ["something is referred to", (body) => (body.input[2] = { type: "item_reference", id: "rs_1" })],
    ["it is to be stored", (body) => delete body.store],
    ["a name is none", (body) => delete body.input[3].name],
  ],
  anthropic: [
    ["a result is missing", (body) => body.messages[2].content.pop()],
    ["a result stands behind words", (body) => body.messages[2].content.unshift({ type: "text", text: "Here." })],
    ["a thought is not signed", (body) => (body.messages[1].content[0].signature = "")],
    ["a thought stands behind words", (body) => body.messages[1].content.unshift({ type: "text", text: "Hm." })],
    ["a text is blank", (body) => (body.messages[0].content[0].text = " \n")],
    ["two users speak", (body) => body.messages.push({ role: "user", content: "Well?" })],
    ["two calls have one id", (body) => (body.messages[1].content[2].id = body.messages[1].content[1].id)],
    ["tools are missing", (body) => delete body.tools],
    ["the cap is missing", (body) => delete body.max_tokens],
  ],
  gemini: [
    ["a result is missing", (body) => body.contents[2].parts.pop()],
    ["results are in another order", (body) => body.contents[2].parts.reverse()],
    ["words come between call and result", (body) => body.contents.splice(2, 0, { role: "user", parts: [{ text: "Well?" }] })],
    ["a call comes out of the blue", (body) => body.contents.splice(0, 1)],
    ["the call is not signed", (body) => delete body.contents[1].parts.find((part: Spoilt) => part.functionCall).thoughtSignature],
    ["a part is empty", (body) => (body.contents[0].parts[0].text = "")],
    ["a name begins with a digit", (body) => (body.contents[2].parts[0].functionResponse.name = "9lives")],
  ],
};

/** The body of the question that carries two calls of one reply and their results. */
async function bodyWithCalls(format: WireFormat): Promise<Body> {
  await using talk = await talkTo(format);
  const answers = [{ reasoning: "hm", calls: [{ name: "look" }, { name: "listen" }] }, "Done."];
  const engine = talk.engine(() => answers.shift()!);
  const tools = ["look", "listen"].map((name) => plainTool(name));
  await using runner = new Runner({
    startingAgent: new Agent({ name: "A", instructions: "Be brief.", engine, settings: format.settings, tools }),
  });
  await runner.run("s", "Go.");
  return talk.bodies[1]!;
}

describe.each(WIRE_FORMATS)("the rules of $name", (format) => {
  it("are kept by a turn with calls, and notice whatever breaks them", async () => {
    const body = await bodyWithCalls(format);
    expect(format.problems(body)).toEqual([]);
    for (const [title, spoil] of SPOILT[format.name]!) {
      const spoilt = structuredClone(body);
      spoil(spoilt);
      expect(format.problems(spoilt), title).not.toEqual([]);
    }
  });
});
