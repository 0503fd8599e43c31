import { makeEvent } from "../../../src/messages/event.ts";
import { EventLog } from "../../../src/workbench/event-log.ts";

/** Appends until its file may grow no more, says so, and on SIGUSR2 (when it may again) closes the log. */
process.on("SIGXFSZ", () => {});
const log = EventLog.open(process.argv[2] as string, {
  run: "r",
  onError: (error) => {
    clearInterval(timer);
    process.stdout.write(`full at ${log.lastSeq}: ${error.message}\n`);
  },
});
const timer = setInterval(() => {
  for (let count = 0; count < 5; count++) log.append(makeEvent("text", "x".repeat(1_500), { agent: "a", iteration: 1 }));
}, 5);
const waiting = setInterval(() => {}, 1_000);
process.on("SIGUSR2", async () => {
  clearInterval(waiting);
  await log.close();
});
