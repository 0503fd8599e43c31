import type { ErrorCode } from "../core/errors.ts";
import type { Usage } from "../messages/usage.ts";

/** How one `runtime.run` ended. Cost and iterations of every attempt count, failed and interrupted ones included. */
export interface StepResult {
  /** The label. */
  readonly step: string;
  readonly sessionId: string;
  readonly ok: boolean;
  /** US dollars; undefined when a price is unknown. */
  readonly costUsd: number | undefined;
  readonly usage: Usage;
  readonly numIterations: number;
  /** The last reply's main-thread prose, never a subagent's. */
  readonly text: string;
  /** English, for logs; "" when ok. */
  readonly error: string;
  readonly errorKind: ErrorCode | undefined;
  /** ISO instants. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationMs: number;
  readonly attempts: number;
  /** What each failed attempt said. */
  readonly errors: readonly string[];
  /** It went on in an existing session. */
  readonly resumed: boolean;
  /** Sessions given up by context handoffs. */
  readonly retired: readonly string[];
  /** The largest main-thread context level, in tokens. */
  readonly context: number;
}
