import { expect, test } from "vitest";
import { tool } from "../../src/tools/tool.ts";

const good = { name: "look", description: "Looks.", parameters: { type: "object" }, execute: () => "seen" };

test.each([
  [{ ...good, execute: undefined }, 'Tool "look" needs an execute function.'],
  [{ ...good, name: undefined }, "Tool name"],
  [{ ...good, timeout: 5 }, 'there is no option "timeout". Known: name, description, '],
  [{ ...good, timeoutMs: Number.NaN }, "timeoutMs must be a number of milliseconds"],
  [{ ...good, parameters: { type: "objekt" } }, '"objekt" is no type of JSON Schema. Known: object, '],
  [{ ...good, parameters: { type: "array", items: { type: "string" } } }, 'Tool "look": parameters must describe an object of arguments'],
  [{ ...good, parameters: { type: "string" } }, 'not "string"'],
  [undefined, "the options must be an object"],
])("a tool declared as %j is refused at once", (options, message) => {
  let error: unknown;
  try {
    tool(options as never);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: "bad-config", message: expect.stringContaining(message) });
});
