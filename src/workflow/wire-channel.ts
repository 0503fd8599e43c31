import { existsSync } from "node:fs";
import type { HumanChannel } from "../human/channel.ts";
import { earlierRunFiles } from "./chain.ts";
import type { WorkflowRun } from "./workflow-run.ts";

/**
 * Connects a channel with a run for its time: questions and mail are kept in the run's store (those of the run before move
 * over), its events reach the run's log, and the run's sink when the channel has none of its own. The returned function ends it.
 */
export async function wireChannel(channel: HumanChannel | undefined, run: WorkflowRun): Promise<() => void> {
  if (!channel) return () => {};
  const { runtime, chain } = run;
  const previous = earlierRunFiles(runtime, chain, "asks.json").find(existsSync);
  await channel.attach({ storePath: runtime.books.asksPath, previous });
  const sink = channel.onEvent ? undefined : run.onEvent;
  return channel.addSink((event) => runtime.publish(event, sink));
}
