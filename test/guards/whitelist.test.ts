import { expect, test } from "vitest";
import { whitelistGuard } from "../../src/guards/whitelist.ts";
import { runCall } from "../../src/tools/call.ts";
import { toolContext } from "../tools/tool-bench.ts";

const call = (name: string) => ({ type: "call", callId: "c", name, args: {} }) as const;

test.each([
  ["Read", true],
  ["mcp__docs__search", true],
  ["mcp__docs2__search", false],
  ["mcp__docs", false],
  ["read", false],
  ["Read2", false],
  ["Bash", false],
  ["unheard_of", false],
  ["", false],
])("of Read and one server's tools, %s is available: %s", async (name, expected) => {
  const denied = await whitelistGuard(["Read", "mcp__docs__*"]).before?.(call(name), toolContext());
  expect(denied === undefined).toBe(expected);
});

test("the text says that it is on purpose and what is available", async () => {
  const outcome = await runCall(call("Bash"), 'Tool "Bash" does not exist.', toolContext(), { guards: [whitelistGuard(["Read", "ask"])] });
  expect(outcome.isError).toBe(true);
  expect(outcome.content).toEqual([{ type: "text", text: expect.stringMatching(/on purpose\. Available: Read, ask\./) }]);
});

test("an empty list lets nothing through", async () => {
  expect(await whitelistGuard([]).before?.(call("Read"), toolContext())).toContain("Available: none.");
});
