import type { BackendOutcome, BackendQuery } from "../backends/backend.ts";
import { toFlowerError } from "../core/errors.ts";
import { readText } from "../core/files.ts";
import { translator } from "../i18n/catalogue.ts";
import { type Event, makeEvent } from "../messages/event.ts";
import type { Steering } from "../runner/between.ts";
import type { PlannedCall } from "../runner/planned-call.ts";
import type { AttemptHost, Job } from "./attempt-host.ts";
import { type AttemptEnd, type Decision, decide } from "./decide.ts";
import { handOver, takeOverBy } from "./hand-over.ts";
import { StepBooks } from "./step-books.ts";
import type { StepResult } from "./step-result.ts";
import { attemptState, recover, tryAgain } from "./try-again.ts";
import { CUT_PROMPT, interruptPrompt, RAISED_PROMPT } from "./words.ts";

type Stop = Extract<Decision, { readonly do: "stop" }>;

/** Runs one step: attempts until `decide` says that it is over. Never throws for a failure of the work: the result says it. */
export async function runAttempts(job: Job, host: AttemptHost): Promise<StepResult> {
  const books = new StepBooks(job, host);
  host.onBooks((error) => books.result({ code: "aborted", message: error }));
  await begin(job, host, books);
  let saidAgain = false;
  for (;;) {
    const end = await attempt({ ...job, agent: books.agentNow() }, host, books);
    const place = { host, books, agent: job.agent };
    const decision = decide(end, { ...(await attemptState(end, books.attemptsInRow, place)), saidAgain });
    if (decision.do !== "retry" && decision.do !== "await-network") books.beginIterations();
    switch (decision.do) {
      case "finish":
        if (saidAgain && isCut(end)) tellCut("runtime.cutAgain", host);
        return books.result();
      case "say-again":
        saidAgain = true;
        tellCut("runtime.cut", host);
        books.continueWith(CUT_PROMPT, "framework");
        break;
      case "speak":
        books.continueWith(interruptPrompt(books.hear()), "person");
        break;
      case "hand-over": {
        const stop = await succeed(job, host, books, end.kind === "failed");
        if (stop) return books.result(stop);
        break;
      }
      case "stop": {
        const next = decision.code === "budget" ? await afterBudget(decision, host) : decision;
        if (next.do === "stop") return books.result(next);
        books.goOn(RAISED_PROMPT);
        break;
      }
      case "await-network":
      case "retry": {
        const stop = await tryAgain(decision, (end as AttemptEnd & { kind: "failed" }).error, place); // only failures are tried again
        if (stop) return books.result(stop);
        break;
      }
      default:
        return decision satisfies never;
    }
  }
}

function isCut(end: AttemptEnd): boolean {
  return end.kind === "outcome" && end.outcome.cut === true;
}

function tellCut(key: "runtime.cut" | "runtime.cutAgain", { language, publish }: AttemptHost): void {
  publish(makeEvent("task", translator(language)(key), { type: "notice", code: "answer-cut" }));
}

/** In the job's session; or in a fresh one, which takes over when that session has left its document to it. */
async function begin(job: Job, host: AttemptHost, books: StepBooks): Promise<void> {
  const path = host.workbench.handoffPath(host.handoffName);
  const left = job.handedOver ? await readText(path) : undefined;
  if (job.resume !== undefined && left !== undefined) {
    return books.succeedWith(
      takeOverBy(path, left, () => successionOf(job, host, books)),
      job.resume,
    );
  }
  await books.findSession();
  await host.onSession(books.sessionId, false);
}

/** The work goes on when the run's limit was reached and a person raised it. An agent's own limit is not theirs to raise. */
async function afterBudget(stop: Stop, host: AttemptHost): Promise<Stop | { readonly do: "go-on" }> {
  const reached = host.ledger.reached() ?? host.ledger.refused;
  if (!reached) return stop;
  try {
    return (await host.askToRaise(reached)) ? { do: "go-on" } : stop;
  } catch (error) {
    const { code, message } = toFlowerError(error, host.signal.aborted ? "aborted" : "unknown");
    return { do: "stop", code, message };
  }
}

