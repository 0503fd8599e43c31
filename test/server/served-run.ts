import { onTestFinished } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { Script } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { type AppOptions, createApp, onlyRun } from "../../src/server/app.ts";
import { LiveRun } from "../../src/server/live-run.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { openStage, type Stage } from "../workflow/stage.ts";

export interface ServedStage {
  readonly stage: Stage;
  readonly run: LiveRun;
  readonly channel: HumanChannel;
  /** Begins the run; resolves when it has ended. */
  start(): Promise<unknown>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  post(path: string, body?: unknown): Promise<Response>;
  readonly aborts: string[];
  /** The handler itself, for bodies and addresses that are none of ours. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** A workflow of one step with a channel, behind the control API. `path` is taken from `/runs/<id>`. */
export function serveStage(script: Script, options: Partial<AppOptions> = {}, folder?: string): ServedStage {
  const stage = openStage(script, { clock: systemClock }, folder);
  const channel = new HumanChannel({ timeoutMs: null });
  const aborts: string[] = [];
  const run = new LiveRun({
    runtime: stage.runtime,
    channel,
    abort: (reason) => {
      aborts.push(reason);
      stage.runtime.abort();
    },
  });
  const app = createApp({ runs: onlyRun(run), ...options });
  const fetch = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://run${path}`, init));
  const workflow = new Workflow([new Step("work", { agent: worker({ tools: channel.tools }), prompt: "paint it" })], { channel });
  onTestFinished(() => stage.runtime.abort());
  return {
    stage,
    run,
    channel,
    aborts,
    start: () => stage.run(workflow),
    fetch,
    get: (path, headers) => fetch(`/runs/${run.id}${path}`, { headers }),
    post: (path, body) =>
      fetch(`/runs/${run.id}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
  };
}
