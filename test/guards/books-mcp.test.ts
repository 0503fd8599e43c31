import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { Json } from "../../src/core/json.ts";
import type { ScriptedCall } from "../../src/engines/scripted.ts";
import { booksGuard } from "../../src/guards/books.ts";
import { worker } from "../../src/runtime/roles.ts";
import { connectMcp } from "../../src/tools/mcp/connect.ts";
import { newFolder } from "../folder.ts";
import { openBench } from "../runtime/bench.ts";
import { filesystem } from "../tools/mcp/servers.ts";
import { toolContext } from "../tools/tool-bench.ts";

async function place(): Promise<string> {
  const folder = newFolder();
  for (const path of ["runs", ".flower/notes/archive", ".flower/artifacts", "src"]) await mkdir(join(folder, path), { recursive: true });
  await writeFile(join(folder, ".flower/notes/goal.md"), "the goal\n");
  await symlink("../.flower/notes", join(folder, "src/notes"));
  return folder;
}

test.each<[string, Json, boolean]>([
  ["the goal", { path: "{W}/.flower/notes/goal.md", content: "easy" }, true],
  ["the goal, relative", { path: ".flower/notes/goal.md" }, true],
  ["the goal, in other letters", { path: "{W}/.FLOWER/notes/GOAL.md" }, true],
  ["the goal, by a link", { path: "{W}/src/notes/goal.md" }, true],
  ["the goal, by a way up", { path: "{W}/src/../.flower/notes/goal.md" }, true],
  ["the goal, as an address", { uri: "file://{W}/.flower/notes/goal.md" }, true],
  ["the goal, among others, deep down", { edits: [{ at: { file: "{W}/a.txt" } }, { at: { file: "{W}/.flower/notes/goal.md" } }] }, true],
  ["a new file of the books", { path: "{W}/runs/x/verdicts/work-1.json" }, true],
  ["what only grows", { path: "{W}/.flower/notes/archive/old.md" }, true],
  ["a folder that holds books", { source: "{W}/.flower/notes", destination: "{W}/elsewhere" }, true],
  ["the workspace, to list it", { path: "{W}" }, false],
  ["a file of the work", { path: "{W}/src/goal.md" }, false],
  ["a file of the workbench", { path: "{W}/.flower/artifacts/a.txt" }, false],
  ["words about the goal", { text: "see .flower/notes/goal.md", more: ".flower/notes/goal.md\nand more" }, false],
  ["no path", { a: 3, b: null, c: [true, ""] }, false],
])("a tool of another program is given %s: stopped, or not", async (_what, args, isStopped) => {
  const workspace = await place();
  const files = [join(workspace, ".flower/notes/goal.md")];
  const guard = booksGuard({ workspace, runDir: join(workspace, "runs"), files, appendOnly: [join(workspace, ".flower/notes/archive")] });
  const given = JSON.parse(JSON.stringify(args).replaceAll("{W}", workspace)) as Json;
  const denied = (name: string) => guard.before?.({ type: "call", callId: "c", name, args: given }, toolContext());
  expect(await denied("mcp__files__do")).toEqual(isStopped ? expect.stringMatching(/on purpose\. To look at them use Read/) : undefined);
  expect(await denied("mcp__human__ask")).toBeUndefined();
});

test("a worker with a server for files cannot soften the goal by it, and does its work by it", async () => {
  const folder = await place();
  const mcp = await connectMcp({ files: filesystem(folder) });
  onTestFinished(() => mcp.close());
  const goal = join(folder, ".flower/notes/goal.md");
  const call = (name: string, args: Json): ScriptedCall => ({ name: `mcp__files__${name}`, args });
  const calls = [
    call("write_file", { path: goal, content: "easy\n" }),
    call("edit_file", { path: goal, edits: [{ oldText: "the goal", newText: "easy" }] }),
    call("move_file", { source: join(folder, ".flower/notes"), destination: join(folder, "away") }),
    call("write_file", { path: join(folder, "runs/lineage.json"), content: "{}" }),
    call("write_file", { path: join(folder, "done.txt"), content: "done\n" }),
  ];
  const bench = openBench([{ calls }, "done"], { clock: systemClock }, folder);
  await bench.runtime.run(worker({ tools: mcp.tools }), "go", { onEvent: bench.note });
  const refused = bench.of("tool_result").filter(({ text }) => text.includes("on purpose"));
  expect(refused).toHaveLength(4);
  expect(await readFile(goal, "utf8")).toBe("the goal\n");
  expect(await readFile(join(folder, "done.txt"), "utf8")).toBe("done\n");
});
