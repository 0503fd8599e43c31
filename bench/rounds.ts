import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Case, Figures } from "./case.ts";
import { loadCase } from "./cases.ts";
import { median } from "./measure.ts";
import type { Participant } from "./participants.ts";

/** What a case gave: the medians of its rounds, by participant. Who has no such thing, or failed, is not in it. */
export interface CaseResult {
  readonly name: string;
  readonly measured: Case;
  readonly figures: ReadonlyMap<string, Figures>;
  readonly failures: ReadonlyMap<string, string>;
}

/** Measures a case: round by round, and in each round one participant after the other, each time in a new process. */
export async function measureCase(caseName: string, participants: readonly Participant[], rounds: number): Promise<CaseResult> {
  const measured = await loadCase(caseName);
  const taking = participants.filter(({ name }) => measured.only?.includes(name) ?? true);
  const perRound = new Map<string, Figures[]>();
  const failures = new Map<string, string>();
  for (let round = 1; round <= rounds; round++) {
    for (const { name } of taking) {
      if (failures.has(name)) continue;
      const outcome = await inChild(caseName, name);
      if ("failure" in outcome) failures.set(name, outcome.failure);
      else if (outcome.figures) perRound.set(name, [...(perRound.get(name) ?? []), outcome.figures]);
    }
  }
  const done = [...perRound].filter(([name]) => !failures.has(name));
  return { name: caseName, measured, figures: new Map(done.map(([name, figures]) => [name, medians(figures)])), failures };
}

function medians(rounds: readonly Figures[]): Figures {
  const keys = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(keys.map((key) => [key, median(rounds.map((figures) => figures[key] as number))]));
}

const CHILD = fileURLToPath(new URL("child.js", import.meta.url));
const ERROR_LINES = 12;

/** As in production: nothing is traced, nothing phones home. */
const ENV = {
  NODE_ENV: "production",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  OPENAI_API_KEY: "none",
  LANGSMITH_TRACING: "false",
  MASTRA_TELEMETRY_DISABLED: "1",
  AI_SDK_LOG_WARNINGS: "false",
};

export type ChildOutcome = { readonly figures: Figures | undefined } | { readonly failure: string };

/** Runs one case, or the probe, for one participant. */
export async function inChild(caseName: string, participant: string): Promise<ChildOutcome> {
  const child = fork(CHILD, [caseName, participant], {
    env: { ...process.env, ...ENV },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let figures: Figures | null | undefined;
  let errors = "";
  child.on("message", (message) => (figures = message as Figures | null));
  child.stderr?.on("data", (data) => (errors += data));
  await once(child, "close");
  if (figures === undefined) return { failure: errors.trim().split("\n").slice(0, ERROR_LINES).join("\n") || "ended without a word" };
  return { figures: figures ?? undefined };
}
