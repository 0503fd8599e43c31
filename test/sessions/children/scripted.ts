// Plays the script on session "s" of the database argv[2] and is killed when it reaches the fault point argv[3] for the argv[4]th time.
import type { FaultPoint } from "../../../src/sessions/fault.ts";
import { SqliteSessionStore } from "../../../src/sessions/sqlite.ts";
import { killAt } from "../../../src/testing/faults.ts";
import { play, SCRIPT } from "../script.ts";

const [path, point, nth] = process.argv.slice(2) as [string, FaultPoint, string];
const store = new SqliteSessionStore(path, { fault: killAt(point, Number(nth)) });
const lease = await store.open("s");
for (const step of SCRIPT) await play(lease, step);
await lease.release();
