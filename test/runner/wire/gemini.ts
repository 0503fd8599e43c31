import { areUnique, type Body, isText, list, Rules, record, type Said } from "./body.ts";

/** The events of a reply in Gemini's format; the first call is signed. */
function say({ reasoning, text, calls = [] }: Said): readonly object[] {
  const parts = [
    ...(reasoning ? [{ text: reasoning, thought: true }] : []),
    ...(text ? [{ text }] : []),
    ...calls.map(({ name, args }, i) => ({
      functionCall: { name, args: args ?? {} },
      ...(i === 0 ? { thoughtSignature: "U0lHTkVE" } : {}),
    })),
  ];
  return [
    {
      candidates: [{ content: { parts, role: "model" }, index: 0, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
  ];
}

function isFunctionName(name: unknown): boolean {
  return typeof name === "string" && /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name);
}

/** What the Gemini API would refuse in this body, for a model of the third generation. */
function problems(body: Body): readonly string[] {
  const rules = new Rules();
  const contents = list(body["contents"]);
  for (const part of partsOf(record(body["systemInstruction"])))
    rules.must(isText(part["text"]), "systemInstruction", "text must be non-empty");
  rules.must(contents[0]?.["role"] === "user", "contents", "the first turn must be the user's");
  rules.must(contents.at(-1)?.["role"] === "user", "contents", "the last turn must be the user's");
  contents.forEach((content, i) => {
    const where = `contents.${i}`;
    rules.must(["user", "model"].includes(String(content["role"])), where, "role must be user or model");
    const isCallTurn = names(content, "functionCall").length > 0;
    rules.must(
      !isCallTurn || contents[i - 1]?.["role"] === "user",
      where,
      "a call turn must come right after a user or function response turn",
    );
    rules.must(partsOf(content).length > 0, where, "parts must not be empty");
    for (const part of partsOf(content)) checkPart(part, content["role"], where, rules);
    checkAnswers(content, contents[i + 1], where, rules);
    const asked = names(contents[i - 1], "functionCall");
    rules.must(
      asked.length > 0 || names(content, "functionResponse").length === 0,
      where,
      "a function response turn must come right after its call turn",
    );
  });
  const current = contents.slice(
    contents.findLastIndex((content) => partsOf(content).some((part) => part["text"] !== undefined && content["role"] === "user")),
  );
  for (const content of current) {
    const first = partsOf(content).find((part) => part["functionCall"]);
    rules.must(
      !first || isText(first["thoughtSignature"]),
      "contents",
      "the first call of each step of the turn needs its thought signature",
    );
  }
  checkTools(body, rules);
  return rules.broken;
}

function partsOf(content: Body | undefined): readonly Body[] {
  return list(content?.["parts"]);
}

function names(content: Body | undefined, kind: "functionCall" | "functionResponse"): readonly unknown[] {
  return partsOf(content).flatMap((part) => (part[kind] ? [record(part[kind])["name"]] : []));
}

function checkAnswers(content: Body, next: Body | undefined, where: string, rules: Rules): void {
  const asked = names(content, "functionCall");
  if (asked.length === 0) return;
  rules.must(names(next, "functionResponse").join() === asked.join(), where, "as many function responses as calls, in the next turn");
}

function checkPart(part: Body, role: unknown, where: string, rules: Rules): void {
  const kinds = ["text", "functionCall", "functionResponse", "inlineData"].filter((kind) => part[kind] !== undefined);
  rules.must(kinds.length === 1, where, `a part holds one thing, not ${kinds.join() || "nothing"}`);
  if (kinds[0] === "text") rules.must(isText(part["text"]), where, "text must be non-empty");
  if (kinds[0] === "functionCall") {
    const call = record(part["functionCall"]);
    rules.must(role === "model" && isFunctionName(call["name"]), where, "a call is the model's, of a name that fits");
    rules.must(call["args"] === record(call["args"]), where, "args must be an object");
  }
  if (kinds[0] === "functionResponse") {
    const response = record(part["functionResponse"]);
    rules.must(role === "user" && isFunctionName(response["name"]), where, "a response is the user's, of a name that fits");
    rules.must(response["response"] === record(response["response"]), where, "a response must be an object");
  }
}

function checkTools(body: Body, rules: Rules): void {
  const declared = list(body["tools"]).flatMap((tool) => list(tool["functionDeclarations"]));
  rules.must(areUnique(declared.map((tool) => tool["name"])), "tools", "names must be unique");
  for (const tool of declared) {
    rules.must(isFunctionName(tool["name"]), "tools", "name must match the pattern of names");
    rules.must(isText(tool["description"]), "tools", "a declaration needs a description");
    rules.must(
      !/"(\$schema|additionalProperties|\$ref)"/.test(JSON.stringify(tool["parameters"] ?? {})),
      "tools",
      "schemas are of the OpenAPI subset",
    );
  }
  const { mode } = record(record(body["toolConfig"])["functionCallingConfig"]);
  rules.must(mode === undefined || ["AUTO", "ANY", "NONE", "VALIDATED"].includes(String(mode)), "toolConfig", "unknown mode");
}

export const generate = { say, problems };
