// Resumes the paused turn of session "s" of the database in the folder argv[2] with the decisions argv[3], and prints the response.
import { join } from "node:path";
import { Runner } from "../../../src/runner/runner.ts";
import { SqliteSessionStore } from "../../../src/sessions/sqlite.ts";
import { notingAgent, notingModel } from "../noting-agent.ts";

const [folder, decisions] = process.argv.slice(2) as [string, string];
const sessionStore = new SqliteSessionStore(join(folder, "chat.db"));
await using runner = new Runner({ startingAgent: notingAgent({ folder, needsApproval: true }), engine: notingModel(), sessionStore });
process.stdout.write(JSON.stringify(await runner.resume("s", JSON.parse(decisions))));