/** Has a fresh session take over from one whose context is full; or says why the step ends. */
async function succeed(job: Job, host: AttemptHost, books: StepBooks, overflow: boolean): Promise<Stop | undefined> {
  const { contextHandoff: handoff, signal } = host;
  if (!handoff) return { do: "stop", code: "context-overflow", message: "The context is full." };
  try {
    const next = await handOver({
      ...host,
      handoff,
      step: host.handoffName,
      overflow,
      calls: books.calls,
      ask: (prompt) => {
        books.continueWith(prompt, "framework");
        const writing = { ...job, agent: job.agent.with({ limits: { maxIterations: WRITING_ITERATIONS } }) };
        return attempt(
          writing,
          host,
          books,
          onlyUntil(() => handoff.desk.handedIn !== undefined),
        );
      },
      wait: async (error) => void (await recover(error, 1, { host, books, agent: job.agent })),
      succession: () => successionOf(job, host, books),
    });
    if ("do" in next) return next;
    books.succeedWith(next.takeOver);
    await host.onHandedOver();
    return undefined;
  } catch (error) {
    const { code, message } = toFlowerError(error, signal.aborted ? "aborted" : "unknown");
    return { do: "stop", code, message };
  }
}

async function successionOf(job: Job, host: AttemptHost, books: StepBooks) {
  books.hear();
  const known = await host.succession();
  return { ...known, said: books.said, ...(known.task === job.prompt ? {} : { latest: job.prompt }) };
}

/** One call, and room for one that has to be corrected. */
const WRITING_ITERATIONS = 3;

/** While the document is written nobody steers: a person's words go to the session that takes over. */
function onlyUntil(done: () => boolean): Steering {
  return { interrupted: done, overBudget: () => undefined, contextFull: () => false, notice: () => undefined };
}

async function attempt(job: Job, host: AttemptHost, books: StepBooks, steer = steering(host, books)): Promise<AttemptEnd> {
  const query: Omit<BackendQuery, "prompt"> = {
    ...job.query,
    agent: job.agent,
    promptFrom: books.promptFrom,
    sessionId: books.sessionId,
    resume: books.started,
    step: job.label,
    signal: host.signal,
    steering: steer,
    recover: (error, attempts, agent) => recover(error, attempts, { host, books, agent }),
    onStarted: async () => {
      books.begun();
      await host.words.heard();
      await host.onSession(books.sessionId, true);
    },
  };
  books.openQuery();
  try {
    const prompt = await books.promptNow();
    return { kind: "outcome", outcome: await drain(host.backend.run({ ...query, prompt }), host, books) };
  } catch (error) {
    return { kind: "failed", error: toFlowerError(error, host.signal.aborted ? "aborted" : "unknown") };
  } finally {
    books.closeQuery();
  }
}

async function drain(events: AsyncGenerator<Event, BackendOutcome>, host: AttemptHost, books: StepBooks): Promise<BackendOutcome> {
  for (;;) {
    const next = await events.next();
    if (next.done) {
      books.text = next.value.text;
      return next.value;
    }
    const level = books.note(next.value);
    host.publish(next.value);
    const near = level === undefined ? undefined : host.contextHandoff?.note(level);
    if (near) host.publish(near);
    books.watch.note(next.value, books.usage);
  }
}

/** Near a context handoff its document stays affordable: as much again as this call. */
function documentsToKeep({ thread, inputTokens }: PlannedCall, { contextHandoff }: AttemptHost): 0 | 1 {
  return thread === "" && contextHandoff !== undefined && inputTokens >= contextHandoff.limits.warnAt ? 1 : 0;
}

function steering(host: AttemptHost, books: StepBooks): Steering {
  return {
    interrupted: () => host.words.interrupted,
    overBudget: () => books.watch.reached(),
    reserve: (plan) => books.watch.calls.reserve(plan, host.signal, (call) => documentsToKeep(call, host)),
    release: (thread) => books.watch.calls.release(thread),
    contextFull: (level) => host.contextHandoff?.isFull(level) ?? false,
    notice: () => books.news(host.notice()),
  };
}
