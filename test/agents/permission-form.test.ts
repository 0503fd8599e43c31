import { expect, test } from "vitest";
import { z } from "zod";
import { Agent, type Permissions } from "../../src/agents/agent.ts";
import { isFlowerError } from "../../src/core/errors.ts";
import { WORKER_PERMISSIONS } from "../../src/guards/permission.ts";
import { tool } from "../../src/tools/tool.ts";

const look = tool({ name: "look", description: "Looks.", parameters: z.object({}), execute: () => "seen" });

test.each<[unknown, RegExp]>([
  [{ deny: ["Bash(git push:*"] }, /"ada": the deny rule "Bash\(git push:\*" is not well formed.*both brackets/],
  [{ deny: ["Bash git push:*)"] }, /both brackets/],
  [{ deny: ["Bsh(git push:*)"] }, /"Bsh\(git push:\*\)" names no tool.*Bash/],
  [{ ask: ["bash"] }, /names no tool/],
  [{ ask: ["lok"] }, /look/],
  [{ deny: ["mcp_git_log"] }, /mcp__server__tool/],
  [{ allow: [""] }, /the allow rule "" is empty/],
  [{ allow: ["  "] }, /is empty/],
  [{ allow: ["Bash()"] }, /no pattern/],
  [{ deny: [7] }, /is empty/],
  [{ deny: "Bash" }, /permissions.deny must be a list/],
  [{ denny: ["Bash"] }, /"denny"/],
  [{ mode: "yolo" }, /"yolo" is no permission mode.*acceptEdits/],
])("%j is refused when the agent is made, saying what is right", (permissions, words) => {
  try {
    new Agent({ name: "ada", tools: [look], permissions: permissions as Permissions });
    expect.unreachable();
  } catch (error) {
    expect(isFlowerError(error, "bad-config"), String(error)).toBe(true);
    expect(String(error)).toMatch(words);
  }
});

test("rules about tools that there are, or may be, are taken", () => {
  const deny = [
    "Bash(git push:*)",
    "Bash(echo (a))",
    "Read(src/**)",
    "WebFetch",
    "TodoWrite",
    "Agent(x)",
    "mcp__git",
    "mcp__git__*",
    "*",
    "look",
    "lo*",
  ];
  const ada = new Agent({ name: "ada", tools: [look], permissions: { mode: "plan", deny } });
  expect(ada.permissions.deny).toEqual(deny);
  expect(new Agent({ name: "bob", handoffs: [ada], permissions: { ask: ["look"] } }).permissions.ask).toEqual(["look"]);
  expect(() => new Agent({ name: "eve", permissions: WORKER_PERMISSIONS })).not.toThrow();
});
