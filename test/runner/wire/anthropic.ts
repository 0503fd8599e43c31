import { areUnique, type Body, isText, isToolName, list, Rules, record, type Said } from "./body.ts";

/** The events of a reply in Anthropic's Messages format, thoughts signed. */
function say({ reasoning, text, calls = [] }: Said): readonly object[] {
  const blocks = [
    ...(reasoning ? [{ start: { type: "thinking", thinking: "", signature: "" }, deltas: thinking(reasoning) }] : []),
    ...(text ? [{ start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text }] }] : []),
    ...calls.map(({ name, args }, i) => ({
      start: { type: "tool_use", id: `toolu_${i}`, name, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(args ?? {}) }],
    })),
  ];
  const message = { id: "m", type: "message", role: "assistant", model: "c", content: [], stop_reason: null };
  return [
    { type: "message_start", message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
}

function thinking(text: string): readonly object[] {
  return [
    { type: "thinking_delta", thinking: text },
    { type: "signature_delta", signature: "U0lHTkVE" },
  ];
}

/** What Anthropic's Messages API would refuse in this body. */
function problems(body: Body): readonly string[] {
  const rules = new Rules();
  const messages = list(body["messages"]);
  rules.must(Number(body["max_tokens"]) > 0, "body", "max_tokens is demanded");
  for (const block of list(body["system"])) rules.must(isText(block["text"]), "system", "text blocks must be non-empty");
  rules.must(messages[0]?.["role"] === "user", "messages", "the first message must be the user's");
  rules.must(messages.at(-1)?.["role"] === "user", "messages", "the last message must be the user's");
  messages.forEach((message, i) => {
    rules.must(["user", "assistant"].includes(String(message["role"])), `messages.${i}`, "role must be user or assistant");
    rules.must(message["role"] !== messages[i - 1]?.["role"], `messages.${i}`, "roles must alternate");
    checkBlocks(message, messages[i - 1], messages[i + 1], `messages.${i}`, rules);
  });
  const ids = messages.flatMap((message) => idsOf(message, "tool_use", "id"));
  rules.must(areUnique(ids), "messages", "tool_use ids must be unique");
  checkTools(body, ids.length > 0, rules);
  rules.must((JSON.stringify(body).match(/"cache_control"/g) ?? []).length <= 4, "body", "at most 4 blocks with cache_control");
  return rules.broken;
}

function blocksOf(message: Body | undefined): readonly Body[] {
  const content = message?.["content"];
  return typeof content === "string" ? [{ type: "text", text: content }] : list(content);
}

function idsOf(message: Body | undefined, type: string, key: string): readonly unknown[] {
  return blocksOf(message).flatMap((block) => (block["type"] === type ? [block[key]] : []));
}

function checkBlocks(message: Body, before: Body | undefined, after: Body | undefined, where: string, rules: Rules): void {
  const blocks = blocksOf(message);
  rules.must(blocks.length > 0, where, "content must be non-empty");
  blocks.forEach((block, i) => {
    checkBlock(block, message["role"], `${where}.content.${i}`, rules);
    const previous = blocks[i - 1]?.["type"];
    if (String(block["type"]).endsWith("thinking")) {
      rules.must(i === 0 || String(previous).endsWith("thinking"), `${where}.content.${i}`, "thinking must come first");
    }
    if (block["type"] === "tool_result") {
      rules.must(i === 0 || previous === "tool_result", `${where}.content.${i}`, "tool_result blocks must come first");
    }
  });
  const asked = idsOf(message, "tool_use", "id");
  const answered = idsOf(after, "tool_result", "tool_use_id");
  rules.must(
    asked.toSorted().join() === (asked.length > 0 ? answered : []).toSorted().join(),
    where,
    "each tool_use must have its tool_result in the next message",
  );
  const answers = idsOf(message, "tool_result", "tool_use_id");
  rules.must(
    answers.every((id) => idsOf(before, "tool_use", "id").includes(id)),
    where,
    "each tool_result must have its tool_use in the previous message",
  );
}

function checkBlock(block: Body, role: unknown, where: string, rules: Rules): void {
  switch (block["type"]) {
    case "text":
      return rules.must(isText(block["text"]), where, "text must be non-empty");
    case "image":
      return rules.must(role === "user", where, "images come from users");
    case "thinking":
      rules.must(role === "assistant" && isText(block["thinking"]), where, "a thought is the assistant's and has a text");
      return rules.must(isText(block["signature"]), where, "thinking needs its signature");
    case "redacted_thinking":
      return rules.must(role === "assistant" && isText(block["data"]), where, "a sealed thought needs its data");
    case "tool_use":
      rules.must(role === "assistant" && /^[a-zA-Z0-9_-]+$/.test(String(block["id"])), where, "id must match [a-zA-Z0-9_-]+");
      rules.must(isToolName(block["name"]), where, "name must match the pattern of names");
      return rules.must(block["input"] === record(block["input"]), where, "input must be an object");
    case "tool_result":
      rules.must(role === "user", where, "results come in user messages");
      return rules.must(isText(block["content"]) || list(block["content"]).length > 0, where, "a result needs content");
    default:
      rules.must(false, where, `unknown block ${String(block["type"])}`);
  }
}

function checkTools(body: Body, usesTools: boolean, rules: Rules): void {
  const tools = list(body["tools"]);
  const names = tools.map((tool) => tool["name"]);
  rules.must(!usesTools || tools.length > 0, "tools", "requests with tool_use or tool_result blocks must define tools");
  rules.must(areUnique(names), "tools", "names must be unique");
  tools.forEach((tool, i) => {
    rules.must(isToolName(tool["name"]), `tools.${i}`, "name must match the pattern of names");
    rules.must(record(tool["input_schema"])["type"] === "object", `tools.${i}`, "input_schema must be of type object");
  });
  const choice = record(body["tool_choice"]);
  if (body["tool_choice"] === undefined) return;
  rules.must(tools.length > 0, "tool_choice", "only with tools");
  rules.must(["auto", "any", "tool", "none"].includes(String(choice["type"])), "tool_choice", "unknown type");
  rules.must(choice["type"] !== "tool" || names.includes(choice["name"]), "tool_choice", "must name a tool on offer");
}

export const messages = { say, problems };
