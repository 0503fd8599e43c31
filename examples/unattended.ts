import { failedAt, Runtime, starterFlow } from "flower-agents";
import { scriptedJob } from "./scripted-job.ts";

// Nobody is there. No onEvent: the log keeps every event all the same. No waiting: the model is told that nobody answered.
const workspace = process.argv[2] ?? ".";
const flow = starterFlow("A file that greets", { workspace, timeoutMs: 0 });
await using runtime = new Runtime({ workspace, workbench: flow.workbench, engine: scriptedJob() });
const ctx = await flow.run(runtime);

for (const ask of flow.channel.asks) console.log(`${ask.id} ${ask.state}: ${ask.question}`);
console.log(failedAt(ctx) === undefined ? "achieved" : `stopped at ${failedAt(ctx)}`);
console.log(`the log: ${runtime.books.eventsPath}`);
process.exitCode = failedAt(ctx) === undefined ? 0 : 1;
