import { areUnique, type Body, isJsonObjectText, isText, isToolName, list, Rules, record, type Said } from "./body.ts";

/** The events of a reply in OpenAI's Chat Completions format. */
function say({ text, calls = [] }: Said): readonly object[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const call = ({ name, args }: { readonly name: string; readonly args?: unknown }, index: number) =>
    chunk({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: JSON.stringify(args ?? {}) } }] });
  const usage = {
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  };
  return [
    ...(text ? [chunk({ role: "assistant", content: text })] : []),
    ...calls.map(call),
    chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
    usage,
    { done: true },
  ];
}

/** What OpenAI's Chat Completions would refuse in this body. */
function problems(body: Body): readonly string[] {
  const rules = new Rules();
  const messages = list(body["messages"]);
  const ids = messages.flatMap((message) => list(message["tool_calls"]).map((call) => call["id"]));
  rules.must(areUnique(ids), "messages", "call ids must be unique");
  let open: unknown[] = [];
  messages.forEach((message, i) => {
    const where = `messages.${i}`;
    if (message["role"] === "tool") {
      rules.must(open.includes(message["tool_call_id"]), where, "role tool must follow the tool_calls that it answers, once each");
      rules.must(isText(message["content"]) || list(message["content"]).length > 0, where, "content is demanded");
      open = open.filter((id) => id !== message["tool_call_id"]);
      return;
    }
    rules.must(open.length === 0, where, `tool_calls must be followed by tool messages; missing: ${open.join()}`);
    open = list(message["tool_calls"]).map((call) => call["id"]);
    checkMessage(message, i, where, rules);
  });
  rules.must(open.length === 0, "messages", "the last tool_calls have no answer");
  rules.must(["user", "tool"].includes(String(messages.at(-1)?.["role"])), "messages", "the last message must be the user's or a tool's");
  checkTools(body, rules);
  return rules.broken;
}

function checkMessage(message: Body, index: number, where: string, rules: Rules): void {
  switch (message["role"]) {
    case "system":
    case "developer":
      rules.must(index === 0, where, "instructions come first");
      return rules.must(isText(message["content"]), where, "content is demanded");
    case "user":
      for (const part of list(message["content"]))
        rules.must(part["type"] !== "text" || isText(part["text"]), where, "text must be non-empty");
      return rules.must(isText(message["content"]) || list(message["content"]).length > 0, where, "content is demanded");
    case "assistant":
      rules.must(isText(message["content"]) || list(message["tool_calls"]).length > 0, where, "content or tool_calls are demanded");
      rules.must(message["tool_calls"] === undefined || list(message["tool_calls"]).length > 0, where, "tool_calls must not be empty");
      for (const call of list(message["tool_calls"])) checkCall(call, where, rules);
      return;
    default:
      rules.must(false, where, `unknown role ${String(message["role"])}`);
  }
}

function checkCall(call: Body, where: string, rules: Rules): void {
  const made = record(call["function"]);
  rules.must(call["type"] === "function", where, "calls are of type function");
  rules.must(typeof call["id"] === "string" && call["id"] !== "" && call["id"].length <= 40, where, "ids have 1 to 40 characters");
  rules.must(/^[a-zA-Z0-9]{9}$/.test(String(call["id"])), where, "Mistral: ids have exactly 9 letters and digits");
  rules.must(isToolName(made["name"]), where, "name must match the pattern of names");
  rules.must(isJsonObjectText(made["arguments"]), where, "arguments are the JSON of an object");
}

function checkTools(body: Body, rules: Rules): void {
  const tools = list(body["tools"]).map((tool) => record(tool["function"]));
  rules.must(body["tools"] === undefined || (tools.length > 0 && tools.length <= 128), "tools", "1 to 128 tools");
  rules.must(areUnique(tools.map((tool) => tool["name"])), "tools", "names must be unique");
  for (const tool of tools) {
    rules.must(isToolName(tool["name"]), "tools", "name must match the pattern of names");
    const parameters = record(tool["parameters"]);
    rules.must(parameters["type"] === "object" && parameters["properties"], "tools", "an object schema needs properties");
  }
  rules.must(body["tool_choice"] === undefined || tools.length > 0, "tool_choice", "only with tools");
}

export const chat = { say, problems };
