import type { Script } from "../../../src/engines/scripted.ts";
import { ScriptedEngine } from "../../../src/engines/scripted.ts";
import type { Event } from "../../../src/messages/event.ts";
import { Runtime } from "../../../src/runtime/runtime.ts";
import { starterFlow } from "../../../src/workflow/starter.ts";
import { talkative } from "../talkative.ts";

/** A run whose person speaks at a moment; it says when the words are saved, and then hangs until it is killed. Arguments: folder, tool, way. */
const [folder = "", tool = "", way = ""] = process.argv.slice(2);
const talk = talkative() as Exclude<Script, readonly unknown[]>;
let spoken = false;
const engine = new ScriptedEngine((request, number) => (spoken ? new Promise<never>(() => {}) : talk(request, number)));
const flow = starterFlow("make a greeting", { workspace: folder, timeoutMs: 0 });
const runtime = new Runtime({ workspace: folder, engine, workbench: flow.workbench, resilience: { delayMs: 1 } });
await flow.run(runtime, {
  onEvent(event: Event) {
    if (event.kind !== "tool_call" || event.tool !== tool || spoken) return;
    spoken = true;
    const receipt = way === "mail" ? flow.channel.send("in French, please") : runtime.interrupt("in French, please");
    void receipt.then(({ amended }) => console.log(amended));
  },
});
