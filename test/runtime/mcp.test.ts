import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { ScriptedCall } from "../../src/engines/scripted.ts";
import { type ResultPart, resultText } from "../../src/messages/message.ts";
import { worker } from "../../src/runtime/roles.ts";
import { connectMcp } from "../../src/tools/mcp/connect.ts";
import { newFolder } from "../folder.ts";
import { everything, filesystem } from "../tools/mcp/servers.ts";
import { openBench } from "./bench.ts";

test("a run works with the tools of two servers, beside its own", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "a.txt"), "seven\n");
  const mcp = await connectMcp({ files: filesystem(folder), all: everything });
  onTestFinished(() => mcp.close());
  expect(mcp.failures).toEqual([]);
  const calls: readonly ScriptedCall[] = [
    { name: "mcp__files__read_text_file", args: { path: join(folder, "a.txt") } },
    { name: "mcp__all__get-sum", args: { a: 3, b: 4 } },
    { name: "mcp__files__write_file", args: { path: join(folder, "b.txt"), content: "7\n" } },
    { name: "Read", args: { file_path: "a.txt" } },
  ];
  const bench = openBench([{ calls }, "done"], { clock: systemClock }, folder);
  const result = await bench.runtime.run(worker({ tools: mcp.tools }), "go");
  expect(result.ok).toBe(true);
  const parts = bench.engine.requests[1]?.messages.at(-1)?.parts ?? [];
  const texts = parts.filter((part): part is ResultPart => part.type === "result").map((part) => resultText(part.content));
  expect(texts).toEqual([
    expect.stringContaining("seven"),
    expect.stringContaining("7"),
    expect.stringMatching(/success/i),
    expect.stringContaining("seven"),
  ]);
  expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("7\n");
});

test("rules that deny hold for a server's tools too", async () => {
  const mcp = await connectMcp({ all: everything });
  onTestFinished(() => mcp.close());
  const bench = openBench([{ calls: [{ name: "mcp__all__echo", args: { message: "hi" } }] }, "done"], { clock: systemClock });
  const agent = worker({ tools: mcp.tools });
  await bench.runtime.run(agent.with({ permissions: { ...agent.permissions, deny: ["mcp__all__echo"] } }), "go");
  expect(JSON.stringify(bench.engine.requests[1]?.messages.at(-1))).toContain("on purpose");
});
