import { HumanChannel } from "../../src/human/channel.ts";
import type { HumanChannelOptions } from "../../src/human/channel-options.ts";
import type { AskPayload, Event } from "../../src/messages/event.ts";
import type { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { type Cast, openStage, type Stage } from "./stage.ts";

/** One process's pass of a workflow in a folder that others share one after the other. */
export interface Start {
  readonly stage: Stage;
  readonly channel: HumanChannel;
  /** `q1 asked`, `q1 answered` … */
  readonly asked: readonly string[];
  readonly end: unknown;
}

export interface StartOptions {
  readonly folder?: string;
  readonly channel?: HumanChannelOptions;
  readonly flow: (channel: HumanChannel, folder: string) => Workflow;
  readonly cast: Cast;
  /** Told of each question that waits. */
  readonly onQuestion?: (id: string, start: Pick<Start, "stage" | "channel">) => void;
}

/** Runs it to its end, and closes the Runtime as a process that goes does. */
export async function startOnce({ folder = newFolder(), channel: more, flow, cast, onQuestion }: StartOptions): Promise<Start> {
  const asked: string[] = [];
  const channel = new HumanChannel({ timeoutMs: null, ...more });
  const stage = openStage(cast, {}, folder);
  channel.onEvent = (event: Event) => {
    if (event.kind !== "ask" || event.payload.kind !== "question") return;
    const { id, state }: Extract<AskPayload, { kind: "question" }> = event.payload;
    asked.push(`${id} ${state}`);
    if (state === "asked") onQuestion?.(id, { stage, channel });
  };
  await stage.run(flow(channel, folder));
  await stage.runtime.close();
  await channel.close();
  return { stage, channel, asked, end: stage.tasks("run-end")[0]?.payload };
}
