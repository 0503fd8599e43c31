import { describe, expect, it } from "vitest";
import { type PromptTarget, toPrompt } from "../../src/engines/prompt.ts";
import type { Part, ResultPart } from "../../src/messages/message.ts";
import { ask, message, request } from "./ask.ts";
import { events, serve } from "./server.ts";
import { WIRES } from "./wires.ts";

const target: PromptTarget = { provider: "openai", version: "v3", imagesInResults: true };
const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
const result = (content: ResultPart["content"], isError = false): Part => ({
  type: "result",
  callId: "c1",
  name: "look",
  content,
  isError,
});

describe("toPrompt", () => {
  it("sends no system message for empty instructions", () => {
    expect(toPrompt("", [message("user", "hi")], target)).toEqual([{ role: "user", content: [{ type: "text", text: "hi" }] }]);
  });

  it("sends no empty text and no empty model message", () => {
    const prompt = toPrompt("x", [message("user", ""), message("model", [{ type: "text", text: "" }]), message("user", "go")], target);
    expect(prompt.map((each) => each.role)).toEqual(["system", "user", "user"]);
    expect(JSON.stringify(prompt)).not.toContain('"text":""');
  });

  it("sends arguments as an object also when the model's were none", () => {
    const call: Part = { type: "call", callId: "c1", name: "add", args: '{"a":' };
    expect(toPrompt("", [message("model", [call])], target)).toMatchObject([{ content: [{ input: { malformed: '{"a":' } }] }]);
  });

  it("sends a name that a model made up in a form that providers read back", () => {
    const call: Part = { type: "call", callId: "c1", name: "my tool!", args: {} };
    expect(toPrompt("", [message("model", [call])], target)).toMatchObject([{ content: [{ toolName: "my_tool_" }] }]);
  });

  it("sends all results of a reply in one tool message, errors marked", () => {
    const parts = [result([{ type: "text", text: "ok" }]), result([{ type: "text", text: "no" }], true), result([])];
    expect(toPrompt("", [message("tool", parts)], target)).toMatchObject([
      {
        role: "tool",
        content: [{ output: { type: "text", value: "ok" } }, { output: { type: "error-text" } }, { output: { value: "(no output)" } }],
      },
    ]);
  });

  it("sends the image of a result inside it where the provider can", () => {
    const [tool] = toPrompt("", [message("tool", [result([image, { type: "json", value: { a: 1 } }])])], target);
    expect(tool).toMatchObject({
      content: [{ output: { type: "content", value: [{ type: "image-data", data: "aGk=" }, { text: '{"a":1}' }] } }],
    });
  });

  it.each([
    ["v2", { data: "aGk=" }, "media"],
    ["v4", { data: { type: "data", data: "aGk=" } }, "file-data"],
  ])("speaks version %s of the specification", (version, file, resultType) => {
    const prompt = toPrompt("", [message("user", [image]), message("tool", [result([image])])], { ...target, version });
    expect(prompt[0]).toMatchObject({ content: [{ type: "file", ...file }] });
    expect(JSON.stringify(prompt[1])).toContain(`"type":"${resultType}"`);
  });
});

describe.each(WIRES)("images over $name", (wire) => {
  it("reach the provider as images, from users and from results, never as text", async () => {
    await using server = await serve(events([...wire.begin("ok"), ...wire.end]));
    const data = Buffer.from("picture ".repeat(20)).toString("base64");
    const picture = { ...image, data };
    const call: Part = { type: "call", callId: "c1", name: "look", args: {} };
    await ask(
      wire.engine(server.url),
      request([message("user", [picture]), message("model", [call]), message("tool", [result([picture])])]),
    );
    const body = JSON.stringify(server.requests[0]?.body);
    const asImage = new RegExp(`(data:image/png;base64,|"data":\\s*")${data.replaceAll("=", "\\=").replaceAll("+", "\\+")}"`, "g");
    expect(body.match(asImage)).toHaveLength(2);
    expect(body.split(data)).toHaveLength(3);
  });
});
