import type { Agent } from "../../agents/agent.ts";
import { isWithinIterations, withIterationsLeft } from "../../agents/iterations-left.ts";
import { abortReason, type LinkedAbort, linkAbort } from "../../core/abort.ts";
import type { Clock } from "../../core/clock.ts";
import { FlowerError, toFlowerError } from "../../core/errors.ts";
import type { Event } from "../../messages/event.ts";
import { addUsage, NO_USAGE, type Usage } from "../../messages/usage.ts";
import type { Steering } from "../../runner/between.ts";
import { type Tool, type ToolContext, type ToolOutput, toolOutput } from "../../tools/tool.ts";
import type { BackendOutcome } from "../backend.ts";
import { agentTool, startable, type Task } from "./agent-tool.ts";
import { Below } from "./below.ts";
import type { PlacedQuery } from "./placed-query.ts";

/** What a subagent needs of the backend. */
interface SubagentHost {
  readonly clock: Clock;
  run(query: PlacedQuery): AsyncGenerator<Event, BackendOutcome>;
  hasSession(sessionId: string): Promise<boolean>;
}

const GO_ON =
  "You were cut off and go on now. Go on with your task where you left off; check the state of anything that was in flight. Your last message is still all that is read.";

/** The tool by which a query's agent starts subagents; undefined when it may start none. */
export function subagentTool(query: PlacedQuery, host: SubagentHost): Tool | undefined {
  const subagents = startable(query.agent);
  if (subagents.length === 0) return undefined;
  return agentTool(subagents, (task, context) => query.below.track(runSubagent(task, context, query, host)));
}

/**
 * Runs one subagent to its last message. Its session is named after the call that started it, so that a call which is entered again
 * goes on in it. What ends the query above ends it too; every failure of its own is a result that the one above reads.
 */
async function runSubagent(task: Task, context: ToolContext, parent: PlacedQuery, host: SubagentHost): Promise<ToolOutput> {
  const { name, limits } = task.subagent;
  const link = linkAbort(context.signal);
  const ms = limits.timeoutMs;
  const cancel = ms === undefined ? () => {} : host.clock.after(ms, () => link.abort(timedOut(name, ms)));
  try {
    const child = placeBelow(parent, task, context, link);
    for (let attempt = 1; ; ) {
      const { usage } = child.meter;
      try {
        return toOutput(await forward(child, context, parent.below, host), task.subagent);
      } catch (error) {
        if (context.signal.aborted) throw abortReason(context.signal);
        const failure = toFlowerError(error, "unknown");
        if (failure.code === "parked") throw failure; // the whole run waits for the person
        const hasReplied = child.meter.usage !== usage; // since the last failure
        if (hasReplied && isWithinIterations(child.query.agent, child.meter.replies)) attempt = 1;
        const again = !link.aborted && (await parent.recover?.(failure, attempt, child.query.agent));
        if (!again) return failedOutput(name, failure);
        if (again !== "uncounted") attempt++;
      }
    }
  } finally {
    cancel();
    link.dispose();
  }
}

interface Meter {
  /** The call that started the subagent. */
  readonly thread: string;
  usage: Usage;
  /** Its own, not those of subagents below it. */
  replies: number;
  /** Something is set aside for a call whose figures have not come yet. */
  isReserved: boolean;
}

/** A query below another's call, and what it has spent so far. */
interface ChildQuery {
  readonly query: PlacedQuery;
  readonly meter: Meter;
}

function placeBelow(parent: PlacedQuery, { subagent, prompt }: Task, context: ToolContext, link: LinkedAbort): ChildQuery {
  const above = [...parent.above, parent.agent];
  const agent = withVoice(subagent, parent.agent);
  const meter: Meter = { thread: context.callId, usage: NO_USAGE, replies: 0, isReserved: false };
  const query: PlacedQuery = {
    ...parent,
    agent,
    prompt,
    promptFrom: "framework",
    sessionId: `${context.sessionId}/${context.callId}`,
    resume: false,
    fork: undefined,
    guards: parent.guardsFor?.([...above, agent]) ?? parent.guards,
    steering: steeringOf(agent, parent.steering, meter),
    signal: link.signal,
    onStarted: () => {},
    above,
    path: context.path,
    origin: { ...parent.origin, subagent: agent.name, parentToolUseId: context.callId },
    below: new Below(),
  };
  return { query, meter };
}

