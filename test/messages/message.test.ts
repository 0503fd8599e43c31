import { expect, test } from "vitest";
import { callsOf, resultText, textOf, toParts } from "../../src/messages/message.ts";
import { call, model, user } from "./conversation.ts";

test("a message's prose is its text parts, joined as they are; its calls come in order", () => {
  const message = model({ type: "reasoning", text: "hidden" }, "one ", call("1"), "two", call("2"));
  expect(textOf(message)).toBe("one two");
  expect(callsOf(message).map((part) => part.callId)).toEqual(["1", "2"]);
  expect(callsOf(user("a"))).toEqual([]);
});

test("input is a text or parts", () => {
  const image = { type: "image", mediaType: "image/png", data: "AA==" } as const;
  expect(toParts("hello")).toEqual([{ type: "text", text: "hello" }]);
  expect(toParts([image])).toEqual([image]);
});

test("a result reads as text: texts as they are, data as JSON, a text as data unquoted, images by their type", () => {
  expect(
    resultText([
      { type: "text", text: "a" },
      { type: "json", value: { n: 1 } },
      { type: "json", value: "plain" },
      { type: "image", mediaType: "image/png", data: "AA==" },
    ]),
  ).toBe('a\n{"n":1}\nplain\n[image image/png]');
  expect(resultText([])).toBe("");
});
