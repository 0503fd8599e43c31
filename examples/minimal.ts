import { type Event, failedAt, type HumanChannel, Runtime, starterFlow } from "flower-agents";
import { scriptedJob } from "./scripted-job.ts";

/** Renders events in a UI of your own: the only thing that has to be replaced. */
function sink(event: Event): void {
  if (event.kind === "step") console.log(`\n=== ${event.text} (${event.payload.index}/${event.payload.total}) ===`);
  else if (event.kind === "text" && !event.payload.subagent) console.log(event.text);
  else if (event.kind === "tool_call") console.log(`  [${event.tool}] ${event.text}`);
  else if (event.kind === "handoff") console.log(`  ~ 换代/${event.payload.phase}: ${event.text}`);
  else if (event.kind === "retry") console.log(`  ~ 重试: ${event.text}`);
  else if (event.kind === "ask" && event.payload.kind === "mail") console.log(`  ~ 人主动说:${event.text}`);
  // ask events that are not mail are the answerer's below (pull)
}

/** Pulls questions. With a web page or HTTP this is the other thing to replace. */
async function answerer(channel: HumanChannel, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const ask = await channel.nextAsk({ signal }).catch(() => undefined); // without a timeout it waits for ever
    if (!ask) continue;
    console.log(`\n?? ${ask.question} 选项=${JSON.stringify(ask.options)}`);
    channel.answer(ask.id, "按你的判断来"); // or channel.decline(ask.id, "先跳过")
  }
}

async function main(workspace: string): Promise<void> {
  const flow = starterFlow("帮我做一个 X", { workspace, timeoutMs: 60_000, language: "zh" });
  // The Runtime uses the workbench that the workflow made: don't make another.
  const runtime = new Runtime({ workspace, runDir: "runs", workbench: flow.workbench, engine: scriptedJob() });
  const stop = new AbortController();
  const answering = answerer(flow.channel, stop.signal);
  try {
    const ctx = await flow.run(runtime, { onEvent: sink });
    console.log(runtime.totalCost(), failedAt(ctx));
  } finally {
    stop.abort();
    await answering;
    await runtime.close(); // closes the database
  }
}

await main(process.argv[2] ?? ".");
