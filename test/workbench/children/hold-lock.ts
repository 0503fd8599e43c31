import { acquireRunLock } from "../../../src/workbench/run-lock.ts";

/** Takes the lock of a workflow and holds it until it is killed. */
await acquireRunLock(process.argv[2] as string, "flow", { runId: "theirs" });
process.stdout.write("held\n");
setInterval(() => {}, 1_000);
