import { describe, expect, it } from "vitest";
import { elicit } from "../../../src/tools/mcp/elicitation.ts";

type Params = Parameters<typeof elicit>[1];
const params = (properties: Params["requestedSchema"]["properties"], required?: string[]): Params => ({
  mode: "form",
  message: "Where to?",
  requestedSchema: { type: "object", properties, ...(required ? { required } : {}) },
});

/** A person who gives these answers, in order. */
function person(...answers: readonly string[]) {
  const questions: string[] = [];
  const left = [...answers];
  return {
    questions,
    ask: async (question: string) => {
      questions.push(question);
      const answer = left.shift();
      return answer === undefined ? ("nobody" as const) : answer === "-" ? ("declined" as const) : { answer };
    },
  };
}

describe("a server's question", () => {
  it("becomes one question for each field, with the values in their types", async () => {
    const { ask, questions } = person("Lisboa", "3", "yes", "2");
    const wanted = params(
      {
        city: { type: "string", title: "City" },
        nights: { type: "integer", minimum: 1 },
        pets: { type: "boolean" },
        class: { type: "string", enum: ["first", "second"] },
      },
      ["city"],
    );
    expect(await elicit("trips", wanted, ask)).toEqual({
      action: "accept",
      content: { city: "Lisboa", nights: 3, pets: true, class: "second" },
    });
    expect(questions[0]).toBe("trips: Where to?\nCity");
    expect(questions[1]).toContain("(optional)");
  });

  it("whose answer does not fit is asked once more, with what is wanted, then given up", async () => {
    const { ask, questions } = person("three", "many");
    expect(await elicit("trips", params({ nights: { type: "integer" } }), ask)).toEqual({ action: "cancel" });
    expect(questions[1]).toContain("integer");
    expect(await elicit("trips", params({ nights: { type: "integer" } }), person("three", "3").ask)).toMatchObject({
      content: { nights: 3 },
    });
  });

  it("that the person declines is declined; what is optional is left out", async () => {
    const wanted = params({ city: { type: "string" }, tip: { type: "number" } }, ["city"]);
    expect(await elicit("trips", wanted, person("-").ask)).toEqual({ action: "decline" });
    expect(await elicit("trips", wanted, person("Lisboa", "-").ask)).toEqual({ action: "accept", content: { city: "Lisboa" } });
  });

  it("that nobody answers is cancelled, also in the middle", async () => {
    const wanted = params({ city: { type: "string" }, country: { type: "string" } });
    expect(await elicit("trips", wanted, person("Lisboa").ask)).toEqual({ action: "cancel" });
  });

  it("without fields is a yes or a no, and only a plain yes is one", async () => {
    expect(await elicit("trips", params({}), person("accept").ask)).toEqual({ action: "accept" });
    for (const answer of ["maybe", "no", "accept? no"])
      expect(await elicit("trips", params({}), person(answer).ask)).toEqual({ action: "decline" });
  });
});
