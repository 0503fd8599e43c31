// Takes a turn in session "s" of the database in the folder argv[2], whose answer, checked by a schema, is cut at the output limit; is killed right before
// its commit.
import { join } from "node:path";
import { z } from "zod";
import { Agent } from "../../../src/agents/agent.ts";
import { ScriptedEngine } from "../../../src/engines/scripted.ts";
import { Runner } from "../../../src/runner/runner.ts";
import { SqliteSessionStore } from "../../../src/sessions/sqlite.ts";
import { killAt } from "../../../src/testing/faults.ts";

const [folder] = process.argv.slice(2) as [string];
const sessionStore = new SqliteSessionStore(join(folder, "chat.db"), { fault: killAt("commit:before") });
const engine = new ScriptedEngine([{ text: '{"as":"far"}', finish: "length" }]);
await new Runner({ startingAgent: new Agent({ name: "Bot", outputSchema: z.object({ as: z.string() }) }), engine, sessionStore }).run(
  "s",
  "Tell me all.",
);
