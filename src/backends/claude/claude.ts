import { linkAbort } from "../../core/abort.ts";
import { checkOptions, type OptionKinds } from "../../core/check-options.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { FlowerError, toFlowerError } from "../../core/errors.ts";
import { processEnvironment } from "../../engines/environment.ts";
import type { Event } from "../../messages/event.ts";
import type { Environment } from "../../tools/builtin/environment.ts";
import type { Backend, BackendOutcome, BackendQuery } from "../backend.ts";
import { failedResult } from "../native/failed-result.ts";
import { ClaudeQuery, type SessionEntry } from "./claude-query.ts";
import { toUuid } from "./session-id.ts";
import { configFolder, dropTranscript, endOfIteration, findTranscript, hasReply, sizeOf } from "./transcript.ts";

export interface ClaudeBackendOptions {
  /**
   * Variables for the CLI, in place of this process's. `ANTHROPIC_*` and `CLAUDE_*` say where and as whom it works; sessions and
   * login are in `CLAUDE_CONFIG_DIR` (default `~/.claude`). Other credentials are left out.
   */
  readonly env?: Environment;
  /** The SDK's file. Default: the package `@anthropic-ai/claude-agent-sdk`, installed beside this one or in the workspace. */
  readonly sdk?: string;
  readonly clock?: Clock;
}

const OPTIONS: OptionKinds<ClaudeBackendOptions> = { env: "record", sdk: "text", clock: "any" };

/**
 * Runs agents by the Claude Agent SDK and its CLI, behind the same contract as our own loop. Throws `bad-config` at the first query
 * when the SDK is not installed.
 */
export function claudeBackend(options: ClaudeBackendOptions = {}): Backend {
  checkOptions("claudeBackend", options, OPTIONS);
  return new ClaudeBackend(options);
}

class ClaudeBackend implements Backend {
  readonly name = "claude";
  readonly #options: ClaudeBackendOptions;
  readonly #env: Environment;
  readonly #clock: Clock;
  /** Sessions with a query under way, each with what ends it. */
  readonly #running = new Map<string, (reason: unknown) => void>();

  constructor(options: ClaudeBackendOptions) {
    this.#options = options;
    this.#env = options.env ?? processEnvironment();
    this.#clock = options.clock ?? systemClock;
  }

  async *run(query: BackendQuery): AsyncGenerator<Event, BackendOutcome> {
    const abort = linkAbort(query.signal);
    const uuid = toUuid(query.sessionId);
    let work: ClaudeQuery | undefined;
    let isOurs = false;
    try {
      this.#claim(uuid, query.sessionId, (reason) => abort.abort(reason));
      isOurs = true;
      work = new ClaudeQuery({
        query,
        abort,
        clock: this.#clock,
        env: this.#env,
        sdk: this.#options.sdk,
        entry: await this.#enter(query, uuid),
        checkStarted: await this.#startWatch(query),
      });
      const outcome = yield* work.run();
      yield work.resultEvent(outcome.text);
      return outcome;
    } catch (error) {
      const failure = toFlowerError(error, query.signal.aborted ? "aborted" : "unknown");
      yield work?.resultEvent(failure.message, failure) ?? failedResult(query, error);
      throw error;
    } finally {
      if (isOurs) this.#running.delete(uuid);
      abort.dispose();
    }
  }

  async hasSession(sessionId: string): Promise<boolean> {
    const path = await this.#find(toUuid(sessionId));
    return path !== undefined && (await hasReply(path));
  }

  async close(): Promise<void> {
    for (const abort of this.#running.values()) abort(new FlowerError("aborted", "The backend was closed."));
  }

  #claim(uuid: string, sessionId: string, abort: (reason: unknown) => void): void {
    if (this.#running.has(uuid)) throw new FlowerError("session-busy", `Another query holds the session "${sessionId}".`);
    this.#running.set(uuid, abort);
  }

  /** A session with a reply goes on; one without is begun again, whatever a failure left of it. */
  async #enter({ sessionId, fork }: BackendQuery, uuid: string): Promise<SessionEntry> {
    if (await this.hasSession(sessionId)) return { resume: uuid };
    const leftover = await this.#find(uuid);
    if (leftover !== undefined) await dropTranscript(leftover);
    if (!fork) return { sessionId: uuid };
    const source = await this.#find(toUuid(fork.from));
    if (source === undefined) throw new FlowerError("not-found", `There is no session "${fork.from}" to begin a copy of.`);
    const at = fork.at === undefined ? undefined : await endOfIteration(source, fork.at);
    if (fork.at !== undefined && at === undefined) {
      throw new FlowerError("not-found", `The session "${fork.from}" has no iteration ${fork.at} to begin a copy at.`);
    }
    const entry = { resume: toUuid(fork.from), forkSession: true, sessionId: uuid };
    return at === undefined ? entry : { ...entry, resumeSessionAt: at };
  }

  #find(uuid: string): Promise<string | undefined> {
    return findTranscript(configFolder(this.#env), uuid);
  }

  /** Calls `onStarted` as soon as one of the query's replies is on disk, where the CLI writes a little later than it speaks. */
  async #startWatch({ sessionId, onStarted }: BackendQuery): Promise<(replies: ReadonlySet<string>) => Promise<void>> {
    const uuid = toUuid(sessionId);
    const from = await sizeOf(await this.#find(uuid));
    let started = false;
    return async (ids) => {
      if (started || ids.size === 0) return;
      const path = await this.#find(uuid);
      if (path === undefined || !(await hasReply(path, { ids, from }))) return;
      started = true;
      await onStarted();
    };
  }
}
