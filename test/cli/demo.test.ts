import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { demoReply } from "../../src/cli/demo/script.ts";
import { newFolder } from "../folder.ts";

const at = (role: string, replies: number, results: readonly string[]) => demoReply({ tools: [role], replies, results, prompt: "" });

test.each([
  ["Pass it through unchanged", "<p>Things to buy & a <note>:</p>"],
  ["Escape it (& < > become entities)", "<p>Things to buy &amp; a &lt;note&gt;:</p>"],
  ["Nobody answered", "<p>Things to buy &amp; a &lt;note&gt;:</p>"],
])("what the demo's worker makes keeps to the answer %j", (answer, line) => {
  const brief = JSON.stringify(at("brief", 2, [`The person answered after 2 s\n\n${answer}`]));
  const folder = newFolder();
  for (const { args } of at("Write", 1, [brief]).calls ?? []) {
    const { file_path, content } = args as { file_path: string; content: string };
    writeFileSync(join(folder, file_path), content);
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  execFileSync(process.execPath, ["conv.js", "sample.md"], { cwd: folder });
  expect(readFileSync(join(folder, "sample.html"), "utf8")).toContain(line);
});
