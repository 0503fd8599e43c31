import { areUnique, type Body, isJsonObjectText, isText, isToolName, list, Rules, record, type Said } from "./body.ts";

let items = 0;

/** The events of a reply in OpenAI's Responses format, reasoning encrypted. */
function say({ reasoning, text, calls = [] }: Said): readonly object[] {
  const events: object[] = [{ type: "response.created", response: { id: "r", created_at: 1, model: "gpt-5" } }];
  let index = 0;
  const item = (added: object, done: object, between: (id: string) => readonly object[] = () => []) => {
    const [id, output_index] = [`${++items}`, index++];
    events.push(
      { type: "response.output_item.added", output_index, item: withId(added, id) },
      ...between(id).map((event) => ({ ...event, output_index })),
    );
    events.push({ type: "response.output_item.done", output_index, item: withId(done, id) });
  };
  if (reasoning) {
    const thought = { type: "reasoning", id: "rs_", summary: [] };
    item({ ...thought, encrypted_content: null }, { ...thought, encrypted_content: "CRYPT" }, (id) => [
      { type: "response.reasoning_summary_part.added", item_id: `rs_${id}`, summary_index: 0 },
      { type: "response.reasoning_summary_text.delta", item_id: `rs_${id}`, summary_index: 0, delta: reasoning },
      { type: "response.reasoning_summary_part.done", item_id: `rs_${id}`, summary_index: 0 },
    ]);
  }
  if (text) {
    const message = { type: "message", id: "msg_" };
    item(message, message, (id) => [{ type: "response.output_text.delta", item_id: `msg_${id}`, content_index: 0, delta: text }]);
  }
  for (const { name, args } of calls) {
    const call = { type: "function_call", id: "fc_", call_id: `call_${items}`, name };
    const written = JSON.stringify(args ?? {});
    item({ ...call, arguments: "" }, { ...call, arguments: written, status: "completed" }, (id) => [
      { type: "response.function_call_arguments.delta", item_id: `fc_${id}`, delta: written },
    ]);
  }
  events.push({ type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 1 } } });
  return events;
}

function withId(item: object, id: string): object {
  return { ...item, id: `${(item as { readonly id: string }).id}${id}` };
}

/** What OpenAI's Responses API would refuse in this body, where nothing is stored. */
function problems(body: Body): readonly string[] {
  const rules = new Rules();
  const input = list(body["input"]);
  rules.must(body["store"] === false, "body", "nothing is to be stored");
  rules.must(areUnique(input.flatMap((item) => (item["id"] === undefined ? [] : [item["id"]]))), "input", "item ids must be unique");
  rules.must(areUnique(callIds(input, "function_call")), "input", "call ids must be unique");
  let open: unknown[] = [];
  input.forEach((item, i) => {
    const where = `input.${i}`;
    if (item["type"] === "function_call_output") {
      rules.must(open.includes(item["call_id"]), where, "an output must follow its call, once");
      rules.must(isText(item["output"]) || list(item["output"]).length > 0, where, "output is demanded");
      open = open.filter((id) => id !== item["call_id"]);
      return;
    }
    if (item["type"] === "function_call") open.push(item["call_id"]);
    else rules.must(open.length === 0, where, `no tool output found for function call ${open.join()}`);
    checkItem(item, input[i + 1], where, rules);
  });
  rules.must(open.length === 0, "input", `no tool output found for function call ${open.join()}`);
  checkTools(body, rules);
  return rules.broken;
}

function callIds(input: readonly Body[], type: string): readonly unknown[] {
  return input.flatMap((item) => (item["type"] === type ? [item["call_id"]] : []));
}

function checkItem(item: Body, next: Body | undefined, where: string, rules: Rules): void {
  switch (item["type"] ?? "message") {
    case "message":
      return checkMessage(item, where, rules);
    case "function_call":
      rules.must(item["id"] === undefined || String(item["id"]).startsWith("fc_"), where, "ids of calls begin with fc_");
      rules.must(
        typeof item["call_id"] === "string" && item["call_id"] !== "" && item["call_id"].length <= 64,
        where,
        "call ids have 1 to 64 characters",
      );
      rules.must(isToolName(item["name"]), where, "name must match the pattern of names");
      return rules.must(isJsonObjectText(item["arguments"]), where, "arguments are the JSON of an object");
    case "reasoning":
      rules.must(isText(item["encrypted_content"]), where, "reasoning that is not stored needs its encrypted content");
      for (const part of list(item["summary"])) rules.must(isText(part["text"]), where, "a summary has a text");
      return rules.must(
        next?.["type"] === "reasoning" || next?.["type"] === "function_call" || next?.["role"] === "assistant",
        where,
        "reasoning was provided without its required following item",
      );
    default:
      rules.must(false, where, `unknown item ${String(item["type"])}: nothing can be referred to that is not stored`);
  }
}

function checkMessage(item: Body, where: string, rules: Rules): void {
  const role = String(item["role"]);
  rules.must(["user", "assistant", "system", "developer"].includes(role), where, `unknown role ${role}`);
  const content = item["content"];
  rules.must(isText(content) || list(content).length > 0, where, "content is demanded");
  for (const part of list(content)) {
    const type = role === "assistant" ? /^(output_text|refusal)$/ : /^input_(text|image|file)$/;
    rules.must(type.test(String(part["type"])), where, `a ${role} message cannot hold ${String(part["type"])}`);
    if (String(part["type"]).endsWith("_text")) rules.must(isText(part["text"]), where, "text must be non-empty");
  }
}

function checkTools(body: Body, rules: Rules): void {
  const tools = list(body["tools"]);
  rules.must(areUnique(tools.map((tool) => tool["name"])), "tools", "names must be unique");
  for (const tool of tools) {
    rules.must(tool["type"] === "function" && isToolName(tool["name"]), "tools", "a function with a name");
    const parameters = record(tool["parameters"]);
    rules.must(parameters["type"] === "object" && parameters["properties"], "tools", "an object schema needs properties");
  }
  rules.must(body["tool_choice"] === undefined || tools.length > 0, "tool_choice", "only with tools");
}

export const responses = { say, problems };
