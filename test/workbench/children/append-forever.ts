import { makeEvent } from "../../../src/messages/event.ts";
import { EventLog } from "../../../src/workbench/event-log.ts";

/** Appends events of many sizes until it is killed; says so once the first are on disk. */
const log = EventLog.open(process.argv[2] as string, { run: "r" });
log.onLine((line) => process.stdout.write(`${JSON.parse(line).seq}\n`));
setInterval(() => {
  for (let count = 0; count < 200; count++) {
    log.append(makeEvent("text", "é漢\n".repeat(Math.floor(Math.random() * 400)), { agent: "a", iteration: count }));
  }
  if (Math.random() < 0.5) log.flush();
}, 1);