/** An agent that names no engine of its own speaks with the one of the agent that starts it. */
function withVoice(subagent: Agent, starter: Agent): Agent {
  if (subagent.engine || !starter.engine) return subagent;
  return subagent.with({ engine: starter.engine, model: subagent.model ?? starter.model });
}

/** An interrupt waits until the subagent is back, and mail is for the main thread; the run's limits hold here too. */
function steeringOf(agent: Agent, above: Steering, meter: ChildQuery["meter"]): Steering {
  const max = agent.limits.maxBudgetUsd;
  return {
    interrupted: () => false,
    overBudget() {
      const { costUsd } = meter.usage;
      if (max !== undefined && costUsd !== undefined && costUsd >= max) return `Its own budget of $${max.toFixed(2)} is used up.`;
      return above.overBudget();
    },
    async reserve(plan) {
      let isOwn = false; // subagents of this one ask here too
      const refused = await above.reserve?.(() => {
        const call = plan();
        isOwn = call.thread === meter.thread;
        return call;
      });
      if (isOwn) meter.isReserved = refused === undefined;
      return refused;
    },
    release: (thread) => above.release?.(thread),
    contextFull: () => false,
    notice: () => undefined,
  };
}

/** Runs one query of the subagent, its events passed up. How it ended counts into the query above, which has the one `result`. */
async function forward(child: ChildQuery, context: ToolContext, below: Below, host: SubagentHost): Promise<BackendOutcome> {
  const { meter } = child;
  const query = { ...child.query, agent: withIterationsLeft(child.query.agent, meter.replies) };
  const begun = await host.hasSession(query.sessionId);
  const events = host.run(begun ? { ...query, prompt: GO_ON, resume: true } : query);
  try {
    for (;;) {
      const next = await events.next();
      if (next.done) return next.value;
      const event = next.value;
      if (event.kind === "result") {
        below.add(event.payload);
        continue;
      }
      note(event, meter);
      await context.emit(event);
    }
  } finally {
    if (meter.isReserved) query.steering.release?.(meter.thread); // whoever waits for it goes on
    meter.isReserved = false;
  }
}

function note(event: Event, meter: Meter): void {
  if (event.kind !== "text" && event.kind !== "thinking" && event.kind !== "tool_call") return;
  const { usage, parentToolUseId } = event.payload;
  if (!usage) return;
  meter.usage = addUsage(meter.usage, usage);
  if (parentToolUseId !== meter.thread) return;
  meter.replies++;
  meter.isReserved = false;
}

function toOutput(outcome: BackendOutcome, { name, limits }: Agent): ToolOutput {
  const said = outcome.text.trim() === "" ? `The subagent "${name}" ended without a word.` : outcome.text;
  switch (outcome.kind) {
    case "done":
      return toolOutput(said);
    case "iteration-limit":
      return toolOutput(`${said}\n\n[It was stopped at its limit of ${limits.maxIterations} iterations; this may be unfinished.]`);
    case "budget":
      return toolOutput(`The subagent "${name}" was stopped before it could report: ${outcome.reason}`, { isError: true });
    case "interrupted":
    case "context-full":
      return toolOutput(`The subagent "${name}" was stopped before it could report.`, { isError: true });
    default:
      return outcome.kind satisfies never;
  }
}

function failedOutput(name: string, { message }: FlowerError): ToolOutput {
  const text = `The subagent "${name}" failed: ${message} What it did before is done; look at the state before you do it again.`;
  return toolOutput(text, { isError: true });
}

function timedOut(name: string, ms: number): FlowerError {
  return new FlowerError("step-timeout", `"${name}" was stopped after ${ms / 1000} s.`);
}
