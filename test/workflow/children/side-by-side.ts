import { ScriptedEngine } from "../../../src/engines/scripted.ts";
import { textOf } from "../../../src/messages/message.ts";
import { Runtime } from "../../../src/runtime/runtime.ts";
import { parallel } from "../../../src/workflow/parallel.ts";
import { Step } from "../../../src/workflow/step.ts";
import { Workflow } from "../../../src/workflow/workflow.ts";
import { worker } from "../../runtime/bench.ts";

/** Four steps side by side, at most three at a time: one reduces what it says to data, one to what JSON cannot hold, two write a file first. */
export function sideBySide(): Workflow {
  const writer = worker({ tools: ["Bash"], permissions: { mode: "bypassPermissions" } });
  const list = new Step("list", { agent: worker(), prompt: "list", reduce: ({ text }) => ({ items: text.split(",") }) });
  const table = new Step("table", { agent: worker(), prompt: "table", reduce: ({ text }) => new Map([["all", text]]) });
  const [one, two] = ["one", "two"].map((name) => new Step(name, { agent: writer, prompt: name })) as [Step, Step];
  return new Workflow([parallel([list, one, table, two], { name: "all", concurrency: 3 })], { name: "side-by-side", request: "Do it" });
}

/** As a process of its own: the first two end, the others write their files and hang until they are killed. Says when all are there. */
async function hang(folder: string): Promise<void> {
  let ended = 0;
  let written = 0;
  const engine = new ScriptedEngine(async ({ messages }) => {
    const asked = textOf(messages[0]!);
    if (asked === "list" || asked === "table") return asked === "list" ? "lamp,chair" : "plain";
    if (messages.length === 1) return { calls: [{ name: "Bash", args: { command: `echo x >> ${asked}.txt` } }] };
    const isLast = ++written === 2;
    while (isLast && ended < 2) await new Promise((resolve) => setImmediate(resolve));
    if (isLast) console.log("ready");
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
