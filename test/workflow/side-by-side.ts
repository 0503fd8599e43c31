import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ScriptedEngine } from "../../src/engines/scripted.ts";
import { textOf } from "../../src/messages/message.ts";
import { Runtime } from "../../src/runtime/runtime.ts";
import { parallel } from "../../src/workflow/parallel.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";

/** Three steps side by side: the first reduces what it says to data, the second to what JSON cannot hold, the third writes a file first. */
export function sideBySide(): Workflow {
  const writer = worker({ tools: ["Bash"], permissions: { mode: "bypassPermissions" } });
  const list = new Step("list", { agent: worker(), prompt: "list", reduce: ({ text }) => ({ items: text.split(",") }) });
  const table = new Step("table", { agent: worker(), prompt: "table", reduce: ({ text }) => new Map([["all", text]]) });
  const file = new Step("file", { agent: writer, prompt: "file" });
  return new Workflow([parallel([list, table, file], { name: "all" })], { name: "side-by-side", request: "Do three things" });
}

/** As a process of its own: the first two end; the third writes its file, says so once both have ended, and hangs until it is killed. */
async function hang(folder: string): Promise<void> {
  let ended = 0;
  const engine = new ScriptedEngine(async ({ messages }) => {
    const asked = textOf(messages[0]!);
    if (asked !== "file") return asked === "list" ? "lamp,chair" : "plain";
    if (messages.length === 1) return { calls: [{ name: "Bash", args: { command: "echo x >> file.txt" } }] };
    while (ended < 2) await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(join(folder, "ready"), "");
    console.log("ready");
    return new Promise<never>(() => {});
  });
  const runtime = new Runtime({ workspace: folder, engine });
  await sideBySide().run(runtime, {
    onStep: () => {
      ended++;
    },
  });
}

const [, script = "", folder = ""] = process.argv;
if (import.meta.filename === script) await hang(folder);
