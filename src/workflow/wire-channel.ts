import { existsSync } from "node:fs";
import type { HumanChannel } from "../human/channel.ts";
import { translator } from "../i18n/catalogue.ts";
import { makeEvent } from "../messages/event.ts";
import { earlierRunFiles } from "./chain.ts";
import type { WorkflowRun } from "./workflow-run.ts";

/**
 * Connects a channel with a run for its time: questions and mail are kept in the run's store (those of the run before move
 * over), its events reach the run's log, and the run's sink when the channel has none of its own; what a person says at an interrupt
 * is kept, and limits are put to them. The returned function ends it.
 */
export async function wireChannel(channel: HumanChannel | undefined, run: WorkflowRun): Promise<() => void> {
  if (!channel) return () => {};
  const { runtime, chain } = run;
  const previous = earlierRunFiles(runtime, chain, "asks.json").find(existsSync);
  const sink = channel.onEvent ? undefined : run.onEvent;
  const unlisten = channel.addSink((event) => runtime.publish(event, sink));
  try {
    await channel.attach({ storePath: runtime.books.asksPath, previous }); // what was left there is announced at once
  } catch (error) {
    unlisten();
    throw error;
  }
  const t = translator(runtime.language);
  const leave = runtime.attend({
    interrupted: (words) => {
      const text = words === "" ? t("runtime.interruptSilent") : t("runtime.interrupt", { words });
      runtime.publish(makeEvent("task", text, { type: "notice", code: "interrupted" }), run.onEvent);
    },
    keepWords: (text) => channel.amend(text, t("human.atInterrupt")),
    openQuestions: () => channel.pending().flatMap(({ purpose, question }) => (purpose === "model" ? [question] : [])),
    askToRaise: (reached, signal) => run.askToRaise(reached, signal),
  });
  return () => {
    leave();
    unlisten();
  };
}
