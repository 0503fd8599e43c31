import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Books } from "./books.ts";
import { newFolder, startNode } from "./cli.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FROM_SOURCE = ["--conditions=flower-source", "--import", "tsx"];

async function runExample(name: string, ...args: readonly string[]) {
  const running = await startNode([...FROM_SOURCE, `examples/${name}`, ...args], { cwd: ROOT });
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  return stdout;
}

test("the minimal program does a whole job offline: its sink shows the steps, its answerer answers, nothing failed", async () => {
  const folder = await newFolder();
  const output = await runExample("minimal.ts", folder);
  expect(output.match(/^=== .* ===$/gm)).toEqual(["=== 确认需求 (1/3) ===", "=== 设定目标 (2/3) ===", "=== 干活 (3/3) ==="]);
  expect(output).toContain('?? Which greeting? 选项=["Hello","Good day"]');
  expect(output).toContain("  [Write] greeting.txt");
  expect(output.trimEnd().split("\n").at(-1)).toBe("0 undefined");
  const books = new Books(folder);
  expect(await books.read("greeting.txt")).toBe("Hello, world\n");
  expect(await books.note("问答记录.md")).toContain("按你的判断来");
  expect(await books.labels()).toEqual(["确认需求", "设定目标", "干活", "干活·判定#1"]);
});

test("the conversation example hands over, pays back, and goes on with the agent it was handed to", async () => {
  const lines = (await runExample("runner.ts")).trimEnd().split("\n");
  expect(lines.slice(0, 4)).toEqual([
    "Order 505 has been paid back.",
    "Handled by: Billing",
    "Tools used: transfer_to_billing, refund",
    "Handoff target: Billing (Reason: a refund is wanted)",
  ]);
  expect(lines).toContain("text: You are welcome. Anything else about your bill?");
});
