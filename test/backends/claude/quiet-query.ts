import type { BackendQuery } from "../../../src/backends/backend.ts";

/** A query that nobody steers, with some fields set. */
export function quietQuery(change: Partial<BackendQuery> & Pick<BackendQuery, "agent" | "workspace">): BackendQuery {
  return {
    prompt: "go",
    promptFrom: "framework",
    sessionId: "s1",
    resume: false,
    step: "work",
    guards: [],
    services: {},
    steering: { interrupted: () => false, overBudget: () => undefined, contextFull: () => false, notice: () => undefined },
    approve: async () => ({ approve: true }),
    signal: new AbortController().signal,
    deltas: false,
    onStarted: () => {},
    ...change,
  };
}
