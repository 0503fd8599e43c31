// Takes two turns in session "s" of the database in the folder argv[2], and is killed at the fault point argv[3], the argv[4]th time.
import { join } from "node:path";
import { Runner } from "../../../src/runner/runner.ts";
import type { FaultPoint } from "../../../src/sessions/fault.ts";
import { SqliteSessionStore } from "../../../src/sessions/sqlite.ts";
import { killAt } from "../../../src/testing/faults.ts";
import { notingAgent, notingModel } from "../noting-agent.ts";

const [folder, point, nth] = process.argv.slice(2) as [string, FaultPoint, string];
const sessionStore = new SqliteSessionStore(join(folder, "chat.db"), { fault: killAt(point, Number(nth)) });
const runner = new Runner({ startingAgent: notingAgent({ folder }), engine: notingModel(), sessionStore });
await runner.run("s", "first");
await runner.run("s", "second");
