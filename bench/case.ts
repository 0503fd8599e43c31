import type { Participant } from "./participants.ts";

/** One thing that is measured, for each participant in turn and in a process of its own. */
export interface Case {
  /** One row of the table each. */
  readonly metrics: readonly Metric[];
  /** Only these have it; default: every participant. */
  readonly only?: readonly string[];
  /** The figures by key of their metric; undefined when the library has no such thing. Throws when less work was done than asked. */
  run(participant: Participant): Promise<Figures | undefined>;
}

export type Figures = Readonly<Record<string, number>>;

export interface Metric {
  readonly key: string;
  readonly title: string;
  readonly unit: "µs" | "ms" | "MB" | "KB" | "×";
  /** What flower is to reach: to be ahead of the fastest peer of the same run, or at most this much. */
  readonly goal?: "fastest" | number;
}
