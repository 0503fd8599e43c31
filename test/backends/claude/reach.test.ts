import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../folder.ts";
import { openDesk } from "./desk.ts";
import { needsSdk } from "./needs-sdk.ts";

needsSdk();

test("what our guards allow, the CLI does, wherever it is: its own rules ask nobody", async () => {
  const outside = newFolder();
  const paths = [join(outside, "made"), ".git/hooks/made", ".claude/settings.json"];
  const calls = paths.map((file_path) => ({ name: "Write", args: { file_path, content: "{}" } }));
  const bash = { name: "Bash", args: { command: `cd ${outside} && touch by-command && rm -rf ${outside}/made` } };
  const desk = await openDesk([...calls.map((call) => ({ calls: [call] })), { calls: [bash] }, "ok"], { tools: ["Write", "Bash"] });
  mkdirSync(join(desk.folder, ".git/hooks"), { recursive: true });
  const { events } = await desk.run();
  const results = events.flatMap((event) => (event.kind === "tool_result" ? [event.payload.isError] : []));
  expect(results).toEqual([false, false, false, false]);
  expect(existsSync(join(outside, "by-command"))).toBe(true);
  expect(existsSync(join(outside, "made"))).toBe(false);
});
