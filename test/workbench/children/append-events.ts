import { setImmediate } from "node:timers/promises";
import { makeEvent } from "../../../src/messages/event.ts";
import { EventLog } from "../../../src/workbench/event-log.ts";

/** Appends `count` events, in bursts; then either says so and stays until it is killed, or ends the run. */
const [path = "", count = "0", then = ""] = process.argv.slice(2);
const log = EventLog.open(path, { run: "r" });
for (let n = 0; n < Number(count); n++) {
  log.append(makeEvent("text", `é漢 ${"x".repeat((n * 7919) % 900)}`, { agent: "a", iteration: n }));
  if (n % 17 === 0) await setImmediate();
  if (n % 50 === 0) log.flush();
}
if (then === "end") {
  log.append(makeEvent("task", "achieved", { type: "run-end", outcome: "achieved", exitCode: 0 }));
  await log.close();
} else {
  log.flush();
  process.stdout.write("done\n");
  setInterval(() => {}, 1_000);
}
