import type { BackendOutcome, BackendQuery } from "../backend.ts";
import { type CallGate, NO_MORE_TOOLS } from "./call-gate.ts";
import type { ReplyReader } from "./reply-reader.ts";
import type { SdkHookAnswer } from "./sdk.ts";

const STOP: SdkHookAnswer = { continue: false, stopReason: "The run was stopped here on purpose." };

/** After a limit the model may still call tools, which are refused; this often, then the query ends. */
const REFUSED_ITERATIONS = 2;

export interface BoundaryHost {
  readonly query: Pick<BackendQuery, "agent" | "steering">;
  readonly reader: Pick<ReplyReader, "iteration" | "context" | "text">;
  /** Told when its tools are used up. */
  readonly gate: Pick<CallGate, "withheld">;
}

/** Where a query may be stopped: before its first iteration and between two. The same questions in the same order as in our own loop. */
export class Boundary {
  readonly #host: BoundaryHost;
  #stopped: BackendOutcome | undefined;

  constructor(host: BoundaryHost) {
    this.#host = host;
  }

  /** How the query ends; undefined while nobody has stopped it. */
  get stopped(): BackendOutcome | undefined {
    return this.#stopped;
  }

  /** News for the model; or the query is stopped. */
  steer(): { readonly notice?: string } {
    const { query, reader } = this.#host;
    const { steering } = query;
    if (steering.interrupted()) {
      this.#stopped = { kind: "interrupted", text: "" };
      return {};
    }
    const reason = steering.overBudget();
    if (reason !== undefined) this.#stopped = { kind: "budget", text: "", reason };
    else if (steering.contextFull(reader.context)) this.#stopped = { kind: "context-full", text: "" };
    else return { notice: steering.notice() };
    return {};
  }

  /** Between two iterations of the main thread. */
  between(): SdkHookAnswer {
    const { query, reader, gate } = this.#host;
    const { notice } = this.#stopped ? {} : this.steer();
    if (this.#stopped) return STOP;
    const { maxIterations = Number.POSITIVE_INFINITY } = query.agent.limits;
    const over = reader.iteration - maxIterations;
    if (over >= REFUSED_ITERATIONS) {
      this.#stopped = { kind: "iteration-limit", text: reader.text };
      return { continue: false, stopReason: "The iterations are used up." };
    }
    gate.withheld = over >= 0;
    const news = [...(notice === undefined ? [] : [notice]), ...(over >= 0 ? [NO_MORE_TOOLS] : [])];
    if (news.length === 0) return {};
    return { hookSpecificOutput: { hookEventName: "PostToolBatch", additionalContext: news.join("\n\n") } };
  }

  /** Between two iterations of a subagent: it is stopped by the budget alone, and the main thread after it. */
  betweenBelow(): SdkHookAnswer {
    const reason = this.#stopped ? undefined : this.#host.query.steering.overBudget();
    if (reason !== undefined) this.#stopped = { kind: "budget", text: "", reason };
    return this.#stopped ? STOP : {};
  }
}
